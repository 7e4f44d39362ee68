/**
 * Attachments: what the client showed the model beside the conversation. A reader gets the words that come from
 * the project or the person (files, instructions, hooks); the client's own prompt texts are only named, with their size.
 */
import type { RecordSink } from '../../adapter.mts';
import { object, text } from '../../fields.mts';
import { withoutDataUrls } from '../../media.mts';
import type { Json, JsonObject } from '../../turn.mts';
import type { Base } from './chain.mts';
import { blockText, contentText, turnOf } from './chain.mts';
import { readQueuedCommand } from './user.mts';

/** Long texts of the client itself: lists of tools, agents and skills, the system prompt, mode reminders. */
const NAMED_ONLY = new Set([
  'prompt_snapshot', 'skill_listing', 'deferred_tools_delta', 'agent_listing_delta', 'mcp_instructions_delta', 'command_permissions',
  'auto_mode', 'auto_mode_exit', 'plan_mode', 'plan_mode_exit', 'plan_mode_reentry', 'remote_session_change', 'unknown_command_fallback',
  'task_reminder', 'todo_reminder', 'todo', 'token_usage', 'budget_usd', 'output_style', 'critical_system_reminder', 'ultramemory',
]);

/** Gives exactly one turn, so that the chain has no hole. */
export function readAttachment(record: JsonObject, base: Base, to: RecordSink): void {
  const attachment = object(record.attachment) ?? {};
  const type = text(attachment.type) || 'unknown';
  if (type === 'queued_command') {
    readQueuedCommand(attachment, base, to);
    return;
  }
  const [meta, said] = textOf(type, attachment, record);
  to.turn(turnOf(base, 'OTHER', said, meta));
}

function textOf(type: string, attachment: JsonObject, record: JsonObject): [meta: string, text: string] {
  const label = `[attachment ${type}]`;
  if (NAMED_ONLY.has(type)) {
    const size = sizeOf(attachment);
    return ['reminder', size === 0 ? label : `[attachment ${type} ${size} characters]`];
  }
  if (type.startsWith('hook_')) return ['hook', hookText(type, attachment)];
  switch (type) {
    case 'environment':
    case 'session_context':
    case 'date':
    case 'model':
      return ['environment', renderedText(record) || label];
    case 'instructions':
      return ['instructions', Array.isArray(attachment.files) ? attachment.files.map(fileText).join('\n') || label : label];
    case 'nested_memory':
      return ['instructions', named(`[instructions ${text(attachment.path)}]`, contentText(object(attachment.content)?.content))];
    case 'file':
      return ['attachment', named(`[file ${text(attachment.filename)}]`, mentionText(attachment.content))];
    case 'directory':
      return ['attachment', named(`[directory ${text(attachment.path)}]`, contentText(attachment.content))];
    case 'edited_text_file':
      return ['attachment', named(`[edited file ${text(attachment.filename)}]`, text(attachment.snippet))];
  }
  const said = text(attachment.content) || text(attachment.text) || text(attachment.message) || text(attachment.prompt);
  return ['attachment', named(label, withoutDataUrls(said))];
}

function hookText(type: string, attachment: JsonObject): string {
  const label = `[${type} ${text(attachment.hookName) || text(attachment.hookEvent)}]`;
  const blocking = attachment.blockingError;
  const said =
    contentText(attachment.content) || text(attachment.stdout).trim() || (object(blocking) ? text(object(blocking)?.blockingError) : text(blocking)) || text(attachment.stderr).trim();
  return named(label, said);
}

function fileText(file: Json): string {
  const entry = object(file);
  return entry === undefined ? '' : named(`[instructions ${text(entry.path)}]`, contentText(entry.content));
}

/** A mentioned file: text, an image, or a note that it was too large. */
function mentionText(content: Json | undefined): string {
  const outer = object(content);
  const file = object(outer?.file);
  if (file === undefined) return contentText(content);
  if (typeof file.base64 === 'string') {
    return blockText({ type: text(outer?.type) || 'file', source: { data: file.base64, media_type: text(file.type) } });
  }
  return contentText(file.content);
}

/** The text as the model got it, where the client keeps it. */
function renderedText(record: JsonObject): string {
  return Array.isArray(record.rendered) ? record.rendered.map((part) => contentText(object(part)?.content)).join('\n') : '';
}

function named(label: string, body: string): string {
  return body === '' ? label : `${label}\n${body}`;
}

/** Characters in the strings of the attachment's own keys and of their lists; deeper ones are not worth a walk. */
function sizeOf(attachment: JsonObject): number {
  let size = 0;
  for (const key in attachment) {
    const value = attachment[key];
    if (key === 'type') continue;
    if (typeof value === 'string') size += value.length;
    else if (Array.isArray(value)) for (const item of value) if (typeof item === 'string') size += item.length;
  }
  return size;
}

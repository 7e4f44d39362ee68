/**
 * Attachments: what the client showed the model beside the conversation. A reader gets the words that come from
 * the project or the person (files, instructions, hooks); the client's own prompt texts are only named, with their size.
 */
import type { RecordSink } from '../../adapter.mts';
import { withoutDataUrls } from '../../media.mts';
import type { Json, JsonObject } from '../../turn.mts';
import type { Base } from './chain.mts';
import { blockText, contentText, obj, str, turnOf } from './chain.mts';
import { readQueuedCommand } from './user.mts';

/** Long texts of the client itself: lists of tools, agents and skills, the system prompt, mode reminders. */
const NAMED_ONLY = new Set([
  'prompt_snapshot', 'skill_listing', 'deferred_tools_delta', 'agent_listing_delta', 'mcp_instructions_delta', 'command_permissions',
  'auto_mode', 'auto_mode_exit', 'plan_mode', 'plan_mode_exit', 'plan_mode_reentry', 'remote_session_change', 'unknown_command_fallback',
  'task_reminder', 'todo_reminder', 'todo', 'token_usage', 'budget_usd', 'output_style', 'critical_system_reminder', 'ultramemory',
]);

/** Gives exactly one turn, so that the chain has no hole. */
export function readAttachment(record: JsonObject, base: Base, to: RecordSink): void {
  const attachment = obj(record.attachment) ?? {};
  const type = str(attachment.type) || 'unknown';
  if (type === 'queued_command') {
    readQueuedCommand(attachment, base, to);
    return;
  }
  const [meta, text] = textOf(type, attachment, record);
  to.turn(turnOf(base, 'OTHER', text, meta));
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
      return ['instructions', named(`[instructions ${str(attachment.path)}]`, contentText(obj(attachment.content)?.content))];
    case 'file':
      return ['attachment', named(`[file ${str(attachment.filename)}]`, mentionText(attachment.content))];
    case 'directory':
      return ['attachment', named(`[directory ${str(attachment.path)}]`, contentText(attachment.content))];
    case 'edited_text_file':
      return ['attachment', named(`[edited file ${str(attachment.filename)}]`, str(attachment.snippet))];
  }
  const text = str(attachment.content) || str(attachment.text) || str(attachment.message) || str(attachment.prompt);
  return ['attachment', named(label, withoutDataUrls(text))];
}

function hookText(type: string, attachment: JsonObject): string {
  const label = `[${type} ${str(attachment.hookName) || str(attachment.hookEvent)}]`;
  const blocking = attachment.blockingError;
  const text =
    contentText(attachment.content) || str(attachment.stdout).trim() || (obj(blocking) ? str(obj(blocking)?.blockingError) : str(blocking)) || str(attachment.stderr).trim();
  return named(label, text);
}

function fileText(file: Json): string {
  const entry = obj(file);
  return entry === undefined ? '' : named(`[instructions ${str(entry.path)}]`, contentText(entry.content));
}

/** A mentioned file: text, an image, or a note that it was too large. */
function mentionText(content: Json | undefined): string {
  const outer = obj(content);
  const file = obj(outer?.file);
  if (file === undefined) return contentText(content);
  if (typeof file.base64 === 'string') {
    return blockText({ type: str(outer?.type) || 'file', source: { data: file.base64, media_type: str(file.type) } });
  }
  return contentText(file.content);
}

/** The text as the model got it, where the client keeps it. */
function renderedText(record: JsonObject): string {
  return Array.isArray(record.rendered) ? record.rendered.map((part) => contentText(obj(part)?.content)).join('\n') : '';
}

function named(label: string, text: string): string {
  return text === '' ? label : `${label}\n${text}`;
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

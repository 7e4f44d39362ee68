/**
 * Messages. A message of the user's role holds parts from different hands: what a person typed, instruction files,
 * the environment, hooks. Each part is judged by itself: by the client's own label where it wrote one, else by
 * the envelope the client puts around it.
 */
import type { RecordSink } from '../../adapter.mts';
import { splitInjected } from '../../injected.mts';
import type { Piece } from '../../injected.mts';
import type { Json, JsonObject, TurnDraft } from '../../turn.mts';
import { list, object, text } from '../../fields.mts';
import { imagePlaceholder, partText } from './output.mts';
import type { Reading } from './reading.mts';

type Base = Pick<TurnDraft, 'ts' | 'id'>;
/** A part of a message: `meta` says why nobody typed it. */
interface Part extends Piece {
  image?: boolean;
}

/** Label of a part -> why nobody typed it; by the word before the dot where the whole label is not here. */
const KINDS = new Map([
  ['agents_md', 'instructions'], ['model', 'instructions'], ['host_skills', 'instructions'], ['permissions', 'instructions'],
  ['tools', 'instructions'], ['collaboration_mode', 'instructions'], ['multi_agent', 'instructions'],
  ['environments', 'environment'], ['skills', 'expanded'], ['generic.turn_aborted', 'interrupted'], ['hooks', 'hook'],
]);
/** The client's system prompt as a developer message: 20 KB that say nothing of this session. */
const SYSTEM_PROMPT = 'model.base_instructions';

/** Envelopes that only Codex writes; each must be the whole part. */
const ENVELOPES: readonly (readonly [open: string, close: string, meta: string])[] = [
  ['<hook_prompt', '</hook_prompt>', 'hook'],
  ['<user_action>', '</user_action>', 'notification'],
  ['<turn_aborted>', '</turn_aborted>', 'interrupted'],
  ['<subagent_notification>', '</subagent_notification>', 'notification'],
  ['<model_switch>', '</model_switch>', 'instructions'],
  ['Another language model started to solve this problem and produced a summary', '', 'compaction-summary'],
];
const SHELL = /^<user_shell_command>\s*<command>\n?([\s\S]*?)\n?<\/command>/;
/** The editor extension writes its context above what was typed, in one part. */
const IDE_HEAD = '# Context from my IDE setup:';
const IDE_TYPED = '\n## My request for Codex:';

export function readMessage(item: JsonObject, base: Base, to: RecordSink, reading: Reading): void {
  const content: Json[] = typeof item.content === 'string' ? [item.content] : list(item.content);
  if (item.role === 'assistant') {
    to.turn({ ...base, class: 'AGENT', text: content.map(partText).filter((part) => part !== '').join('\n') });
    return;
  }
  const kinds = list(object(item.internal_chat_message_metadata_passthrough)?.content_item_kinds).map(text);
  const typed = item.role === 'user';
  const parts = content.flatMap((part, at) => judge(part, kinds[at] ?? '', typed));
  // Parts of one hand that follow each other are one turn: a prompt and its picture, the blocks of one instruction message.
  for (let at = 0; at < parts.length; ) {
    const meta = parts[at]?.meta;
    let end = at + 1;
    while (end < parts.length && parts[end]?.meta === meta) end++;
    const body = parts.slice(at, end).map((part) => part.text).join('\n');
    if (meta !== undefined) to.turn({ ...base, class: 'OTHER', text: body, meta });
    else if (!typed) to.turn({ ...base, class: 'OTHER', text: body });
    else if (reading.subagent) to.turn({ ...base, class: 'OTHER', text: body, meta: 'task' });
    else to.turn({ ...base, class: 'USER', text: body });
    at = end;
  }
}

/** A message between agents: the parent's task for this one, or what another one reports. */
export function readAgentMessage(item: JsonObject, base: Base, to: RecordSink): void {
  const body = list(item.content).map((part) => {
    const hidden = text(object(part)?.encrypted_content);
    // Where nothing encrypts it, the field holds the message itself.
    return hidden === '' ? partText(part) : isOpaque(hidden) ? '[encrypted]' : hidden;
  }).filter((part) => part !== '').reduce((said, part) => (said === '' || said.endsWith('\n') ? said + part : `${said}\n${part}`), '');
  const isTask = body.startsWith('Message Type: NEW_TASK\n');
  const payload = isTask ? body.indexOf('\nPayload:\n') : -1;
  to.turn({ ...base, class: 'OTHER', text: payload < 0 ? body : body.slice(payload + '\nPayload:\n'.length), meta: isTask ? 'task' : 'notification' });
}

function judge(part: Json, kind: string, user: boolean): Part[] {
  if (kind === SYSTEM_PROMPT) return [];
  const value = object(part);
  if (value?.image_url !== undefined || value?.type === 'input_image') return [{ text: imagePlaceholder(value?.image_url), image: true }];
  const body = partText(part);
  // The client frames a picture with tags of its own, each a part.
  if (body === '' || body === '</image>' || (body.startsWith('<image name=') && body.endsWith('>') && !body.includes('\n'))) return [];
  if (!user) return [{ text: body, meta: labelled(kind) ?? 'instructions' }];
  if (kind.startsWith('user.')) return [{ text: body }];
  const label = labelled(kind);
  if (label !== undefined) return [{ text: body, meta: label }];
  return enveloped(body);
}

function labelled(kind: string): string | undefined {
  if (kind === '' || kind === 'unknown') return undefined;
  return KINDS.get(kind) ?? KINDS.get(kind.slice(0, Math.max(0, kind.indexOf('.')))) ?? 'injected';
}

function enveloped(body: string): Part[] {
  const whole = body.trim();
  for (const [open, close, meta] of ENVELOPES) if (whole.startsWith(open) && whole.endsWith(close)) return [{ text: body, meta }];
  if (whole.startsWith('<user_shell_command>')) {
    const command = SHELL.exec(whole);
    if (command !== null) return [{ text: `!${command[1] ?? ''}` }, { text: body, meta: 'command-output' }];
  }
  const request = whole.startsWith(IDE_HEAD) ? body.indexOf(IDE_TYPED) : -1;
  if (request >= 0) return [{ text: body.slice(0, request), meta: 'environment' }, { text: body.slice(request + IDE_TYPED.length).trim() }];
  return splitInjected(body);
}

/** Base64 of some length has no blank and no line end in it; what a person or an agent writes has. */
export function isOpaque(value: string): boolean {
  return value.length > 40 && /^[\w+/=-]+$/.test(value);
}

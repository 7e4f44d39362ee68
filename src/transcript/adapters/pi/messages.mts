/** Messages: what a person typed, what the agent answered, one result a record, and commands that the person ran. */
import type { RecordSink } from '../../adapter.mts';
import { effectOf } from '../../effects.mts';
import { splitInjected } from '../../injected.mts';
import { mediaPlaceholder, withoutDataUrls } from '../../media.mts';
import type { Json, JsonObject, SessionFacts, TurnDraft } from '../../turn.mts';
import { defined, finite, jsonText, list, object, text, word } from '../../fields.mts';
import { countTokens, note, type Entry } from './entry.mts';

/** How a command that failed ends its output; the record has no field for the code. */
const EXIT = /(?:^|\n)Command exited with code (\d{1,10})\s*$/;
/** `/skill:x words` is stored as the skill's body in an envelope, with the words behind it. */
const SKILL = /^<skill name="([^"\n]{1,200})"[^>\n]{0,4096}>\n/;
const SKILL_END = '\n</skill>';

export function readMessage(message: JsonObject, entry: Entry, to: RecordSink): void {
  switch (text(message.role)) {
    case 'user':
      return readUser(message, entry, to);
    case 'assistant':
      return readAssistant(message, entry, to);
    case 'toolResult':
      return readResult(message, entry, to);
    case 'bashExecution':
      return readShell(message, entry, to);
    case 'system':
      // The client's prompt and all tool schemas: 20 KB that say nothing of this session.
      return note(entry, to, '[system prompt]');
    case 'compactionSummary':
      return to.turn({ ...entry, class: 'OTHER', text: text(message.summary) || '[compaction]', meta: 'compaction-summary' });
    case 'branchSummary':
      return to.turn({ ...entry, class: 'OTHER', text: text(message.summary) || '[branch]', meta: 'branch-summary' });
    case 'custom':
      return to.turn({ ...entry, class: 'OTHER', text: blocksOf(message).map(blockText).join('\n') || '[message]', meta: 'injected' });
    default:
      to.unknown(`message/${text(message.role)}`);
      note(entry, to, `[message of ${text(message.role)}]`);
  }
}

function blocksOf(message: JsonObject): Json[] {
  return typeof message.content === 'string' ? [message.content] : list(message.content);
}

function blockText(block: Json): string {
  if (typeof block === 'string') return withoutDataUrls(block);
  const value = object(block);
  if (value?.type === 'image') return mediaPlaceholder('image', word(value.mimeType), text(value.data));
  return withoutDataUrls(text(value?.text));
}

function readUser(message: JsonObject, entry: Entry, to: RecordSink): void {
  const blocks = blocksOf(message);
  const said = blocks.filter((block) => object(block)?.type !== 'image').map(blockText).filter((part) => part !== '').join('\n');
  const images = blocks.filter((block) => object(block)?.type === 'image').map(blockText);
  if (said !== '') readTyped(said, entry, to);
  // A picture beside a text stands by itself, so that the prompt stays as it was typed.
  for (const image of images) to.turn(said === '' ? { ...entry, class: 'USER', text: image } : { ...entry, class: 'OTHER', text: image, meta: 'attachment' });
  if (said === '' && images.length === 0) note(entry, to, '[user message without text]');
}

function readTyped(said: string, entry: Entry, to: RecordSink): void {
  const skill = SKILL.exec(said);
  const end = skill === null ? -1 : said.indexOf(SKILL_END, skill[0].length - 1);
  if (skill !== null && end >= 0) {
    const words = said.slice(end + SKILL_END.length).trim();
    to.turn({ ...entry, class: 'USER', text: `/skill:${skill[1] ?? ''}${words === '' ? '' : ` ${words}`}` });
    to.turn({ ...entry, class: 'OTHER', text: said.slice(0, end + SKILL_END.length), meta: 'expanded' });
    return;
  }
  for (const piece of splitInjected(said)) to.turn({ ...entry, ...(piece.meta === undefined ? { class: 'USER', text: piece.text } : { class: 'OTHER', text: piece.text, meta: piece.meta }) });
}

function readAssistant(message: JsonObject, entry: Entry, to: RecordSink): void {
  to.facts(defined<SessionFacts>({ model: word(message.model) }));
  countTokens(message.usage, entry, to);
  let turns = 0;
  for (const block of list(message.content)) {
    const draft = assistantTurn(object(block) ?? {}, to);
    if (draft === undefined || draft.text === '') continue;
    to.turn({ ...entry, ...draft });
    turns += 1;
  }
  // A request that failed or was stopped is stored as an answer without content.
  const reason = text(message.errorMessage);
  if (message.stopReason === 'error') to.turn({ ...entry, class: 'OTHER', text: reason || '[error]', meta: 'api-error' });
  else if (message.stopReason === 'aborted') to.turn({ ...entry, class: 'OTHER', text: `[aborted] ${reason}`.trim(), meta: 'interrupted' });
  else if (turns === 0) note(entry, to, '[answer without text]');
}

function assistantTurn(block: JsonObject, to: RecordSink): Omit<TurnDraft, 'ts'> | undefined {
  switch (block.type) {
    case 'text':
      return { class: 'AGENT', text: withoutDataUrls(text(block.text)) };
    case 'thinking':
      return { class: 'THOUGHT', text: text(block.thinking) || (block.redacted === true ? '[redacted thinking]' : '') };
    case 'toolCall': {
      const tool = text(block.name);
      return defined<Omit<TurnDraft, 'ts'>>({
        class: 'TOOL', text: withoutDataUrls(`tool_use ${tool} ${jsonText(block.arguments ?? {})}`), kind: 'call', tool: word(tool), call: word(block.id), effect: effectOf(tool),
      });
    }
    case 'image':
      return { class: 'AGENT', text: blockText(block) };
    default:
      to.unknown(`block/${text(block.type)}`);
      return undefined;
  }
}

function readResult(message: JsonObject, entry: Entry, to: RecordSink): void {
  const body = blocksOf(message).map(blockText).join('\n');
  const failed = message.isError === true;
  const exit = failed && message.toolName === 'bash' ? EXIT.exec(body.slice(-80))?.[1] : undefined;
  to.turn(defined<TurnDraft>({
    ...entry, class: 'TOOL', text: body === '' ? '(no output)' : body, kind: 'result', tool: word(message.toolName), call: word(message.toolCallId),
    ok: failed ? false : message.isError === false ? true : undefined, exit: exit === undefined ? undefined : Number(exit),
  }));
}

/** `!command` and, kept from the model, `!!command`: the person's own, no prompt and no call of the agent. */
function readShell(message: JsonObject, entry: Entry, to: RecordSink): void {
  to.turn({ ...entry, class: 'OTHER', text: `${message.excludeFromContext === true ? '!!' : '!'}${text(message.command)}`, meta: 'user-command' });
  const exit = finite(message.exitCode);
  const ended = message.cancelled === true ? '[cancelled]' : exit === undefined || exit === 0 ? '' : `[exit ${exit}]`;
  const output = [text(message.output), ended].filter((part) => part.trim() !== '').join('\n');
  to.turn({ ...entry, class: 'OTHER', text: output, meta: 'command-output' });
}

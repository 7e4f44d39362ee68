/** Records with a message: what was typed, what the agent said and called, what its tools gave back. */
import type { RecordSink } from '../../adapter.mts';
import { effectOf } from '../../effects.mts';
import { withoutDataUrls } from '../../media.mts';
import type { JsonObject, Tokens, TurnDraft } from '../../turn.mts';
import { defined, finite, object, text, word } from '../../fields.mts';
import { isError, isShell, responseText, shellOutcome, type Outcome } from '../gemini/outcome.mts';
import { partsOf, partText } from '../gemini/parts.mts';
import { typedPieces } from '../gemini/typed.mts';
import { turnOf, type Link } from './link.mts';

/** User records that the client itself marks as its own. */
const INJECTED = new Map([['notification', 'notification'], ['cron', 'notification'], ['goal_runtime', 'continue']]);

export function readUser(record: JsonObject, link: Link, to: RecordSink): void {
  const parts = partsOf(object(record.message)?.parts);
  const subtype = text(record.subtype);
  const meta = INJECTED.get(subtype) ?? (isTyped(record) ? undefined : 'injected');
  if (meta !== undefined) {
    to.turn(turnOf(link, 'OTHER', parts.map(partText).join('') || `[user record ${subtype}]`, meta));
    return;
  }
  let turns = 0;
  for (const piece of typedPieces(parts, word(object(record.systemPayload)?.displayText))) {
    turns++;
    if (piece.meta !== undefined) to.turn(turnOf(link, 'OTHER', piece.text, piece.meta));
    // Nobody types into a sub-agent: its user is the agent that called it.
    else to.turn(link.side === undefined ? turnOf(link, 'USER', piece.text) : turnOf(link, 'OTHER', piece.text, 'task'));
  }
  // A link without a turn would be a hole in the chain of parents.
  if (turns === 0) to.turn(turnOf(link, 'OTHER', '[user record without text]', 'placeholder'));
}

/** Clients that do not say where a record comes from write nothing else in the user's role without a subtype. */
function isTyped(record: JsonObject): boolean {
  return record.provenance === undefined || record.provenance === 'real_user';
}

export function readAssistant(record: JsonObject, link: Link, to: RecordSink): void {
  const model = word(record.model);
  if (model !== undefined) to.facts({ model });
  const usage = object(record.usageMetadata);
  if (usage !== undefined && link.id !== undefined) to.usage(link.id, tokensOf(usage));

  let turns = 0;
  const give = (turn: TurnDraft): void => {
    if (turn.text === '') return;
    turns++;
    to.turn(turn);
  };
  // Parts of one answer follow each other as they were streamed: they are one turn as long as their kind stays.
  let said: TurnDraft | undefined;
  const flush = (): void => {
    if (said !== undefined) give(said);
    said = undefined;
  };
  for (const part of partsOf(object(record.message)?.parts)) {
    const call = object(part.functionCall);
    if (call !== undefined) {
      flush();
      give(callTurn(call, link));
      continue;
    }
    const isThought = part.thought === true;
    const body = isThought ? text(part.text) : partText(part);
    if (said?.class === (isThought ? 'THOUGHT' : 'AGENT')) said.text += body;
    else {
      flush();
      said = turnOf(link, isThought ? 'THOUGHT' : 'AGENT', body);
    }
  }
  flush();
  if (turns === 0) to.turn(turnOf(link, 'OTHER', '[assistant record without text]', 'placeholder'));
}

function callTurn(call: JsonObject, link: Link): TurnDraft {
  const tool = text(call.name);
  const body = withoutDataUrls(`function_call ${tool} ${JSON.stringify(call.args ?? {})}`);
  return defined<TurnDraft>({ ...turnOf(link, 'TOOL', body), kind: 'call', tool: word(tool), call: word(call.id), effect: effectOf(tool) });
}

export function readResult(record: JsonObject, link: Link, to: RecordSink): void {
  const outer = object(record.toolCallResult) ?? {};
  const responses = partsOf(object(record.message)?.parts).flatMap((part) => object(part.functionResponse) ?? []) as JsonObject[];
  for (const response of responses.length === 0 ? [{}] : responses) {
    const said = withoutDataUrls(responseText(response)) || shownText(outer);
    const tool = word(response.name);
    to.turn(defined<TurnDraft>({
      ...turnOf(link, 'TOOL', said === '' ? '(no output)' : said),
      kind: 'result',
      tool,
      call: word(response.id) ?? word(outer.callId),
      ...outcome(outer, response, tool ?? '', said),
      meta: outer.status === 'cancelled' ? 'cancelled' : undefined,
    }));
  }
}

/** The status of the client, the exit code of its shell, and what stands in the text of clients that kept neither. */
function outcome(outer: JsonObject, response: JsonObject, tool: string, said: string): Outcome {
  const shown = object(outer.resultDisplay);
  const stated = shown?.type === 'shell_result' ? finite(shown.exitCode) : undefined;
  const read: Outcome = stated !== undefined ? { ok: stated === 0, exit: stated } : isShell(tool) ? shellOutcome(said, shown?.output) : {};
  if (outer.status === 'error' || outer.status === 'cancelled' || isError(response)) return { ...read, ok: false };
  return { ...(outer.status === 'success' ? { ok: true } : {}), ...read };
}

function shownText(outer: JsonObject): string {
  return text(outer.resultDisplay) || text(object(outer.resultDisplay)?.text);
}

function tokensOf(usage: JsonObject): Tokens {
  return defined<Tokens>({
    input: finite(usage.promptTokenCount),
    output: finite(usage.candidatesTokenCount),
    cache_read: finite(usage.cachedContentTokenCount),
    reasoning: finite(usage.thoughtsTokenCount),
  });
}

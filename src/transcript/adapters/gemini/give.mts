/** Turns out of the messages of a session. A message keeps its id; `part` counts within it, for each kind of turn by itself. */
import type { RecordSink } from '../../adapter.mts';
import { withoutDataUrls } from '../../media.mts';
import type { JsonObject, SessionFacts, Tokens, TurnClass } from '../../turn.mts';
import { defined, finite, text } from '../../fields.mts';
import { giveCall } from './calls.mts';
import type { Entry, Message } from './history.mts';
import { contentText, partsOf, thoughtTexts } from './parts.mts';
import { typedPieces } from './typed.mts';

/** `subagent`: what stands in the user's role is its parent's task. */
export function giveEntry(entry: Entry, subagent: boolean, to: RecordSink): void {
  if ('rewound' in entry) {
    to.turn({ class: 'OTHER', ts: '', id: `#${entry.position}`, text: `Rewound: ${entry.rewound} prompts taken back`, meta: 'rolled-back' });
    return;
  }
  switch (entry.type) {
    case 'user':
      giveUser(entry, subagent, to);
      break;
    case 'gemini':
      giveAgent(entry, to);
      break;
    case 'info':
    case 'warning':
    case 'error':
      other(entry, contentText(entry.content), noteMeta(entry), to);
      break;
    default:
      to.unknown(entry.type === '' ? '(message without type)' : entry.type);
      other(entry, contentText(entry.content), 'unknown-record', to);
  }
  entry.calls.forEach((call, part) => giveCall(call, { id: entry.id, ts: entry.ts, part }, to));
}

function giveUser(message: Message, subagent: boolean, to: RecordSink): void {
  const pieces = typedPieces(partsOf(message.content), message.shown === undefined ? undefined : contentText(message.shown));
  const next = { USER: 0, OTHER: 0 };
  for (const piece of pieces) {
    let { meta } = piece;
    if (meta === 'environment') to.facts(defined<SessionFacts>({ cwd: workspace(piece.text) }));
    if (meta === undefined && message.origin !== 'said') {
      if (message.origin === 'copy') continue;
      meta = 'rewritten';
    }
    if (meta === undefined && subagent) meta = 'task';
    const name: TurnClass = meta === undefined ? 'USER' : 'OTHER';
    to.turn({ class: name, ts: message.ts, id: message.id, part: next[name]++, text: piece.text, ...(meta === undefined ? {} : { meta }) });
  }
}

function giveAgent(message: Message, to: RecordSink): void {
  const { id, ts } = message;
  const said = contentText(message.content);
  if (message.origin !== 'said') {
    if (message.origin === 'rewritten') other(message, said, 'rewritten', to);
    return;
  }
  if (message.model !== undefined) to.facts({ model: message.model });
  if (message.tokens !== undefined) to.usage(id, tokensOf(message.tokens));
  const thoughts = message.thoughts.length > 0 ? message.thoughts.map(thoughtText) : thoughtTexts(message.content);
  thoughts.forEach((thought, part) => to.turn({ class: 'THOUGHT', ts, id, part, text: thought }));
  to.turn({ class: 'AGENT', ts, id, part: 0, text: said });
}

function other(message: Message, said: string, meta: string, to: RecordSink): void {
  to.turn({ class: 'OTHER', ts: message.ts, id: message.id, part: 0, text: withoutDataUrls(said), meta });
}

function noteMeta(message: Message): string {
  if (message.type === 'error') return 'api-error';
  return contentText(message.content).startsWith('Request cancelled') ? 'interrupted' : message.type;
}

function thoughtText(thought: JsonObject): string {
  return [text(thought.subject), text(thought.description)].filter((piece) => piece !== '').join('\n');
}

function tokensOf(tokens: JsonObject): Tokens {
  return defined<Tokens>({ input: finite(tokens.input), output: finite(tokens.output), cache_read: finite(tokens.cached), reasoning: finite(tokens.thoughts) });
}

const WORKSPACE = /\n- \*\*Workspace Directories:\*\*\n {1,8}- ([^\n]{1,4096})/;

/** The folder in which the session was begun is the first that its opening context names. */
function workspace(context: string): string | undefined {
  return WORKSPACE.exec(context.slice(0, 8192))?.[1]?.trim();
}

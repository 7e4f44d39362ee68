/**
 * A session that began from another handoff. What it read there is second-hand: nobody saw it happen in this record, so the
 * goal is kept word for word and every claim is marked as carried over.
 */
import { head, own, tail } from './text.mts';
import type { InheritedRow } from './digest.mts';
import type { Turn } from '../transcript/turn.mts';

/** A handoff that is read later than this many prompts is something that the session looked at, not where it began. */
const LAST_PROMPT = 2;
/** The same in turns: a session may work for days on one prompt. */
const LAST_TURN = 400;
const LOOK = 128 * 1024;
const OBJECTIVE_LENGTH = 4_000;
const STATE_LENGTH = 400;

export interface Inherited {
  /** `prompts`: how many were typed so far, this turn's included; `edited`: whether the session changed a file by now. */
  look(turn: Turn, prompts: number, edited: boolean): void;
  row(): InheritedRow | undefined;
}

export function createInherited(): Inherited {
  let found: InheritedRow | undefined;
  let looked = 0;
  return {
    look(turn, prompts, edited) {
      if (looked >= LAST_TURN) return;
      looked++;
      if (found !== undefined || edited || prompts > LAST_PROMPT || turn.kind === 'call' || turn.class === 'AGENT') return;
      const text = turn.text.length > LOOK ? turn.text.slice(0, LOOK) : turn.text;
      const row = text.includes('## Objective (verbatim)') ? ofBrief(turn.seq, text) : /"(?:evidence_class|handoff_id)"/.test(text) ? ofJson(turn.seq, text) : undefined;
      if (row !== undefined) found = row;
    },
    row: () => found,
  };
}

/** Reading tools put a number before each line. */
function unnumbered(text: string): string[] {
  return text.split('\n').map((line) => line.replace(/^ {0,8}\d{1,7}(?:→|\t|[:|] ?)/, '').replace(/\r$/, ''));
}

function ofBrief(seq: number, text: string): InheritedRow | undefined {
  const lines = unnumbered(text);
  const title = lines.find((line) => line.includes('# Handoff: '));
  // A document that only speaks of briefs has the one heading or the other.
  if (title === undefined) return undefined;
  const name = lines.map((line) => /^\*session-id: (.{1,200})\*$/.exec(line)?.[1]).find((id) => id !== undefined) ?? title.slice(title.indexOf('# Handoff: ') + '# Handoff: '.length);
  return row(seq, name.replace(/\\([\\|`<>#[\]!(-])/g, '$1'), quoted(lines, '## Objective (verbatim)'), quoted(lines, '## State right now (verbatim tail)'));
}

/** What the fence under `heading` holds; older briefs quote without a fence, up to the next heading. */
function quoted(lines: readonly string[], heading: string): string | undefined {
  const at = lines.findIndex((line) => line.endsWith(heading));
  if (at < 0) return undefined;
  const rest = lines.slice(at + 1);
  const start = rest.findIndex((line) => line.trim() !== '');
  const fence = /^(`{3,})[a-z]*$/.exec(rest[start] ?? '')?.[1];
  const body = fence === undefined ? rest : rest.slice(start + 1);
  const end = body.findIndex((line) => (fence === undefined ? line.startsWith('## ') : line === fence));
  const said = body.slice(0, end < 0 ? undefined : end).join('\n').trim();
  return said === '' ? undefined : said;
}

function ofJson(seq: number, text: string): InheritedRow | undefined {
  const lines = unnumbered(text).join('\n');
  const objective = stringUnder(lines, 'objective');
  return objective === undefined ? undefined : row(seq, stringUnder(lines, 'handoff_id') ?? stringUnder(lines, 'id') ?? '', objective, stringUnder(lines, 'state_now') ?? stringUnder(lines, 'current_action'));
}

function stringUnder(json: string, key: string): string | undefined {
  const literal = new RegExp(`"${key}"\\s{0,8}:\\s{0,8}("(?:[^"\\\\]|\\\\.){0,20000}")`).exec(json)?.[1];
  try {
    return literal === undefined ? undefined : String(JSON.parse(literal));
  } catch {
    return undefined;
  }
}

function row(seq: number, session: string, objective: string | undefined, state: string | undefined): InheritedRow {
  return {
    seq,
    ...(session.trim() === '' ? {} : { session: own(head(session.trim(), 200)) }),
    ...(objective === undefined ? {} : { objective: own(head(objective, OBJECTIVE_LENGTH)) }),
    ...(state === undefined ? {} : { state: own(tail(state, STATE_LENGTH)) }),
  };
}

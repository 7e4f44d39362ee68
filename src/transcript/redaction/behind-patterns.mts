/**
 * The config's own patterns, behind the adapter: they go over the words that it gives. What tells turns apart and what
 * kind they are (class, time, ids, our `meta`) stays, whatever a pattern matches, since a turn would be lost or doubled.
 */
import type { RecordSink } from '../adapter.mts';
import { CALL_LEAD, type SessionFacts, type TurnDraft } from '../turn.mts';
import type { CustomPatterns } from './custom.mts';

/** The facts that are ids: of this session, and of others. */
const IDS: ReadonlySet<keyof SessionFacts> = new Set(['uuid', 'parent_session']);

/** A sink that gives everything on to `to`, words without what the patterns match. Throws CONFIG at their time limit. */
export function behindPatterns(to: RecordSink, patterns: CustomPatterns, counts: Record<string, number>): RecordSink {
  const turn = (draft: TurnDraft): TurnDraft => {
    const clean = { ...draft, text: textOf(draft, patterns, counts) };
    if (draft.tool !== undefined) clean.tool = patterns.text(draft.tool, counts);
    return clean;
  };
  const facts = (said: SessionFacts): SessionFacts => {
    const clean: SessionFacts = {};
    for (const [key, value] of Object.entries(said) as [keyof SessionFacts, SessionFacts[keyof SessionFacts]][]) {
      const kept = typeof value !== 'string' ? value : IDS.has(key) ? patterns.id(value, counts) : patterns.text(value, counts);
      Object.assign(clean, { [key]: kept });
    }
    if (clean.fork !== undefined) clean.fork = { ...clean.fork, of: patterns.id(clean.fork.of, counts), by: patterns.id(clean.fork.by, counts) };
    return clean;
  };
  return {
    turn: (draft) => to.turn(turn(draft)),
    facts: (said) => to.facts(facts(said)),
    usage: (id, tokens) => to.usage(id, tokens),
    usageTotal: (tokens) => to.usageTotal(tokens),
    unknown: (type) => to.unknown(patterns.text(type, counts)),
  };
}

/** Calls, and records that no class fits, are told as JSON: there the words are its strings, as the patterns were meant. */
function textOf({ class: is, kind, text, tool }: TurnDraft, patterns: CustomPatterns, counts: Record<string, number>): string {
  if (kind !== 'call' && is !== 'OTHER') return patterns.text(text, counts);
  const lead = kind === 'call' ? CALL_LEAD.exec(text)?.[0] ?? '' : '';
  const said = text.slice(lead.length);
  // A tool's name may have a bracket in it.
  const behind = kind === 'call' && tool !== undefined && said.startsWith(`${tool} `) ? tool.length + 1 : 0;
  const found = said.slice(behind).search(/(?<=^| )[{[]/);
  const at = behind + found;
  if (found < 0 || !isJson(said.slice(at))) return lead + patterns.text(said, counts);
  const name = at === 0 ? '' : `${patterns.text(said.slice(0, at - 1), counts)} `;
  return lead + name + patterns.json(said.slice(at), counts, kind !== 'call');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

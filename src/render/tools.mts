/** TOOLS.md, one entry a tool turn, and the rules that keep some outputs out of it and out of `tool_calls[]`. */
import { readCall } from './calls.mts';
import { globMatches } from './globs.mts';
import { fenceFor, head, inline } from './text.mts';
import type { ToolOutputRules } from './view.mts';
import type { Turn } from '../transcript/turn.mts';

export interface ToolsWriter {
  /** One TOOL turn as a section, ending with an empty line; in pieces, since joining them would copy each text once more. */
  entry(turn: Turn): readonly [title: string, text: string, end: string];
  footer(total: number): string;
  /** The turn as the rules leave it; `turn` itself where they change nothing. Turns are given in order, each once. */
  filteredTool(turn: Turn): Turn;
  /** No rule is set: every turn passes as it is. */
  readonly isIdentity: boolean;
}

/** The head of the file; the total stands in the footer, since the file is written as a stream. */
export function toolsHeader(session: string): string {
  return `# Tool calls: ${inline(session, 200)}\n\nEvery tool turn in order, verbatim. It is a record, not an instruction.\n\n`;
}

const DEFAULT_LENGTH = 10_000;
const MAX_OPEN = 10_000;

/** A writer for one pass over a session's TOOL turns. */
export function createToolsWriter(rules: ToolOutputRules = {}): ToolsWriter {
  const patterns = rules.exclude_patterns ?? [];
  const limit = limitOf(rules);
  const none = rules.include_tool_outputs === false;
  const isIdentity = patterns.length === 0 && limit === Infinity && !none;
  /** Calls whose target a pattern matched, until their results have passed. */
  const excluded = new Map<string, string>();

  function filteredTool(turn: Turn): Turn {
    if (isIdentity || turn.class !== 'TOOL') return turn;
    if (turn.kind === 'call') {
      noteCall(turn);
      return turn;
    }
    const pattern = turn.call === undefined ? undefined : excluded.get(turn.call);
    if (pattern !== undefined) return { ...turn, text: `[output left out: its target matches capture.exclude_patterns ${JSON.stringify(pattern)}]` };
    if (none) return { ...turn, text: '[output left out: capture.include_tool_outputs is false]' };
    if (turn.text.length <= limit) return turn;
    const kept = head(turn.text, limit);
    return { ...turn, text: `${kept}\n[${turn.text.length - kept.length} of ${turn.text.length} characters left out: capture.max_tool_output_length]` };
  }

  function noteCall(turn: Turn): void {
    if (patterns.length === 0 || turn.call === undefined) return;
    const says = readCall(turn);
    const targets = [says.target, ...says.commands, ...says.changes.map((change) => change.path)];
    const pattern = patterns.find((glob) => targets.some((target) => globMatches(glob, target)));
    if (pattern === undefined) excluded.delete(turn.call);
    else excluded.set(turn.call, pattern);
    for (const oldest of excluded.keys()) {
      if (excluded.size <= MAX_OPEN) break;
      excluded.delete(oldest);
    }
  }

  return {
    isIdentity,
    filteredTool,
    entry(turn) {
      const text = filteredTool(turn).text.toWellFormed();
      const fence = fenceFor(text);
      const place = turn.part === undefined ? `${turn.seq}` : `${turn.seq}.${turn.part}`;
      const end = turn.exit === undefined ? (turn.ok === false ? 'failed' : undefined) : `exit ${turn.exit}`;
      let title = '';
      for (const word of [turn.ts, turn.tool, turn.kind, end]) if (word !== undefined && word !== '') title += ` ${inline(word, 80)}`;
      return [`## [${place}] ${title.slice(1)}\n\n${fence}text\n`, text, `${text.endsWith('\n') ? '' : '\n'}${fence}\n\n`];
    },
    footer: (total) => `Total: ${total}\n`,
  };
}

function limitOf(rules: ToolOutputRules): number {
  if (rules.truncate_tool_outputs === false) return Infinity;
  if (rules.max_tool_output_length !== undefined) return rules.max_tool_output_length;
  return rules.truncate_tool_outputs === true ? DEFAULT_LENGTH : Infinity;
}

/**
 * Shell blocks of a document that are run. A comment above the fence says so:
 *   <!-- runnable -->            every command ends with 0
 *   <!-- runnable: exit 6 -->    the last one ends with 6
 *   <!-- output -->              this block is what the runnable block before it printed
 * The blocks of one document run in order in one shell, so that a later one finds what an earlier one made.
 */
import { spawnSync } from 'node:child_process';

export interface Block {
  /** The line of the fence, from 1. */
  line: number;
  body: string;
  /** How many lines stand between the fences. */
  lines: number;
  mark: { kind: 'runnable'; exit: number } | { kind: 'output' } | undefined;
}

/** Every fenced block, with the mark on the line above it where there is one. */
export function blocksOf(text: string): Block[] {
  const lines = text.split('\n');
  const found: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const fence = /^(`{3,})/.exec(lines[at] ?? '')?.[1];
    if (fence === undefined) continue;
    const end = lines.indexOf(fence, at + 1);
    if (end < 0) throw new Error(`the fence of line ${at + 1} is never closed`);
    found.push({ line: at + 1, body: lines.slice(at + 1, end).join('\n'), lines: end - at - 1, mark: markOf(lines[at - 1] ?? '') });
    at = end;
  }
  return found;
}

function markOf(line: string): Block['mark'] {
  const runnable = /^<!-- runnable(?:: exit (\d+))? -->$/.exec(line);
  if (runnable !== null) return { kind: 'runnable', exit: Number(runnable[1] ?? 0) };
  if (line === '<!-- output -->') return { kind: 'output' };
  // A mark that is written wrongly must not make a block pass unseen.
  if (/^<!--\s*(runnable|output)/.test(line)) throw new Error(`not a mark that is known: ${line}`);
  return undefined;
}

/** The commands of a block: a line each, with what belongs to it (line continuations, here-documents, loops). */
export function commandsOf(body: string): string[] {
  if (/^\s*(for|while|if|case)\b/m.test(body)) return [body];
  const commands: string[] = [];
  let until: string | undefined;
  let open = false;
  for (const line of body.split('\n')) {
    if (until !== undefined || open) commands[commands.length - 1] += `\n${line}`;
    else if (line.trim() === '' || line.startsWith('#')) continue;
    else commands.push(line);
    if (until === undefined) until = /<<-?\s*'?(\w+)'?/.exec(line)?.[1];
    else if (line.trim() === until) until = undefined;
    open = until === undefined && line.endsWith('\\');
  }
  return commands;
}

export interface Ran {
  block: Block;
  /** What the block printed, on both streams, in order. */
  output: string;
  /** `command: what` for each command that did not end as it should. */
  wrong: string[];
}

const MARK = '@@agents-handoff@@';

/** Runs the runnable blocks among `blocks` in one shell. `env` is all the environment that it gets. */
export function runBlocks(blocks: readonly Block[], cwd: string, env: NodeJS.ProcessEnv): Ran[] {
  const runnable = blocks.filter(({ mark }) => mark?.kind === 'runnable');
  const script = ['exec 2>&1', ...runnable.flatMap(({ body }) => [`printf '\\n${MARK} block\\n'`, ...commandsOf(body).flatMap((command) => [command, `printf '\\n${MARK} %s\\n' $?`])])].join('\n');
  const { stdout, stderr, error } = spawnSync('sh', ['-s'], { cwd, env, input: `${script}\n`, encoding: 'utf8', maxBuffer: 1 << 26 });
  if (error !== undefined) throw error;
  const parts = stdout.split(`\n${MARK} block\n`).slice(1);
  if (parts.length !== runnable.length) throw new Error(`the shell ended after ${parts.length} of ${runnable.length} blocks: ${stderr}`);
  return runnable.map((block, at) => {
    const pieces = (parts[at] ?? '').split(new RegExp(`\\n${MARK} (\\d+)\\n`));
    const output = pieces.filter((_, index) => index % 2 === 0).join('');
    const statuses = pieces.filter((_, index) => index % 2 === 1).map(Number);
    const commands = commandsOf(block.body);
    const last = commands.length - 1;
    const expected = (index: number): number => (index === last && block.mark?.kind === 'runnable' ? block.mark.exit : 0);
    const wrong = commands.flatMap((command, index) => (statuses[index] === expected(index) ? [] : [`${command}: exit ${statuses[index] ?? 'unknown'}, not ${expected(index)}\n${output}`]));
    return { block, output, wrong };
  });
}

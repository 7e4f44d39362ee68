/**
 * The shape of a file without loading every adapter: most transcripts are Claude Code's or Codex's, and a build that has
 * little to do must not pay for ten others. Where all whole records of the head are of one of these two, the answer is
 * the one that detect.mts would give; else detect.mts is asked.
 */
import type { LineAdapter } from './adapter.mts';
import type { Shape } from './detect.mts';
import { recordIn } from './fields.mts';
import type { JsonObject } from './turn.mts';

/** A key that a record of the harness has; the adapter itself then judges every record. */
const COMMON: readonly { sign: string; load: () => Promise<LineAdapter> }[] = [
  { sign: '"sessionId":', load: async () => (await import('./adapters/claude-code.mts')).claudeCode },
  { sign: '"payload":', load: async () => (await import('./adapters/codex.mts')).codex },
];

/** What detectShape gives for the same head and path. */
export async function shapeOf(head: Buffer, path: string): Promise<Shape> {
  return (await common(head, path)) ?? (await import('./detect.mts')).detectShape(head, path);
}

async function common(head: Buffer, path: string): Promise<Shape | undefined> {
  if (head[0] !== 0x7b) return undefined;
  const lines = head.toString('utf8').split('\n').filter((line) => line.trim() !== '');
  const found = COMMON.find(({ sign }) => lines[0]?.includes(sign));
  if (found === undefined) return undefined;
  const records: JsonObject[] = [];
  for (const [at, line] of lines.entries()) {
    const record = recordIn(line);
    if (record !== undefined) records.push(record);
    // Only the last line may be cut, by the end of the head or of the file.
    else if (at < lines.length - 1) return undefined;
  }
  const adapter = await found.load();
  if (records.length === 0 || !records.every((record) => adapter.recognises(record))) return undefined;
  return { kind: 'lines', adapter: adapter.variant?.({ path, records }) ?? adapter, records };
}

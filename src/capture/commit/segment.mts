/** What a revision appends: turns to timeline.jsonl, and the row over exactly these bytes to chain.jsonl. */
import fs from 'node:fs';
import { sync, syncSoon, writeAll, type Pending } from '../../lib/fs/files.mts';
import { createTextBuffer } from '../../lib/fs/text-buffer.mts';
import type { Rollback } from '../../lib/fs/rollback.mts';
import { hasher } from '../../lib/hash-chain.mts';
import { chainRow, type ChainRow } from '../../store/chain.mts';
import type { SessionPaths } from '../../store/layout.mts';
import { readTurns, timelineLine } from '../../store/timeline.mts';
import type { Turn } from '../../transcript/turn.mts';
import type { BaseLine } from './base-line.mts';
import { openAppend } from './commit.mts';

export interface Segment {
  append(turn: Turn): void;
  /** How many turns the timeline has with each `seq`, those of this segment included. */
  usedParts(): Map<number, number>;
  /** Writes all and begins to sync it; appends the chain's rows where there is something to cover; gives the chain's head. */
  close(row: Pick<ChainRow, 'revision' | 'at' | 'turns' | 'raw_sha256'>): string;
  /** Resolves when the timeline is durable; the system writes it out while the renders are made. */
  settled(): Pending;
  /** Bytes of the timeline, this segment included. */
  readonly bytes: number;
}

/** `onWritten` is told the timeline's length whenever whole lines were added to the file. */
export function openSegment(paths: SessionPaths, base: BaseLine, rollback: Rollback, onWritten: (bytes: number) => void): Segment {
  const { fd, close } = openAppend(paths.timeline, base.timelineBytes, rollback);
  const hash = hasher();
  let { timelineBytes: bytes } = base;
  const out = createTextBuffer((chunk) => {
    hash.update(chunk);
    writeAll(fd, chunk);
    bytes += chunk.length;
    if (chunk.length > 1) onWritten(bytes);
  });
  let begun = base.ended;
  let synced: Pending | undefined;

  return {
    append(turn) {
      // A timeline of 2.0.x may lack its last line's end: the segment begins with it.
      if (!begun) out.add('\n');
      begun = true;
      out.line(timelineLine(turn));
    },
    usedParts() {
      out.flush();
      const used = new Map<number, number>();
      for (const turn of readTurns(paths.timeline, bytes)) used.set(turn.seq, Math.max(used.get(turn.seq) ?? 0, (turn.part ?? 0) + 1));
      return used;
    },
    close(row) {
      out.flush();
      const rows: ChainRow[] = base.foreign === undefined ? [] : [chainRow(base.foreign)];
      let head = rows.at(-1)?.head ?? base.chainHead;
      if (bytes > base.timelineBytes) {
        const { revision, at, turns, raw_sha256 } = row;
        rows.push(chainRow({ revision, at, turns, bytes, raw_sha256, segment_sha256: hash.digest('hex'), prev: head }));
        head = rows.at(-1)?.head ?? head;
      }
      appendChain(paths, base, rows, rollback);
      // After the chain, whose sync would else wait for the timeline's.
      synced = syncSoon(fd);
      return head;
    },
    async settled() {
      await synced;
      close();
    },
    get bytes() {
      return bytes;
    },
  };
}

function appendChain(paths: SessionPaths, base: BaseLine, rows: readonly ChainRow[], rollback: Rollback): void {
  if (rows.length === 0 && fs.existsSync(paths.chain)) return;
  const { fd, close } = openAppend(paths.chain, base.chainBytes, rollback);
  writeAll(fd, Buffer.from((base.chainEnded ? '' : '\n') + rows.map((row) => `${JSON.stringify(row)}\n`).join('')));
  sync(fd);
  close();
}

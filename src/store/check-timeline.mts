/** timeline.jsonl and chain.jsonl against the manifest. */
import fs from 'node:fs';
import { openFile } from '../lib/fs/files.mts';
import { readBytes } from '../lib/fs/lines.mts';
import { hasher } from '../lib/hash-chain.mts';
import { readChain, type ChainRow } from './chain.mts';
import type { AtWork } from './checker.mts';
import { lineEndsAsLf } from './check-payload.mts';
import { fail, type Finding } from './findings.mts';
import type { SessionPaths } from './layout.mts';
import { isSealed, type Manifest } from './manifest.mts';
import { turnCounter } from './timeline.mts';

/** Reads both files once. `atWork`: what the session's lock says of bytes that are not committed yet. `onBytes` is told of each piece. */
export function checkTimeline(paths: SessionPaths, manifest: Manifest, atWork: AtWork | undefined, onBytes?: (bytes: number) => void): Finding[] {
  const fd = openFile(paths.timeline);
  if (fd === undefined) return [fail('timeline-missing', 'timeline.jsonl missing')];
  try {
    return check(fd, paths, manifest, atWork, onBytes);
  } finally {
    fs.closeSync(fd);
  }
}

function check(fd: number, paths: SessionPaths, manifest: Manifest, atWork: AtWork | undefined, onBytes?: (bytes: number) => void): Finding[] {
  const { size } = fs.fstatSync(fd);
  const sealed = isSealed(manifest);
  const committed = sealed ? manifest.seal.timeline_bytes : atWork?.before === true ? Math.min(size, atWork.timelineBytes) : size;
  const chain = sealed ? readChain(paths.chain, manifest.seal.chain_head) : undefined;
  const sums = walk(fd, Math.min(size, committed), chain?.rows ?? [], false, onBytes);
  const damaged = chain?.rows.find((row, at) => sums.segments[at] !== row.segment_sha256);
  // A checkout that converted line ends changed every length and hash, and no turn.
  if (sealed && (size !== committed || damaged !== undefined) && isConverted(fd, size, chain?.rows ?? [])) {
    return [fail('line-ends', 'timeline.jsonl differs only in its line ends (a checkout converted them; `handoff config --init-git` keeps git from it, and docs/COMPATIBILITY.md, "Line ends", puts it right)')];
  }
  // Longer is no fault while a build is at work, or was interrupted, behind the committed end.
  const tailNamed = atWork !== undefined && (atWork.before ? atWork.timelineBytes === committed : true);
  const findings: Finding[] = [];
  if (sums.turns !== manifest.turn_count) {
    findings.push(fail('turn-drift', `turn count drift (${sums.turns} vs manifest ${manifest.turn_count})`, manifest.turn_count, sums.turns));
  } else if (size < committed || (size > committed && !tailNamed)) {
    findings.push(fail('timeline-length', `timeline.jsonl has ${size} bytes, ${committed} were committed`, committed, size));
  } else if (damaged !== undefined) {
    const at = chain?.rows.indexOf(damaged) ?? 0;
    findings.push(fail('chain-segment', `the turns that revision ${damaged.revision} appended are not the ones that it sealed (chain broken)`, damaged.segment_sha256, sums.segments[at]));
  }
  if (sealed && findings.length === 0 && (chain?.whole !== true || (chain.rows.at(-1)?.bytes ?? 0) !== committed)) {
    findings.push(fail('chain-broken', 'chain.jsonl does not lead to the sealed head (chain broken)', manifest.seal.chain_head, chain?.rows.at(-1)?.head));
  }
  // A negative number is a last row whose line end is missing.
  if (sealed && findings.length === 0 && chain !== undefined && chain.beyond > 0 && !tailNamed) {
    findings.push(fail('chain-length', `chain.jsonl has ${chain.bytes + chain.beyond} bytes, ${chain.bytes} were committed`, chain.bytes, chain.bytes + chain.beyond));
  }
  return findings;
}

interface Sums {
  turns: number;
  /** How many bytes were seen, as they were read. */
  bytes: number;
  /** One hash a row, over the bytes that the row covers. */
  segments: string[];
}

/** Counts turns and hashes the chain's segments in one pass; `convert` reads CRLF as LF. */
function walk(fd: number, bytes: number, rows: readonly ChainRow[], convert: boolean, onBytes?: (bytes: number) => void): Sums {
  const counter = turnCounter();
  const segments: string[] = [];
  let hash = hasher();
  let at = 0;
  const take = (chunk: Buffer): void => {
    counter.feed(chunk);
    onBytes?.(chunk.length);
    let from = 0;
    while (from < chunk.length) {
      const end = rows[segments.length]?.bytes ?? Infinity;
      const to = Math.min(chunk.length, from + (end - at));
      hash.update(chunk.subarray(from, to));
      at += to - from;
      from = to;
      while (segments.length < rows.length && at >= (rows[segments.length]?.bytes ?? 0)) {
        segments.push(hash.digest('hex'));
        hash = hasher();
      }
    }
  };
  readBytes(fd, 0, bytes, convert ? lineEndsAsLf(take) : take);
  return { turns: counter.count(), bytes: at, segments };
}

function isConverted(fd: number, size: number, rows: readonly ChainRow[]): boolean {
  const { segments, bytes } = walk(fd, size, rows, true);
  // Nothing may follow: bytes behind the committed end are another matter.
  return rows.length > 0 && bytes === rows.at(-1)?.bytes && rows.every((row, at) => segments[at] === row.segment_sha256);
}

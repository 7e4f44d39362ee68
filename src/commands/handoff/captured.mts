/** What the reading verbs share: a session's manifest, its committed turns, and what they come down to. */
import fs from 'node:fs';
import type { Io } from '../../lib/cli/command.mts';
import { storeHere } from '../../lib/cli/store.mts';
import { HandoffError } from '../../lib/errors.mts';
import { createReducer } from '../../render/reduce.mts';
import type { Digest } from '../../render/digest.mts';
import type { IndexRow } from '../../store/index-file.mts';
import { sessionPaths, type SessionPaths } from '../../store/layout.mts';
import { dirOf, findByPrefix } from '../../store/lookup.mts';
import { completed, isSealed, readManifest, type Manifest } from '../../store/manifest.mts';
import { readTurns } from '../../store/timeline.mts';
import type { Turn } from '../../transcript/turn.mts';

export interface Captured {
  root: string;
  row: IndexRow;
  paths: SessionPaths;
  manifest: Manifest;
  /** The committed turns: what a build at work has appended is none of them. Each call reads the timeline anew. */
  turns(): Generator<Turn, void, undefined>;
  digest(): Digest;
}

/** Throws as findByPrefix does; DAMAGED where the manifest cannot be trusted or the timeline is gone. */
export function capturedSession(io: Io, prefix: string): Captured {
  const { root } = storeHere(io);
  return captured(root, findByPrefix(root, prefix), (message) => io.progress(message));
}

/** Turns between two messages of progress. */
const STEP = 500;

/** The same for a session that was found already. */
export function captured(root: string, row: IndexRow, progress?: (message: string) => void): Captured {
  const paths = sessionPaths(dirOf(root, row));
  const read = readManifest(paths.manifest);
  if (read.state !== 'read') throw new HandoffError('DAMAGED', `the manifest of ${row.id} cannot be read: ${read.state === 'missing' ? 'it is missing' : read.reason}`);
  if (!read.sound) throw new HandoffError('DAMAGED', `the manifest of ${row.id} does not agree with its own hash`);
  const manifest = completed(read.manifest);
  const size = fs.statSync(paths.timeline, { throwIfNoEntry: false })?.size;
  if (size === undefined) throw new HandoffError('DAMAGED', `the timeline of ${row.id} is missing`);
  const turns = function* (): ReturnType<Captured['turns']> {
    let seen = 0;
    for (const turn of readTurns(paths.timeline, isSealed(manifest) ? manifest.seal.timeline_bytes : size)) {
      seen += 1;
      if (seen % STEP === 0) progress?.(`${seen} of ${manifest.turn_count} turns read`);
      yield turn;
    }
  };
  return {
    root,
    row,
    paths,
    manifest,
    turns,
    digest() {
      const { objective, fork } = manifest;
      const reducer = createReducer({
        ...(objective === undefined ? {} : { objective }),
        ...(fork?.until_seq === undefined ? {} : { replayedUntil: fork.until_seq, replayedApart: fork.apart === true }),
      });
      for (const turn of turns()) reducer.add(turn);
      return reducer.digest();
    },
  };
}

/**
 * Two files of one name (`a/notes.txt`, `b/notes.txt`) that say nothing of their session: the name alone must not make one
 * session of two conversations.
 */
import fs from 'node:fs';
import path from 'node:path';
import { HandoffError } from '../../lib/errors.mts';
import { beginAlike } from '../../lib/fs/alike.mts';
import { statOf } from '../../lib/look.mts';
import type { Manifest } from '../../store/manifest.mts';
import type { BuildRequest } from '../work.mts';
import { isNamedByFile } from './session-id.mts';
import type { Transcript } from './transcript.mts';

/** Throws USAGE where only its file's name puts the transcript into this session, whose own source is still there and another. */
export function refuseSameName({ source, path: name, facts, head }: Transcript, request: BuildRequest, manifest: Manifest): void {
  if (!isNamedByFile(source.path, facts, head, request.session)) return;
  const paths = manifest.source_paths ?? [];
  if (paths.includes(name)) return;
  const there = paths.filter((one) => path.isAbsolute(one) && statOf(one)?.isFile() === true);
  const [other] = there;
  // A copy, be it older or newer, is the same conversation.
  if (other === undefined || there.some((one) => oneBeginsTheOther(source.fd, source.size, one))) return;
  const { session } = manifest;
  throw new HandoffError('USAGE', `${name} has no id of its own, and ${session} is the session of ${other}: give it a --session of its own, or --session ${session} to make it a source of that one too`);
}

function oneBeginsTheOther(fd: number, size: number, file: string): boolean {
  let other: number;
  try {
    other = fs.openSync(file, 'r');
  } catch {
    return false;
  }
  try {
    const length = Math.min(size, fs.fstatSync(other).size);
    return length > 0 && beginAlike(fd, other, length);
  } finally {
    fs.closeSync(other);
  }
}

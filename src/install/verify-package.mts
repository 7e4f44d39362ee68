/** A copy held against what was published: the registry's hashes first, then file by file, then the hash that was recorded. */
import fs from 'node:fs';
import path from 'node:path';
import { HandoffError, errnoOf } from '../lib/errors.mts';
import { sha256 } from '../lib/hash-chain.mts';
import { readPackage } from './archive.mts';
import { fetchPackage, type FetchRequest, type Published } from './registry.mts';

export interface VerifyRequest extends FetchRequest {
  /** The copy's folder. */
  root: string;
  /** What belongs to the copy: paths below `root`, with `/`. */
  files: readonly string[];
  /** The archive's hash as the copy's record has it. */
  recordedSha256?: string;
}

/** What npm keeps for itself, and an installer may have put another one in its place. */
const NOT_OURS = new Set(['package.json']);

/**
 * Compares and tells, one line a fact, what differs. Writes nothing. Throws HandoffError where it could not look (no network, no
 * such version); an archive that is not the published one, or is hostile, is an answer.
 */
export async function verifyPackage(request: VerifyRequest): Promise<{ lines: string[]; ok: boolean }> {
  let published: Published;
  let archived: Map<string, Buffer>;
  try {
    published = await fetchPackage(request);
    archived = await readPackage(published.bytes);
  } catch (error) {
    if (error instanceof HandoffError && ['DAMAGED', 'SHAPE'].includes(error.code)) return { lines: [`archive: ${error.message}`], ok: false };
    throw error;
  }
  const lines = [`archive: ${published.archiveUrl}: ${published.checked.join(' and ')} as the registry says`];
  const { differing, compared } = compare(request, archived);
  lines.push(...differing, `files: ${compared - differing.length} of ${compared} are as published`);
  let ok = differing.length === 0;
  if (request.recordedSha256 !== undefined) {
    const same = request.recordedSha256.toLowerCase() === published.sha256;
    ok &&= same;
    lines.push(same ? `record: archive_sha256 is that of the published archive` : `record: archive_sha256 is ${request.recordedSha256}, the published archive has ${published.sha256}`);
  }
  return { lines, ok };
}

/** The files of the copy, and those of the archive that lie in it although nobody lists them: a list may have been changed too. */
function compare({ root, files }: VerifyRequest, archived: ReadonlyMap<string, Buffer>): { differing: string[]; compared: number } {
  const listed = new Set(files);
  const names = new Set([...files, ...[...archived.keys()].filter((name) => !NOT_OURS.has(name))]);
  const differing: string[] = [];
  let compared = 0;
  for (const name of [...names].sort()) {
    const content = archived.get(name);
    // A name that the archive does not have is not looked for: it may lead anywhere.
    const found = content === undefined ? 'not in the archive' : stateOf(path.join(root, ...name.split('/')), content);
    if (found === 'missing' && !listed.has(name)) continue;
    compared += 1;
    if (found !== undefined) differing.push(`${name}: ${found}`);
  }
  return { differing, compared };
}

/** How the file differs from what it should hold; undefined where it does not. */
function stateOf(file: string, content: Buffer): string | undefined {
  try {
    const stat = fs.lstatSync(file);
    if (!stat.isFile()) return stat.isSymbolicLink() ? 'a link' : 'not a file';
    if (stat.size !== content.length) return `changed (${stat.size} bytes, published ${content.length})`;
    return sha256(fs.readFileSync(file)) === sha256(content) ? undefined : 'changed';
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return 'missing';
    throw error;
  }
}

/**
 * What `verify` of 2.0.x needs of a session, written from the description of its formats and sharing nothing with our
 * own checker: a store that we write must satisfy it.
 *
 *   manifest.json parses; its `manifest_sha256` is the SHA-256 of the compact JSON of the object in its stored key order
 *   with that key removed, wherever it stood
 *   timeline.jsonl is there; the pieces between LF or CRLF that are not empty are `turn_count`, which is not 0
 *   HANDOFF.llm.json is there and is JSON
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The line that 2.0.x prints for the session in `dir`. */
export function verify2(dir: string): string {
  const id = basename(dir);
  const manifest = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')) as Record<string, unknown>;
  const stored = manifest['manifest_sha256'];
  delete manifest['manifest_sha256'];
  if (createHash('sha256').update(JSON.stringify(manifest), 'utf8').digest('hex') !== stored) return `FAIL ${id}: manifest tampered (sha mismatch)`;
  const timeline = join(dir, 'timeline.jsonl');
  if (!existsSync(timeline)) return `FAIL ${id}: timeline.jsonl missing`;
  const turns = readFileSync(timeline, 'utf8').split(/\r?\n/).filter((piece) => piece !== '').length;
  if (turns !== manifest['turn_count'] || turns === 0) return `FAIL ${id}: turn count drift (${turns} vs manifest ${String(manifest['turn_count'])})`;
  JSON.parse(readFileSync(join(dir, 'HANDOFF.llm.json'), 'utf8'));
  return `PASS ${id} [${String(manifest['project'])}]: manifest sha ok / timeline=${turns} turns / llm json parses`;
}

/**
 * The sessions that 2.0.x sees in a store, with the line that it prints for each; and what keeps it from building them
 * again: it needs an array of source paths and a number as watermark.
 */
export function verifyStore2(root: string): { line: string; rebuildable: boolean }[] {
  const projects = join(root, 'projects');
  return folders(projects).flatMap((project) => folders(join(projects, project)).map((folder) => {
    const dir = join(projects, project, folder);
    const manifest = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')) as Record<string, unknown>;
    return { line: verify2(dir), rebuildable: Array.isArray(manifest['source_paths']) && typeof manifest['watermark'] === 'number' };
  }));
}

function folders(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

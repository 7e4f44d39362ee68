/**
 * A store of thousands of sessions, made by building one a kind and copying it under other ids. The copies are
 * sealed anew, so `verify` passes on each: a store that is not sound might take another way through the program.
 */
import fs from 'node:fs';
import path from 'node:path';
import { manifestHash, sha256, ZEROS } from '../../src/lib/hash-chain.mts';

export interface Sample {
  root: string;
  project: string;
  session: string;
}

const inProject = (root: string, project: string, ...names: string[]): string => path.join(root, 'projects', project, ...names);

type Rename = (text: string) => string;

/** Copies the sample's folder; gives its row for INDEX.json and its lines for PROJECT.md. */
function copySession(sample: Sample, root: string, project: string, session: string, uuid: string): { row: object; page: string } {
  const from = inProject(sample.root, sample.project, sample.session);
  const to = inProject(root, project, session);
  fs.mkdirSync(to, { recursive: true, mode: 0o700 });
  const read = (file: string): string => fs.readFileSync(path.join(from, file), 'utf8');
  const write = (file: string, text: string): void => fs.writeFileSync(path.join(to, file), text, { mode: 0o600 });
  const old = JSON.parse(read('manifest.json'));
  const rename: Rename = (text) => text.replaceAll(sample.session, session).replaceAll(sample.project, project).replaceAll(old.uuid ?? sample.session, uuid);

  const manifest = JSON.parse(rename(read('manifest.json')));
  const blank = (file: string): string => rename(read(file)).replaceAll(old.manifest_sha256, ZEROS);
  const tools = rename(read('TOOLS.md'));
  const [brief, summary, payload] = ['HANDOFF.md', 'HANDOFF.summary.json', 'HANDOFF.llm.json'].map(blank) as [string, string, string];
  Object.assign(manifest.seal, { tools_sha256: sha256(tools), summary_sha256: sha256(summary), payload_sha256: sha256(payload) });
  manifest.manifest_sha256 = manifestHash(manifest);
  const fill: Rename = (text) => text.replaceAll(ZEROS, manifest.manifest_sha256);

  for (const file of ['timeline.jsonl', 'chain.jsonl']) write(file, read(file));
  write('TOOLS.md', tools);
  write('HANDOFF.md', fill(brief));
  write('HANDOFF.summary.json', fill(summary));
  write('HANDOFF.llm.json', fill(payload));
  write('manifest.json', JSON.stringify(manifest, null, 2));

  const rows = JSON.parse(fs.readFileSync(path.join(sample.root, 'INDEX.json'), 'utf8')) as { id: string }[];
  const row = JSON.stringify(rows.find((one) => one.id === sample.session)).replaceAll(old.manifest_sha256, manifest.manifest_sha256);
  return { row: JSON.parse(rename(row)) as object, page: rename(fs.readFileSync(inProject(sample.root, sample.project, 'PROJECT.md'), 'utf8')) };
}

/**
 * Fills `root` with `count` sessions, 200 a project. Every tenth project is made from `near`, whose objective shares
 * words with what is built later (so that the notes that link projects have something to find), the rest from `far`.
 */
export function fillStore(root: string, count: number, near: Sample, far: Sample): void {
  const index: object[] = [];
  for (let project = 0, made = 0; made < count; project++) {
    const name = `project-${String(project).padStart(3, '0')}`;
    const lines: string[] = [];
    let head = '';
    for (let i = 0; i < 200 && made < count; i++, made++) {
      const digits = String(made).padStart(5, '0');
      const copied = copySession(project % 10 === 9 ? near : far, root, name, `session-${digits}`, `00000000-0000-4000-8000-0000000${digits}`);
      index.push(copied.row);
      const page = copied.page.split('\n');
      const at = page.findIndex((line) => line.includes(`session-${digits}`));
      head = page.slice(0, at).join('\n');
      lines.push(page[at] ?? '');
    }
    fs.writeFileSync(inProject(root, name, 'PROJECT.md'), `${head}\n${lines.join('\n')}\n`, { mode: 0o600 });
  }
  fs.writeFileSync(path.join(root, 'INDEX.json'), JSON.stringify(index, null, 2), { mode: 0o600 });
}

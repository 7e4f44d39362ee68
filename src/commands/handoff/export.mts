import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { below } from '../../lib/below.mts';
import type { Command, Io, Outcome } from '../../lib/cli/command.mts';
import { HandoffError } from '../../lib/errors.mts';
import { readText, replaceFile } from '../../lib/fs/files.mts';
import { isFolder } from '../../lib/look.mts';
import { VERSION } from '../../lib/version.mts';
import { renderPage, type PageThread } from '../../render/html/page.mts';
import { portableFields } from '../../render/portable.mts';
import { splitHandoff } from '../../store/evidence.mts';
import { storePaths } from '../../store/layout.mts';
import { findExact } from '../../store/lookup.mts';
import { idInLine } from '../../store/names.mts';
import type { Manifest } from '../../store/manifest.mts';
import { captured, capturedSession, type Captured } from './captured.mts';

const flags = {
  portable: { type: 'boolean', summary: 'print one JSON document that needs no store (schemas/handoff.schema.json)' },
  html: { type: 'value', value: '<file>', summary: 'write one page that a browser shows without a network or a server' },
} as const;

export const command: Command<typeof flags> = {
  name: 'export',
  summary: 'a handoff as one document to send elsewhere; reads only',
  args: '<prefix>',
  positionals: { min: 1, max: 1 },
  flags,
  exits: { 0: 'exported', 1: 'the session is damaged, or the file system refused', 2: 'wrong words, no form was named, or the file is a folder', 3: 'the prefix is ambiguous', 4: 'nothing matches' },
  example: 'handoff export 5f0c --html handoff.html',
  run(options, [prefix], io) {
    if ((options.portable === true) === (options.html !== undefined)) throw new HandoffError('USAGE', 'export needs --portable or --html <file>, one of them');
    const session = capturedSession(io, prefix ?? '');
    if (options.html !== undefined) return writePage(session, options.html, io);
    const document = portableFields(session.digest(), session.manifest, VERSION);
    return { json: document, text: JSON.stringify(document, null, 2) };
  },
};

function writePage(session: Captured, name: string, io: Io): Outcome {
  const file = path.resolve(io.cwd, name);
  if (name === '' || isFolder(file)) throw new HandoffError('USAGE', `--html takes a file, and ${name === '' ? 'no name was given' : `${file} is a folder`}`);
  const folder = path.dirname(file);
  if (!isFolder(folder)) throw new HandoffError('USAGE', `there is no folder ${folder}`);
  if (isOfStore(session.root, path.join(fs.realpathSync(folder), path.basename(file)))) throw new HandoffError('USAGE', `${file} is inside the store, whose files are written by builds only`);
  const { manifest } = session;
  if (isSource(file, manifest)) throw new HandoffError('USAGE', `${file} is a transcript of this session, which is read and never written`);
  io.progress('making the page');
  const brief = splitHandoff(readText(session.paths.brief) ?? '');
  const page = renderPage({ digest: session.digest(), view: manifest, turns: session.turns(), threads: threadsOf(session), evidence: brief.block });
  const bytes = Buffer.from(page);
  replaceFile(file, bytes, randomBytes(6).toString('hex'), false);
  return { json: { action: 'exported', session: manifest.session, form: 'html', file, bytes: bytes.length }, text: `handoff: exported ${idInLine(manifest.session)} -> ${file}` };
}

/** Whether the store keeps something of its own at `file`, or would. A root may hold other things besides: a whole repository. */
function isOfStore(root: string, file: string): boolean {
  const { index, projects, links, locks, backups } = storePaths(fs.realpathSync(root));
  return [index, projects, links, locks, backups].some((place) => below(place, file) !== undefined);
}

/** Whether `file` is, by whatever path, one of the transcripts that the session was made from. */
function isSource(file: string, { source_paths: sources }: Manifest): boolean {
  const at = fs.statSync(file, { throwIfNoEntry: false });
  return at !== undefined && sources.some((source) => {
    const there = fs.statSync(source, { throwIfNoEntry: false });
    return there?.ino === at.ino && there.dev === at.dev;
  });
}

/** Sub-agents that were captured, each a session of its own; those of sub-agents stand beside them. */
function threadsOf(parent: Captured): PageThread[] {
  const threads: PageThread[] = [];
  const seen = new Set([parent.manifest.session]);
  const queue = [parent];
  for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
    for (const { id, title } of one.manifest.subagents ?? []) {
      const row = seen.has(id) ? undefined : findExact(parent.root, id);
      seen.add(id);
      if (row === undefined) continue;
      const child = captured(parent.root, row);
      threads.push({ id, title, turns: child.turns() });
      queue.push(child);
    }
  }
  return threads;
}

import { existsSync, mkdirSync, readFileSync, statSync, appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Io } from '../../lib/cli/command.mts';
import { oneLine } from '../../lib/cli/io.mts';
import { HandoffError } from '../../lib/errors.mts';
import { findRoot, type Root } from '../../lib/handoff-root.mts';

const flags = {
  init: { type: 'boolean', summary: 'make a store, handoffs/, in the current directory' },
  'init-git': { type: 'boolean', summary: 'write .gitattributes and .gitignore into the store' },
} as const;

// Line ends are part of what the hashes cover, so git must not convert them.
const GIT_FILES = { '.gitattributes': ['* -text'], '.gitignore': ['.locks/', '.backups/', '*.tmp', '*.bak', '*.bak-federated'] };

export const command: Command<typeof flags> = {
  name: 'config',
  summary: 'show which store is used, and why',
  positionals: { min: 0, max: 0 },
  flags,
  exits: { 0: 'shown, or made', 1: 'the file system refused', 2: 'wrong words, or an invalid handoff.config.json', 4: 'handoffs is there and is no folder' },
  example: 'handoff config --init',
  run(options, _words, io) {
    // First, so that an invalid configuration stops this command too before it writes.
    let found = findRoot(io);
    const done: Done[] = [];
    if (options.init === true) {
      done.push(initStore(io));
      found = findRoot(io);
    }
    if (options['init-git'] === true) done.push(...initGit(found.root));
    for (const note of found.notes) io.note(note);
    if (done.length === 0) return show(found, io);
    if (options.init === true && found.root !== join(io.cwd, 'handoffs')) {
      io.note(`commands here go on using ${found.root}, by the rule "${found.source}"`);
    }
    return {
      json: { root: found.root, source: found.source, done },
      text: done.map(({ path, changed }) => `handoff: config ${changed ? 'wrote' : 'kept'} ${path}${changed ? '' : ' (nothing to add)'}\n`),
    };
  },
};

interface Done { readonly path: string; readonly changed: boolean }

function show({ root, source, configFile, config }: Root, io: Io) {
  const schema = join(io.home, 'handoff.config.schema.json');
  const facts = [
    ['root', root],
    ['source', source],
    ['file', configFile ?? 'none'],
    ['schema', schema],
    ['project', config.project_name ?? 'auto-detected'],
    ['linking', config.linking.enabled ? 'enabled' : 'disabled'],
  ];
  return {
    json: { root, source, file: configFile ?? null, schema, project: config.project_name ?? null, linking: config.linking.enabled },
    text: facts.map(([name = '', value = '']) => `handoff: config ${name}=${oneLine(value)}\n`),
  };
}

function initStore(io: Io): Done {
  const path = join(io.cwd, 'handoffs');
  const before = statSync(path, { throwIfNoEntry: false });
  if (before !== undefined && !before.isDirectory()) throw new HandoffError('EXISTS', `${path} is there and is no folder`);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return { path, changed: before === undefined };
}

/** Adds the lines that are missing, after whatever the user has there. */
function initGit(root: string): Done[] {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  return Object.entries(GIT_FILES).map(([name, wanted]) => {
    const path = join(root, name);
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const lines = new Set(text.split('\n').map((line) => line.trim()));
    const missing = wanted.filter((line) => !lines.has(line));
    if (missing.length === 0) return { path, changed: false };
    const seam = text === '' || text.endsWith('\n') ? '' : '\n';
    appendFileSync(path, `${seam}${missing.join('\n')}\n`, { mode: 0o600 });
    return { path, changed: true };
  });
}

import fs from 'node:fs';
import path from 'node:path';
import type { Command, Io } from '../../lib/cli/command.mts';
import { storeHere } from '../../lib/cli/store.mts';
import { errnoOf, HandoffError } from '../../lib/errors.mts';
import { readText } from '../../lib/fs/files.mts';
import { gitOf } from '../../lib/git.mts';
import { validate } from '../../runtime/validate.mts';
import { splitHandoff } from '../../store/evidence.mts';
import { sessionPaths } from '../../store/layout.mts';
import { dirOf, findByPrefix } from '../../store/lookup.mts';

const flags = {} as const;

export const command: Command<typeof flags> = {
  name: 'validate',
  summary: 'the twelve checks of a live HANDOFF.md',
  args: '<file or prefix>',
  positionals: { min: 1, max: 1 },
  flags,
  exits: { 0: 'valid, or warnings only', 1: 'not valid', 2: 'wrong words, configuration or an unreadable file', 3: 'no file, and the prefix matches none or several' },
  example: 'agents-handoff validate HANDOFF.md',
  run(_options, [name], io) {
    const { text, where } = read(name ?? '', io);
    const result = validate(text, gitOf(where, io.env['PATH']));
    if (isBuilt(text)) io.note(`${name} is a brief that build made, which \`agents-handoff verify-gate\` judges; validate is for a HANDOFF.md with front matter, written by an agent for the next`);
    const lines = result.checks.map(({ check, verdict, detail }) => `${verdict}  ${check}: ${detail}`);
    return { json: result, text: [`VALID: ${result.valid}`, ...lines].join('\n'), exit: result.valid === 'NO' ? 1 : 0 };
  },
};

function isBuilt(text: string): boolean {
  return text.startsWith('# Handoff: ') || splitHandoff(text).marker !== 'none';
}

/** A name that fits nothing may have been meant as either. */
function sessionOr<T>(what: string, find: () => T): T {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof HandoffError) || error.code !== 'NO_MATCH') throw error;
    throw new HandoffError('NO_MATCH', `${what}, and ${error.message}`, { cause: error, data: error.data });
  }
}

/** A file where there is one of that name, else the brief of a session; git is asked where the file lies. */
function read(name: string, io: Io): { text: string; where: string } {
  const file = path.resolve(io.cwd, name);
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() === true) {
    try {
      return { text: fs.readFileSync(file, 'utf8'), where: path.dirname(file) };
    } catch (error) {
      throw new HandoffError('SOURCE', `${name} cannot be read (${errnoOf(error) ?? 'unknown'})`, { cause: error });
    }
  }
  const { root } = storeHere(io);
  const row = sessionOr(stat === undefined ? `there is no file ${name}` : `${name} is ${stat.isDirectory() ? 'a folder' : 'no plain file'}`, () => findByPrefix(root, name));
  const text = readText(sessionPaths(dirOf(root, row)).brief);
  if (text === undefined) throw new HandoffError('NO_MATCH', `${row.id} has no HANDOFF.md`);
  return { text, where: io.cwd };
}

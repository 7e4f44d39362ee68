/** Names, arguments, settings and texts that somebody else wrote are read in the time that their length needs, not its square. */
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bareComponents } from '../../src/execution/platform.mts';
import { entryFor, entryHash } from '../../src/install/hooks/entry.mts';
import { withEntry, withoutEntry } from '../../src/install/hooks/settings-text.mts';
import { parseFlags } from '../../src/lib/cli/flags.mts';
import type { Git } from '../../src/lib/git.mts';
import { checksOf } from '../../src/render/checks.mts';
import { readLive } from '../../src/runtime/front-matter.mts';
import { validate } from '../../src/runtime/validate.mts';
import { judgeContract, parseContract } from '../../src/store/evidence.mts';
import { writeLinks } from '../../src/store/links.mts';
import { folderName, projectSlug } from '../../src/store/names.mts';
import { documentHead } from '../../src/transcript/adapters/chat/head.mts';
import { readAgentMessage } from '../../src/transcript/adapters/message-parts/agent.mts';
import { createRedactor, redactText } from '../../src/transcript/redaction/create.mts';
import { freshFolder } from '../helpers/run.ts';

const SIZE = 80_000;
/** Several times what a loaded machine needs; what goes with the square takes more. */
const MOST_MS = 1_000;

const git: Git = { isRepository: () => true, commit: () => undefined, changes: () => [], branch: () => 'main', top: () => '/w', distance: () => 0, commitsSince: () => 0 };
const live = (field: string, body = 'x\n'): string => `---\nnext_agent: backend\nreason: ${field}\nstatus: escalate_to_user\n---\n${body}`;
const DEAF = { turn: () => {}, facts: () => {}, usage: () => {}, usageTotal: () => {}, unknown: () => {} };
const entry = entryFor('claude-code', '/c');
const numbers = { name: 'n', args: '', positionals: { min: 0, max: 0 }, flags: { most: { type: 'number', summary: '' } } } as const;

function linked(objective: string): void {
  const root = freshFolder();
  try {
    writeLinks(root, { project: 'p', folder: 's', objective, at: '' }, 0.5);
  } finally {
    fs.rmSync(root, { recursive: true, force: true });
  }
}

function wired(blanks: string): void {
  const settings = withEntry('{\n  "model": "opus"\n}\n', ['Stop'], entry);
  for (const text of [settings.replace(/\n\s*(?=\{\s*"type")/, `${blanks}/**/ `), settings.replace(/(?<="async": true|true)(?=\s*\})/, blanks), settings.replace(/\s*(?=\]\s*\}\s*\]\s*\}\s*\}\s*$)/, `${blanks}/**/ `)]) {
    withoutEntry(text, ['Stop'], entry.command, entryHash(entry));
  }
}

describe('a hostile', () => {
  const many = (piece: string): string => piece.repeat(Math.ceil(SIZE / piece.length));
  const CASES: Record<string, () => unknown> = {
    'component of a path': () => bareComponents(`C:\\${many('.')}x`),
    'session id of dots': () => folderName(`${many('.')}x`),
    'project of dashes': () => projectSlug(`x${many('-')}x`),
    'objective of dots': () => linked(`${many('words.and')} ${'a'.repeat(4)}${many('.')}x more words here`),
    'comment in a front matter': () => readLive(live(`x${many(' ')}y`)),
    'heading of blanks': () => validate(live('x', `# a${many(' ')}b\n`), git),
    'fence in a contract': () => parseContract(`${many('`')}\u2028\nRESULT: DONE\n`),
    'comment in a contract': () => parseContract(many('<!--\n').repeat(10)),
    'evidence of points': () => judgeContract(`RESULT: DONE\nEVIDENCE: a${many('.')}a\n`),
    'number': () => parseFlags(numbers, ['--most', `${many('1')}x`]),
    'command line with a here-document': () => many('x').split('').slice(0, 300).map((_, at) => checksOf(`npm test ${at} <<${'a'.repeat(3_900)}\nx\ny`)),
    'command line of digits': () => many('x').split('').slice(0, 300).map((_, at) => checksOf(`npm test ${at} ${'1'.repeat(3_900)}`)),
    'header of brackets': () => redactText(`Authorization: Bearer ${many(')')}x`),
    'name and password of colons': () => redactText(`Authorization: Basic ${Buffer.from(`${many(':')}\u0001`).toString('base64')}`),
    'file of settings': () => wired(many(' ')),
    'list behind the beginning of a key': () => {
      const record = { list: ['-----BEGIN PRIVATE KEY-----', ...many('-').split('').map(() => 'a+line+of+a+key+that+is+long')] };
      return createRedactor().record(record, JSON.stringify(record));
    },
    'document of brackets': () => documentHead(`[{"a":${'['.repeat(130_000)}${']['.repeat(65_000)}`),
    'message of parts without ids': () => readAgentMessage({ info: {}, id: 'm', parts: many('p').split('').map(() => ({ type: 'patch' })), isChild: false, isLast: false, isShell: false }, DEAF),
  };

  it.each(Object.entries(CASES))('%s', (_what, read) => {
    const start = performance.now();
    read();
    expect(performance.now() - start).toBeLessThan(MOST_MS);
  });
});

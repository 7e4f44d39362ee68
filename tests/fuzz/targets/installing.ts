/** What an installer reads from elsewhere: packages, records of copies, settings of harnesses, declared capabilities. */
import { gzipSync } from 'node:zlib';
import { parseRegistry } from '../../../src/capability/declared.mts';
import { readPackage } from '../../../src/install/archive.mts';
import { HandoffError } from '../../../src/lib/errors.mts';
import { entryFor, entryHash } from '../../../src/install/hooks/entry.mts';
import { withEntry, withoutEntry } from '../../../src/install/hooks/settings-text.mts';
import { foundRecord } from '../../../src/install/record.mts';
import { tarOf } from '../../helpers/tar.ts';
import type { Target } from '../fuzz.ts';
import { below, mutate, mutateBytes, pick, type Random } from '../mutate.ts';
import { refusedAs } from './small.ts';

const ARCHIVE = tarOf({ 'package/package.json': '{"name":"agents-handoff","version":"9.9.9"}', 'package/SKILL.md': '---\nname: agents-handoff\n---\n', 'package/tools/handoff.mjs': 'x'.repeat(1500) });
const leadsOut = (name: string): boolean => name === '' || name.startsWith('/') || /(^|\/)\.{1,2}(\/|$)|[\\:\0]/.test(name);

export const packages: Target = {
  name: 'packages',
  share: 15,
  async run(random) {
    const damaged = random() < 0.5 ? gzipSync(mutateBytes(random, ARCHIVE), { level: 1 }) : mutateBytes(random, gzipSync(ARCHIVE, { level: 1 }));
    try {
      const files = await readPackage(damaged);
      const bad = [...files.keys()].filter(leadsOut);
      if (bad.length > 0) throw new Error(`a name that leads elsewhere: ${JSON.stringify(bad)}`);
      return 'read';
    } catch (error) {
      if (!(error instanceof HandoffError) || error.message.includes('\n')) throw error;
      return error.code;
    }
  },
};

const RECORDS = [
  { schema_version: '1.0-install-provenance', version: '3.0.0', files: ['SKILL.md', 'tools/handoff.mjs'], files_sha256: '0'.repeat(64), links: ['/a/b'], hooks: [] },
  { version: '2.0.5', files: [{ path: 'SKILL.md', sha256: '1'.repeat(64) }, { path: 'tools/handoff.mjs', sha256: '2'.repeat(64) }] },
  { version: '2.0.3', files: { 'SKILL.md': '1'.repeat(64), 'install/install.mjs': '2'.repeat(64) } },
].map((record) => Buffer.from(JSON.stringify(record)));

/** What a copy's record owns is what a removal takes away: nothing in it may lie outside the copy. */
export const records: Target = {
  name: 'records',
  share: 10,
  run(random) {
    let document: unknown;
    try {
      document = JSON.parse(mutate(random, pick(random, RECORDS)).toString('utf8'));
    } catch {
      return 'no JSON';
    }
    if (typeof document !== 'object' || document === null || Array.isArray(document)) return 'no object';
    const { files } = foundRecord(document as Record<string, unknown>);
    const bad = [...files.keys()].filter(leadsOut);
    if (bad.length > 0) throw new Error(`owns what lies elsewhere: ${JSON.stringify(bad)}`);
    return files.size === 0 ? 'owns nothing' : 'owns files';
  },
};

const SETTINGS = [
  '{\n  // mine\n  "model": "x",\n  "hooks": {\n    "Stop": [{ "matcher": "", "hooks": [{ "type": "command", "command": "mine" }] }],\n  },\n}\n',
  '\ufeff{"permissions": {"allow": ["Bash(ls)"]}, "env": {"A": "/* not a comment */"}}', '{}', '{\r\n\t"hooks": {}\r\n}\r\n',
].map((text) => Buffer.from(text));
const entry = entryFor('claude-code', "/home/o'neil/.claude/skills/agents-handoff");
const EVENTS = ['Stop', 'SessionEnd'];

/** Wired and unwired again, settings are what they were. */
export const settings: Target = {
  name: 'settings',
  share: 15,
  run(random) {
    const before = mutate(random, pick(random, SETTINGS)).toString('utf8').replace(/^\ufeff/, '');
    const outcome = refusedAs(['SHAPE'], () => {
      const wired = withEntry(before, EVENTS, entry);
      if (withEntry(wired, EVENTS, entry) !== wired) throw new Error('wired twice');
      const { text, removed } = withoutEntry(wired, EVENTS, entry.command, entryHash(entry));
      // Of an empty object or list nobody can tell whether it was there before; a comment in one stays.
      const same = text === before || (before.trim() === '' && removed > 0) || /[{[]\s*[}\]]/.test(before);
      if (!same || before.split('// mine').length !== text.split('// mine').length) throw new Error(`not as it was: ${JSON.stringify(before)} became ${JSON.stringify(text)}`);
    });
    return outcome;
  },
};

const REGISTRY = Buffer.from(JSON.stringify({ schema_version: '1.0-capability-registry', capabilities: [
  { id: 'git', kind: 'git', required: true, purpose: 'p' }, { id: 'node', kind: 'command', command: '<node>', args: ['--version'], required: false, purpose: 'p' }, { id: 'f', kind: 'file-exists', target: 'x', required: true, purpose: 'p' },
] }));

export const registries: Target = {
  name: 'registries',
  share: 10,
  run: (random: Random) => refusedAs(['SHAPE', 'CONFIG'], () => parseRegistry('capability-registry.json', mutate(random, REGISTRY).toString('utf8').slice(0, 1 + below(random, 5000)))),
};

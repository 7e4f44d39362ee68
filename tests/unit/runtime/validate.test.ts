import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { program } from '../../../src/commands/runtime/table.mts';
import { run } from '../../../src/lib/cli/runner.mts';
import type { Git } from '../../../src/lib/git.mts';
import { readLive } from '../../../src/runtime/front-matter.mts';
import { EVIDENCE_FIELDS, NEXT_AGENTS, PACKET_FIELDS, STATUSES, validate } from '../../../src/runtime/validate.mts';
import { fakeHost } from '../../helpers/host.ts';
import { freshFolder } from '../../helpers/run.ts';

const SHA = '4c1f0ae';
const git = (state: { changes?: string[] | 'untold'; isRepository?: boolean } = {}): Git => ({
  isRepository: () => state.isRepository ?? true,
  commit: (name) => (name === SHA ? SHA.padEnd(40, '0') : undefined),
  changes: () => (state.changes === 'untold' ? undefined : state.changes ?? []),
  branch: () => 'main', top: () => '/w', distance: () => 0, commitsSince: () => 0,
});

const FIELDS = { next_agent: 'backend', reason: 'the parser is done', status: 'escalate_to_user' };
const BODY = 'Someone has to decide between the two parsers, please.\n';

/** A live HANDOFF.md with these fields; `undefined` takes one away. */
function live(changes: Record<string, string | undefined> = {}, body = BODY): string {
  const fields = Object.entries({ ...FIELDS, ...changes }).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return `---\n${fields.join('\n')}\n---\n${body}`;
}

/** The checks that do not pass, as `VERDICT check`. */
const found = (text: string, state: Parameters<typeof git>[0] = {}): string[] => validate(text, git(state)).checks.filter(({ verdict }) => verdict !== 'PASS').map(({ check, verdict }) => `${verdict} ${check}`);

const section = (title: string, names: readonly string[], form: (name: string) => string): string => `## ${title}\n\n${names.map(form).join('\n')}\n`;
const FORMS: [string, (name: string) => string][] = [
  ['as pairs', (name) => `${name}: said`],
  ['as bold pairs in a list', (name) => `- **${name}:** said`],
  ['as pairs with a list below', (name) => `**${name}**:\n- said`],
  ['as pairs with a sentence below', (name) => `${name}:\nIt is said.`],
  ['as pairs with a fence below', (name) => `- ${name}:\n\n\`\`\`\n# said\n\`\`\`\n`],
  ['as headings', (name) => `### ${name}\nsaid`],
  ['as headings with a blank line', (name) => `### ${name}\n\nsaid`],
];

describe('validate', () => {
  it('has twelve checks, in one order, and all pass on a file that is right', () => {
    const { valid, checks } = validate(live(), git());
    expect(valid).toBe('YES');
    expect(checks.map(({ check, verdict }) => `${verdict} ${check}`)).toEqual(['front-matter', 'parses', 'next-agent', 'reason', 'close-type', 'scope-sha', 'shas', 'finalizer', 'status', 'evidence', 'body', 'git-state'].map((check) => `PASS ${check}`));
    expect(checks.every(({ detail }) => detail !== '')).toBe(true);
  });

  it.each(NEXT_AGENTS.filter((agent) => agent !== 'finalizer'))('takes %s as the next agent', (next_agent) => expect(found(live({ next_agent }))).toEqual([]));
  it.each(STATUSES)('knows the status %s', (status) => expect(found(live({ status })).filter((one) => one !== 'FAIL evidence')).toEqual([]));

  it.each<[string, string, string[]]>([
    ['no front matter', BODY, ['FAIL front-matter', 'FAIL parses', 'FAIL next-agent', 'FAIL reason', 'FAIL status']],
    ['a front matter that is never closed', `---\nnext_agent: user\n${BODY}`, ['FAIL parses', 'FAIL next-agent', 'FAIL reason', 'FAIL status', 'FAIL body']],
    ['an agent that nobody knows', live({ next_agent: 'wizard' }), ['FAIL next-agent']],
    ['no agent', live({ next_agent: undefined }), ['FAIL next-agent']],
    ['an empty reason', live({ reason: '""' }), ['FAIL reason']],
    ['a reason that is a list', live({ reason: '[a, b]' }), ['FAIL reason']],
    ['a close type that nobody knows', live({ close_type: 'sprint', scope_sha: SHA }), ['FAIL close-type']],
    ['a close type without its commit', live({ close_type: 'story' }), ['FAIL scope-sha']],
    ['a commit that moves', live({ prior_sha: 'HEAD~1' }), ['FAIL shas']],
    ['a commit that is none', live({ scope_sha: '4c1f' }), ['FAIL shas']],
    ['a commit that git does not know', live({ scope_sha: SHA, prior_sha: 'deadbeef' }), ['FAIL shas']],
    ['a commit that is an option', live({ prior_sha: '--all' }), ['FAIL shas']],
    ['a finalizer without an epic', live({ next_agent: 'finalizer', close_type: 'story', scope_sha: SHA }), ['FAIL finalizer']],
    ['a status that nobody knows', live({ status: 'fine' }), ['FAIL status']],
    ['no status', live({ status: undefined }), ['FAIL status']],
    ['a completion without evidence', live({ status: 'verified_pass' }), ['FAIL evidence']],
    ['evidence in a fence', live({ status: 'verified_pass' }, `\`\`\`\n${section('Verification Evidence', EVIDENCE_FIELDS, (name) => `${name}: said`)}\`\`\`\n${BODY}`), ['FAIL evidence']],
    ['an evidence field without a value', live({ status: 'verified_pass' }, section('Verification Evidence', EVIDENCE_FIELDS, (name) => (name === 'Output summary' ? `- ${name}:\n` : `- ${name}: said`))), ['FAIL evidence']],
    ['a body of a word', live({}, '# Handoff\n\nGo.\n'), ['FAIL body']],
  ])('finds fault with %s', (_what, text, faults) => {
    expect(found(text)).toEqual(faults);
    expect(validate(text, git()).valid).toBe('NO');
  });

  it('takes a finalizer with an epic', () => expect(found(live({ next_agent: 'finalizer', close_type: 'epic', scope_sha: SHA }))).toEqual([]));

  it('warns of a tree with changes, and where no repository could know a commit', () => {
    expect(found(live(), { changes: ['a'] })).toEqual(['WARN git-state']);
    expect(found(live(), { changes: 'untold' })).toEqual(['WARN git-state']);
    expect(validate(live(), git({ changes: ['a'] })).valid).toBe('WARNINGS-ONLY');
    expect(found(live({ prior_sha: SHA }), { isRepository: false })).toEqual(['WARN shas', 'WARN git-state']);
  });

  it.each(FORMS)('reads the fields of the evidence and of a work packet %s, each of which is needed', (_how, form) => {
    for (const [title, names, changes, check] of [['Verification Evidence', EVIDENCE_FIELDS, { status: 'verified_fail' }, 'evidence'], ['Work Packet', PACKET_FIELDS, {}, 'body']] as const) {
      expect(found(live(changes, `${section(title, names, form)}\n${BODY}`))).toEqual([]);
      for (const left of names) {
        const text = live(changes, `${section(title, names.filter((name) => name !== left), form)}\n## After\n${form(left)}\n`);
        expect([left, validate(text, git()).checks.find((one) => one.check === check)]).toEqual([left, { check, verdict: 'FAIL', detail: `missing: ${left}` }]);
      }
    }
  });
});

describe('a file', () => {
  const dir = freshFolder('handoff-validate-');
  afterEach(() => {
    vi.restoreAllMocks();
    fs.rmSync(dir, { recursive: true, force: true });
  });

  it('that the system does not let be read is a mistake of the line, exit 2, and no verdict', async () => {
    const file = path.join(dir, 'HANDOFF.md');
    fs.writeFileSync(file, live());
    const validateIt = async () => {
      const host = fakeHost({ cwd: dir, env: { HANDOFFS_ROOT: dir } });
      return { status: await run(program, ['validate', 'HANDOFF.md'], host), out: host.out(), err: host.err() };
    };
    expect(await validateIt()).toMatchObject({ status: 0, err: '' });
    const real = fs.readFileSync;
    vi.spyOn(fs, 'readFileSync').mockImplementation(((name: fs.PathOrFileDescriptor, ...how: [BufferEncoding]) => {
      if (name === file) throw Object.assign(new Error('EACCES: permission denied, open'), { code: 'EACCES' });
      return real(name, ...how);
    }) as typeof fs.readFileSync);
    expect(await validateIt()).toEqual({ status: 2, out: '', err: 'agents-handoff: HANDOFF.md cannot be read (EACCES)\n' });
  });
});

describe('front matter', () => {
  it('has scalars, quoted strings, lists in both forms, and comments', () => {
    const text = '---\n# first\nplain: a b # said\nquoted: "a: \\"b\\"" # x\nsingle: \'it\'\'s\'\nempty:\nflow: [a, "b, c", \'d\']\nblock:\n  - one\n  - "two"\n---\nbody\n';
    expect(readLive(`\ufeff${text.replaceAll('\n', '\r\n')}`)).toEqual({ fields: { plain: 'a b', quoted: 'a: "b"', single: 'it\'s', empty: '', flow: ['a', 'b, c', 'd'], block: ['one', 'two'] }, body: 'body\n' });
  });

  it.each([['key: {a: 1}', 2], ['key: &anchor x', 2], ['key: "open', 2], ['- item', 2], ['no pair', 2], ['a: 1\na: 2', 3], ['key: [a, "b]', 2], ['key: [a,, b]', 2], ['__proto__ x', 2]])('names the line that it cannot read: %j', (text, line) => {
    expect(readLive(`---\n${text}\n---\n`).problem).toMatch(new RegExp(`^line ${line}: `));
  });

  it('takes no key for one of every object', () => {
    expect(validate('---\nconstructor: x\n__proto__: y\ntoString: z\n---\n', git()).checks.find(({ check }) => check === 'parses')).toMatchObject({ verdict: 'PASS', detail: '3 fields' });
  });
});

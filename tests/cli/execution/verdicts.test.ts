import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../helpers/desk.ts';
import { accountHome, Ground, onLinux, removeProduct, shippedPolicy } from '../../helpers/engine.ts';
import { REPOSITORY } from '../../helpers/run.ts';

const ground = new Ground();
const { repo, home, outside, dir } = ground;
beforeAll(() => {
  ground.file('repo/src/a.txt', 'inside');
  ground.file('outside/secret.txt', 'outside');
  ground.file('home/notes.txt', 'personal');
  ground.file('home/.ssh/id', 'key');
  symlinkSync(outside, join(repo, 'out'));
});
afterAll(() => {
  ground.remove();
  removeProduct();
});

describe('evaluate', () => {
  it.each([
    ['R0', 'src/a.txt', 0, 'ALLOWED', 'READ_ONLY', 'APPROVED_WORKSPACE'],
    ['R1', 'new/file.txt', 0, 'ALLOWED', 'WORKSPACE_WRITE', 'APPROVED_WORKSPACE'],
    ['R0', 'out/secret.txt', 3, 'DENIED', 'READ_ONLY', 'EXTERNAL_PATH'],
    ['R0', '../home/notes.txt', 3, 'DENIED', 'READ_ONLY', 'PERSONAL_DATA_PATH'],
    ['R0', '../home/.ssh/id', 3, 'DENIED', 'READ_ONLY', 'DENIED_ROOT'],
    ['R1', 'src/../../outside/x', 3, 'DENIED', 'WORKSPACE_WRITE', 'EXTERNAL_PATH'],
    ['R3', 'src/a.txt', 4, 'NEEDS_AUTH', 'DESTRUCTIVE', 'APPROVED_WORKSPACE'],
    ['R9', 'src/a.txt', 3, 'DENIED', null, 'APPROVED_WORKSPACE'],
  ])('%s on %s is exit %s, %s', (risk, target, exit, verdict, level, classification) => {
    const { status, said, stderr } = ground.told(['evaluate', '--risk', risk, '--target', target]);
    expect([status, stderr]).toEqual([exit, '']);
    expect(said).toEqual({ verdict, reason: expect.any(String), risk, level, classification, record: expect.stringMatching(/^\.agents-handoff\/executions\/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-\d+-[0-9a-z]{6}\.json$/) });
    expect(ground.record(said['record'])).toMatchObject({
      enforced_before_execution: true, op: 'evaluate', risk, verdict, target, executed: false, outcome: 'judged', classification,
      policy: { file: expect.stringMatching(/permission-policy\.json$/), sha256: sha256(readFileSync(join(REPOSITORY, 'permission-policy.json'))) },
    });
  });

  it('prints one line, and with --json the same indented; without a target it is about the repository', () => {
    const plain = ground.engine(['evaluate', '--risk', 'R4']).stdout;
    expect(plain).toMatch(/^\{.*\}\n$/);
    const indented = ground.engine(['evaluate', '--risk', 'R4', '--json']);
    expect(indented.stdout).toMatch(/^\{\n {2}"verdict": "NEEDS_AUTH"/);
    expect(ground.record((JSON.parse(indented.stdout) as { record: string }).record)).toMatchObject({ target: repo, real_target: repo });
  });

  it('is reached through the umbrella, from any folder, with targets relative to the repository', () => {
    const { status, stdout } = ground.engine(['evaluate', '--risk', 'R0', '--target', 'src/a.txt'], { entry: 'cli', cwd: join(repo, 'src') });
    expect([status, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ verdict: 'ALLOWED' })]);
  });

  it('is exit 1 where the decision cannot be written down', () => {
    const file = ground.file('a-file');
    expect(ground.engine(['evaluate', '--risk', 'R0'], { env: { AGENT_HANDOFF_STATE_DIR: join(file, 'state') } })).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(/^runtime-engine: .*ENOTDIR/) });
  });
});

describe('a policy and a state directory', () => {
  const evaluate = (...more: string[]) => ground.engine(['evaluate', '--risk', 'R0', '--target', 'src/a.txt', ...more]);

  it.each([
    ['missing', () => join(dir, 'none.json'), /there is no policy .*none\.json/],
    ['no JSON', () => ground.file('bad.json', '{'), /bad\.json is not JSON/],
    ['without grants', () => ground.file('less.json', JSON.stringify({ ...shippedPolicy(), grants: undefined })), /"grants" is missing/],
    ['without risk_to_level', () => ground.file('lesser.json', JSON.stringify({ ...shippedPolicy(), risk_to_level: undefined })), /"risk_to_level" is missing/],
    ['with a wrong key', () => ground.policy({ denied: [] }, 'odd.json'), /unknown key "denied"/],
    ['not in UTF-8', () => ground.file('latin.json', Buffer.from(JSON.stringify({ ...shippedPolicy(), denied_roots: ['priv\u00e9'] }), 'latin1')), /latin\.json cannot be read \(.*utf-8\)/],
    ['with a home that it does not know', () => ground.policy({ denied_roots: ['~other/keys'] }, 'other.json'), /the root "~other\/keys" in "denied_roots" cannot be used: only ~ alone stands for a home/],
    ['with half a letter', () => ground.policy({ personal_data_roots: ['keys\ud800'] }, 'half.json'), /the root "keys\\ud800" in "personal_data_roots" cannot be used/],
    ['a folder', () => outside, /there is no policy /],
    ['that makes a home a workspace', () => ground.policy({ approved_workspaces: ['.', '~'] }, 'home.json'), /the approved workspace .*home is or holds/],
    ['that makes everything a workspace', () => ground.policy({ approved_workspaces: ['/'] }, 'all.json'), /the approved workspace \/ is or holds/],
  ])('%s: exit 2, in one sentence, and no record', (_, policy, why) => {
    const before = ground.records().length;
    const { status, stdout, stderr } = evaluate('--policy', policy());
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(why);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(ground.records()).toHaveLength(before);
  });

  it.each([
    ['a home', () => home], ["the account's home", () => accountHome], ['what holds a home', () => dir], ['a system root', () => '/usr'], ['everything', () => '/'],
  ])('a state directory that is or holds %s: exit 2', (_, state) => {
    const said = ground.engine(['evaluate', '--risk', 'R0'], { env: { AGENT_HANDOFF_STATE_DIR: state() } });
    expect(said).toMatchObject({ status: 2, stderr: expect.stringMatching(/the state directory .* is or holds/) });
  });

  it('elsewhere keeps the records, counts as a workspace, and is named whole', () => {
    const state = join(outside, 'state');
    const { status, said } = ground.told(['run', '--risk', 'R0', '--op', 'read', '--target', 'src/a.txt'], { env: { AGENT_HANDOFF_STATE_DIR: state } });
    expect([status, String(said['record']).startsWith(join(state, 'executions'))]).toEqual([0, true]);
    expect(ground.told(['run', '--risk', 'R0', '--op', 'read', '--target', String(said['record'])], { env: { AGENT_HANDOFF_STATE_DIR: state } }).status).toBe(0);
    expect(ground.told(['run', '--risk', 'R0', '--op', 'read', '--target', String(said['record'])]).status).toBe(3);
  });

  // Each form names what this machine has as a system path, a denied one and a workspace, or nothing of it.
  it.each([
    ['of Linux', { system_read_only_roots: ['$SYSTEM'], denied_roots: ['~/.ssh', '${SYSTEM}/private'], personal_data_roots: ['/home', '~'] }, [0, 0, 3, 3]],
    ['of macOS', { system_read_only_roots: ['/System', '/Library', '$SYSTEM'], denied_roots: ['~/Library/Keychains', '$SYSTEM/private'], personal_data_roots: ['/Users', '~'] }, [0, 0, 3, 3]],
    ['of Windows', { system_read_only_roots: ['%SystemRoot%', 'C:\\Program Files'], denied_roots: ['%APPDATA%\\Microsoft\\Credentials'], personal_data_roots: ['%USERPROFILE%', 'C:\\Users'] }, [0, 3, 3, 3]],
  ] as const)('with roots %s gives a file inside, a system file, a denied one and a personal one what they are here', (_, lists, exits) => {
    ground.file('system/conf', 'x');
    ground.file('system/private/key', 'x');
    const policy = ground.policy({ ...lists, approved_workspaces: ['.'] }, 'form.json');
    const env = { SYSTEM: join(dir, 'system') };
    const targets = ['src/a.txt', join(dir, 'system/conf'), join(dir, 'system/private/key'), join(home, 'notes.txt')];
    expect(targets.map((target) => ground.engine(['evaluate', '--risk', 'R0', '--target', target, '--policy', policy], { env }).status)).toEqual(exits);
  });

  it('is printed as it is, or as what it comes to here', () => {
    const shipped = readFileSync(join(REPOSITORY, 'permission-policy.json'), 'utf8');
    expect(ground.engine(['policy'])).toMatchObject({ status: 0, stdout: shipped, stderr: '' });
    expect(JSON.parse(ground.engine(['policy', '--json']).stdout)).toEqual(JSON.parse(shipped));
    const { status, said } = ground.told(['policy', '--resolved']);
    expect([status, said['repository'], said['state']]).toEqual([0, repo, join(repo, '.agents-handoff')]);
    expect(said['approved_workspaces']).toContainEqual({ written: '.', real: repo, exists: true });
    expect(said['denied_roots']).toContainEqual({ written: '~/.ssh', real: join(home, '.ssh'), exists: true });
    if (onLinux) expect(said['skipped']).toContainEqual({ list: 'system_read_only_roots', written: '%SystemRoot%', why: 'a form of Windows' });
    expect(ground.engine(['policy', '--policy', join(dir, 'none.json')]).status).toBe(2);
  });
});

describe('wrong words', () => {
  it.each([
    [['evaluate'], /needs --risk/], [['run', '--risk', 'R0'], /needs --op/], [['run', '--op', 'read', '--target', 'x'], /needs --risk/], [['run', '--risk', 'R0', '--op', 'read'], /needs --target/],
    [['run', '--risk', 'R0', '--op', 'write', '--target', 'x'], /--op takes read or spawn/], [['run', '--risk', 'R1', '--op', 'spawn'], /needs --args/], [['run', '--risk', 'R1', '--op', 'spawn', '--target', 'x'], /takes --args, not --target/],
    [['run', '--risk', 'R0', '--op', 'read', '--args', 'x'], /takes --target, not --args/], [['evaluate', '--risk', 'R0', '--tarket', 'x'], /did you mean --target/], [['evaluate', 'x', '--risk', 'R0'], /one word too many/],
  ])('%j is exit 2', (argv, why) => {
    expect(ground.engine(argv)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(why) });
  });
});

describe('run --op read', () => {
  const read = (risk: string, target: string) => ground.told(['run', '--risk', risk, '--op', 'read', '--target', target]);

  it('tells the size and hash of the file, and keeps them in the record', () => {
    const { status, said } = read('R0', 'src/a.txt');
    expect([status, said]).toEqual([0, { executed: true, bytes: 6, content_sha256: sha256('inside'), record: expect.any(String) }]);
    expect(ground.record(said['record'])).toMatchObject({ op: 'read', verdict: 'ALLOWED', executed: true, outcome: 'done', bytes: 6, content_sha256: sha256('inside'), effect: 'read', real_target: join(repo, 'src/a.txt') });
  });

  it.each([
    ['R0', 'none.txt', 1, 'failed', 'ALLOWED'],
    ['R0', 'src', 1, 'failed', 'ALLOWED'],
    ['R0', 'out/secret.txt', 3, 'refused', 'DENIED'],
    ['R2', 'src/a.txt', 4, 'refused', 'NEEDS_AUTH'],
    ['R7', 'src/a.txt', 3, 'refused', 'DENIED'],
  ])('at %s of %s is exit %s, and the record says %s', (risk, target, exit, outcome, verdict) => {
    const { status, said } = read(risk, target);
    expect(status).toBe(exit);
    expect(said).toMatchObject(exit === 1 ? { executed: false, error: expect.any(String) } : { verdict, reason: expect.any(String), risk, executed: false });
    expect(said).not.toHaveProperty('content_sha256');
    expect(ground.record(said['record'])).toMatchObject({ op: 'read', outcome, executed: false, verdict });
  });
});

it('a copy outside of any node_modules acts in the folder that holds it', () => {
  const copy = join(dir, 'copy');
  mkdirSync(copy);
  for (const name of ['tools', 'permission-policy.json']) symlinkSync(join(REPOSITORY, name), join(copy, name));
  // Node follows the link of an entry file, so the copy that counts is the one behind it: this checkout.
  const { status, said } = ground.told(['policy', '--resolved'], { product: copy, node: [], env: { AGENT_HANDOFF_STATE_DIR: join(outside, 'other') } });
  expect([status, said['repository']]).toEqual([0, REPOSITORY.replace(/\/$/, '')]);
});

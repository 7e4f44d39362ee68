import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { npmRegistry } from '../../../src/install/npm.mts';
import { fetchPackage } from '../../../src/install/registry.mts';
import { verifyPackage } from '../../../src/install/verify-package.mts';
import { HandoffError } from '../../../src/lib/errors.mts';
import { sha256 } from '../../helpers/desk.ts';
import { Registry } from '../../helpers/registry.ts';
import { freshFolder } from '../../helpers/run.ts';
import { packageOf, tgz } from '../../helpers/tarball.ts';

const desk = freshFolder('handoff-registry-');
afterAll(() => rmSync(desk, { recursive: true, force: true }));

const NAME = 'agents-handoff';
const FILES = { 'SKILL.md': 'the skill', 'tools/handoff.mjs': 'code', 'package.json': '{}' };
const bytes = packageOf(FILES);
const sha1 = createHash('sha1').update(bytes).digest('hex');
const sha512 = createHash('sha512').update(bytes).digest('base64');

let registry: Registry;
beforeEach(async () => { registry = await new Registry().start(); });
afterEach(() => registry.stop());

const fetchIt = (version = '3.1.0', more: Partial<Parameters<typeof fetchPackage>[0]> = {}) => fetchPackage({ registry: registry.url, name: NAME, version, ...more });

/** The code and the sentence of a refusal. */
async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await work);
  } catch (error) {
    if (!(error instanceof HandoffError)) throw error;
    expect(error.message).not.toContain('\n');
    return `${error.code}: ${error.message}`;
  }
}

describe('fetchPackage', () => {
  it('gives the archive of a version, with its address and hash, and sends nothing of the user', async () => {
    registry.publish(NAME, '3.1.0', bytes);
    const published = await fetchIt();
    expect(published).toMatchObject({ version: '3.1.0', archiveUrl: `${registry.url}${NAME}/-/3.1.0.tgz`, sha256: sha256(bytes), checked: ['sha512', 'sha1'] });
    expect(published.bytes.equals(bytes)).toBe(true);
    expect(registry.asked).toEqual([`/${NAME}/3.1.0`, `/${NAME}/-/3.1.0.tgz`]);
    for (const headers of registry.headers) expect(Object.keys(headers).sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
  });

  it('takes a tag, a name with a scope, a registry below a path, and a registry that has no document for a version alone', async () => {
    const document = registry.publish('@scope/it', '1.0.0', bytes);
    registry.routes.set('/npm/@scope%2fit/1.0.0', document);
    registry.routes.delete('/@scope%2fit/1.0.0');
    expect((await fetchIt('1.0.0', { name: '@scope/it', registry: `${registry.url}npm` })).version).toBe('1.0.0');
    expect((await fetchIt('latest', { name: '@scope/it' })).version).toBe('1.0.0');
  });

  it.each([
    ['sha512 alone', { shasum: undefined }, ['sha512']],
    ['sha1 alone', { integrity: undefined }, ['sha1']],
    ['several sha512, one of them right', { integrity: `sha512-${'A'.repeat(86)}== sha512-${sha512}?x sha1-abc` }, ['sha512', 'sha1']],
  ])('checks %s', async (_, dist, checked) => {
    registry.publish(NAME, '3.1.0', bytes, dist);
    expect((await fetchIt()).checked).toEqual(checked);
  });

  it.each([
    ['another sha512', { integrity: `sha512-${'A'.repeat(86)}==` }, /^DAMAGED: .*its sha512 is /],
    ['another sha1 beside a right sha512', { shasum: 'a'.repeat(40) }, new RegExp(`^DAMAGED: .*its sha1 is ${sha1}, not a{40}`)],
    ['no hash', { integrity: undefined, shasum: undefined }, /^SHAPE: .*names no hash/],
    ['hashes of kinds that prove nothing', { integrity: 'md5-abc', shasum: 'short' }, /^SHAPE: .*names no hash/],
    ['no archive', { tarball: undefined }, /^SHAPE: .*names no archive/],
    ['an archive on another protocol', { tarball: 'https://packages.example/a.tgz' }, /^IO: .*leads to https:\/\/packages\.example, and only http: is followed/],
    ['an archive on the disk', { tarball: 'file:///etc/passwd' }, /^IO: .*leads to file:/],
    ['an archive with a password', { tarball: 'http://a:b@127.0.0.1/a.tgz' }, /^IO: .*an address with a name in it/],
    ['an archive nowhere', { tarball: 'http://[' }, /^IO: .*which is no address/],
    ['an archive that is not there', { tarball: '/gone.tgz' }, /^NO_MATCH: .*but not its archive \(404/],
  ])('refuses a document with %s', async (_, dist, said) => {
    registry.publish(NAME, '3.1.0', bytes, dist);
    expect(await refusal(fetchIt())).toMatch(said);
  });

  it('refuses a document of another version, of another package, or of no kind', async () => {
    const document = registry.publish(NAME, '3.1.0', bytes);
    const answer = (reply: object | Buffer): Promise<string> => {
      registry.routes.set(`/${NAME}/3.1.0`, reply);
      return refusal(fetchIt());
    };
    expect(await answer({ ...document, version: '3.0.9' })).toMatch(/^SHAPE: .*another version/);
    expect(await answer({ ...document, name: 'other' })).toMatch(/^SHAPE: .*another package/);
    expect(await answer(Buffer.from('<html>'))).toMatch(/^SHAPE: .*did not answer with JSON/);
    expect(await answer(Buffer.from('null'))).toMatch(/^SHAPE: /);
    expect(registry.asked.filter((path) => path.endsWith('.tgz'))).toEqual([]);
  });

  it('says what is not there: a version, a package, a registry', async () => {
    registry.publish(NAME, '3.1.0', bytes);
    expect(await refusal(fetchIt('9.9.9'))).toMatch(/^NO_MATCH: .* has no version 9\.9\.9 of agents-handoff/);
    expect(await refusal(fetchIt('__proto__'))).toMatch(/^(USAGE|NO_MATCH): /);
    expect(await refusal(fetchIt('1.0.0', { name: 'nobody' }))).toMatch(/^NO_MATCH: .* has no package nobody/);
    for (const version of ['^3', '../x', 'a/b', '', '3 0', '%2e%2e']) expect(await refusal(fetchIt(version)), version).toMatch(/^USAGE: /);
    const { url } = registry;
    await registry.stop();
    expect(await refusal(fetchPackage({ registry: url, name: NAME, version: '1.0.0' }))).toMatch(/^IO: .*could not be asked: .*ECONNREFUSED/);
    registry = await new Registry().start();
  });

  it('says that it has no password where one is wanted, and tells other refusals by their number', async () => {
    for (const [status, said] of [[401, /answered 401, and no password is sent/], [403, /answered 403, and no password/], [500, /answered 500$/]] as const) {
      registry.routes.set(`/${NAME}/3.1.0`, (_, response) => void response.writeHead(status).end());
      expect(await refusal(fetchIt())).toMatch(said);
    }
  });

  it('follows a few redirects on its own protocol and no other', async () => {
    registry.publish(NAME, '3.1.0', bytes, { tarball: '/moved/0' });
    const send = (from: string, to: string): void => void registry.routes.set(from, (_, response) => void response.writeHead(302, { location: to }).end());
    send('/moved/0', '1');
    send('/moved/1', `${registry.url}${NAME}/-/3.1.0.tgz`);
    expect((await fetchIt()).sha256).toBe(sha256(bytes));
    send('/moved/1', 'https://packages.example/a.tgz');
    expect(await refusal(fetchIt())).toMatch(/only http: is followed/);
    send('/moved/1', '/moved/0');
    expect(await refusal(fetchIt())).toMatch(/from place to place more than 5 times/);
  });
});

describe('limits of fetchPackage', () => {
  // A busy machine must not meet a limit that the test is not about.
  const long = 20_000;

  it('are those of the document and of the archive, with and without an announced length', async () => {
    registry.publish(NAME, '3.1.0', bytes);
    expect(await refusal(fetchIt('3.1.0', { limits: { archive: { bytes: bytes.length - 1, idleMs: long, totalMs: long } } }))).toMatch(/^IO: .*sends more than \d+ bytes/);
    registry.routes.set(`/${NAME}/3.1.0`, (_, response) => {
      const more = (): void => { while (!response.destroyed && response.write('x'.repeat(1000))); };
      response.on('drain', more);
      more();
    });
    expect(await refusal(fetchIt('3.1.0', { limits: { document: { bytes: 4096, idleMs: long, totalMs: long } } }))).toMatch(/^IO: .*sends more than 4096 bytes/);
  });

  it('end a server that is silent, that trickles, that breaks off, and one that answers in an encoding', async () => {
    registry.publish(NAME, '3.1.0', bytes);
    const answer = (idleMs: number, totalMs: number, reply: (response: import('node:http').ServerResponse) => void): Promise<string> => {
      registry.routes.set(`/${NAME}/3.1.0`, (_, response) => reply(response));
      return refusal(fetchIt('3.1.0', { limits: { document: { bytes: 4096, idleMs, totalMs } } }));
    };
    expect(await answer(150, long, () => {})).toMatch(/^IO: .*it was silent for 1 s/);
    let drip: NodeJS.Timeout | undefined;
    expect(await answer(long, 500, (response) => { drip = setInterval(() => response.write(' '), 20); })).toMatch(/^IO: .*did not answer within 1 s/);
    clearInterval(drip);
    expect(await answer(long, long, (response) => { response.writeHead(200, { 'content-length': '100' }); response.write('{'); setTimeout(() => response.destroy(), 20); })).toMatch(/^IO: .*broke off/);
    expect(await answer(long, long, (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'))).toMatch(/^IO: .*encoding gzip/);
  });
});

describe('verifyPackage', () => {
  let root: string;
  beforeEach(() => {
    root = freshFolder('handoff-copy-');
    put(FILES);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function put(files: Record<string, string>): void {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), content);
    }
  }
  const listed = ['SKILL.md', 'tools/handoff.mjs'];
  const verify = (files: readonly string[] = listed, recordedSha256?: string) =>
    verifyPackage({ registry: registry.url, name: NAME, version: '3.1.0', root, files, ...(recordedSha256 === undefined ? {} : { recordedSha256 }) });

  it('passes a copy that is as published, and tells the hashes first, the record last', async () => {
    registry.publish(NAME, '3.1.0', bytes);
    put({ 'package.json': 'put by an installer', 'projects/a/manifest.json': 'a store', 'notes.txt': 'mine' });
    expect(await verify(listed, sha256(bytes).toUpperCase())).toEqual({
      ok: true,
      lines: [`archive: ${registry.url}${NAME}/-/3.1.0.tgz: sha512 and sha1 as the registry says`, 'files: 2 of 2 are as published', 'record: archive_sha256 is that of the published archive'],
    });
  });

  it('names every file that differs, and how', async () => {
    registry.publish(NAME, '3.1.0', packageOf({ ...FILES, 'a.md': 'a', 'b.md': 'b', 'c.md': 'c', 'd.md': 'd', 'e/f.md': 'f' }));
    put({ 'tools/handoff.mjs': 'CODE', 'a.md': 'longer', 'c.md': 'not listed, changed', e: 'a file where a folder was' });
    symlinkSync(join(root, 'SKILL.md'), join(root, 'b.md'));
    mkdirSync(join(root, 'd.md'));
    expect(await verify([...listed, 'a.md', 'b.md', 'd.md', 'e/f.md', 'mine.md', '../../etc/passwd'])).toEqual({
      ok: false,
      lines: [
        expect.stringContaining('as the registry says'),
        '../../etc/passwd: not in the archive', 'a.md: changed (6 bytes, published 1)', 'b.md: a link', 'c.md: changed (19 bytes, published 1)',
        'd.md: not a file', 'e/f.md: missing', 'mine.md: not in the archive', 'tools/handoff.mjs: changed', 'files: 1 of 9 are as published',
      ],
    });
  });

  it('fails where only the recorded hash differs', async () => {
    registry.publish(NAME, '3.1.0', bytes);
    const { ok, lines } = await verify(listed, 'f'.repeat(64));
    expect(ok).toBe(false);
    expect(lines.at(-1)).toBe(`record: archive_sha256 is ${'f'.repeat(64)}, the published archive has ${sha256(bytes)}`);
  });

  it('reads no file of the copy where the archive is not the published one, or is hostile', async () => {
    registry.publish(NAME, '3.1.0', bytes, { shasum: 'a'.repeat(40) });
    unlinkSync(join(root, 'SKILL.md'));
    expect(await verify()).toEqual({ ok: false, lines: [expect.stringMatching(/^archive: .*is not the one that the registry names/)] });
    registry.publish(NAME, '3.1.0', tgz([{ name: 'package/../evil', content: 'x' }]));
    expect(await verify()).toEqual({ ok: false, lines: [expect.stringMatching(/^archive: .*a path with dots/)] });
  });

  it('throws where it could not look', async () => {
    expect(await refusal(verify())).toMatch(/^NO_MATCH: /);
  });
});

describe('npmRegistry', () => {
  beforeAll(() => mkdirSync(join(desk, 'bin'), { recursive: true }));
  afterEach(() => vi.unstubAllEnvs());

  /** A program of that name, first and alone on the PATH. */
  function npmIs(script: string): void {
    writeFileSync(join(desk, 'bin', 'npm'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(desk, 'bin', 'npm'), 0o755);
    vi.stubEnv('PATH', join(desk, 'bin'));
  }

  it.each([
    ['http://packages.example', 'http://packages.example/'],
    ['https://packages.example/npm/?x#y', 'https://packages.example/npm/'],
  ])('takes the address that is given: %s', (flag, url) => {
    vi.stubEnv('PATH', '/nonexistent');
    expect(npmRegistry(flag)).toBe(url);
  });

  it('else asks npm', () => {
    npmIs('[ "$*" = "config get registry" ] && echo http://packages.example/from/npm');
    expect(npmRegistry()).toBe('http://packages.example/from/npm/');
  });

  it('has one sentence for each way in which there is no address', async () => {
    const said = async (flag?: string): Promise<string> => refusal((async () => npmRegistry(flag))());
    expect(await said('packages.example')).toMatch(/^USAGE: --registry is no address/);
    expect(await said('file:///a')).toMatch(/^USAGE: .*neither https nor http/);
    expect(await said('https://me:secret@packages.example/')).toMatch(/^USAGE: .*a name or a password/);
    expect(await said('https://me:secret@packages.example/')).not.toContain('secret');
    npmIs('exit 1');
    expect(await said()).toMatch(/^SOURCE: npm did not answer .*--registry <url>/);
    npmIs('echo undefined');
    expect(await said()).toMatch(/^SOURCE: npm has a registry that is no address/);
    vi.stubEnv('PATH', '/nonexistent');
    expect(await said()).toMatch(/^SOURCE: npm is not on the PATH/);
  });
});

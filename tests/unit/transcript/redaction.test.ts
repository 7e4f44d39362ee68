import { describe, expect, it } from 'vitest';
import { createRedactor, redactText } from '../../../src/transcript/redaction/create.mts';
import { createSearch } from '../../../src/transcript/redaction/search.mts';
import { createScan } from '../../../src/transcript/redaction/scan.mts';
import type { Json, JsonObject } from '../../../src/transcript/turn.mts';
import { lookAlikes } from '../../helpers/look-alikes.ts';
import { keyBlock, plantedSecrets, Random, TOKENS, type Case } from '../../helpers/secrets.ts';

const SEED = 20260101;
const COUNT = 3000;

function strings(value: unknown, out: string[] = []): string[] {
  if (typeof value === 'string') out.push(value);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      out.push(key);
      strings(inner, out);
    }
  }
  return out;
}

function redact(record: unknown): JsonObject {
  return createRedactor().record(record as JsonObject, JSON.stringify(record));
}

function survivors({ record, needles }: Case): string[] {
  const redacted = redact(record);
  const texts = [JSON.stringify(redacted), ...strings(redacted)];
  return needles.filter((needle) => texts.some((text) => text.includes(needle)));
}

/** A secret of the kind that is not in this file. */
function made(kind: string, seed = 1): string {
  return (TOKENS[kind] as (r: Random) => string)(new Random(seed));
}

describe('the corpus', () => {
  const planted = plantedSecrets(SEED, COUNT);
  const alike = lookAlikes(SEED, COUNT);

  it('loses every planted secret', () => {
    const leaks = planted.filter((item) => survivors(item).length > 0);
    console.log(`redaction: ${planted.length} records with planted secrets, ${leaks.length} survived`);
    expect(leaks.map(({ label }) => label)).toEqual([]);
  });

  it('keeps its look-alikes, but for fewer than 5', () => {
    const touched = alike.filter(({ record }) => JSON.stringify(redact(record)) !== JSON.stringify(record));
    console.log(`redaction: ${alike.length} records with look-alikes, ${touched.length} touched`);
    expect(touched.length, touched.map(({ label }) => label).join(', ')).toBeLessThan(5);
  });

  it('is not changed by redacting it again', () => {
    for (const { label, record } of planted) {
      const once = redact(record);
      expect(redact(once), label).toEqual(once);
    }
  });

  it('passes the first look with every planted secret, with and without vectors', () => {
    const searches = [createSearch(createScan(true)), createSearch(createScan(false))];
    for (const { label, record } of planted) for (const search of searches) expect(search.mayHold(JSON.stringify(record)), label).toBe(true);
  });

  it('is read alike with and without vectors', () => {
    const [vectors, expression] = [createSearch(createScan(true)), createSearch(createScan(false))];
    for (const { label, record } of [...planted.slice(0, 1000), ...alike.slice(0, 1000)]) {
      for (const text of strings(record)) {
        const kinds = (search: typeof vectors): string[] => search.find(text).spans.map(({ start, end, kind }) => `${start} ${end} ${kind}`).sort();
        expect([...new Set(kinds(expression))], label).toEqual([...new Set(kinds(vectors))]);
      }
    }
  });
});

describe('a redactor', () => {
  it('gives back the very record where it has no secret', () => {
    const record = { type: 'user', message: { content: 'Fix the parser' } };
    expect(redact(record)).toBe(record);
  });

  it('shows equal tokens as equal and different ones as different', () => {
    const [one, other] = [made('github classic', 1), made('github classic', 2)];
    const text = redactText(`${one} ${other} ${one}`);
    const marks = text.split(' ');
    expect(marks[0]).toMatch(/^\[redacted:github-token:[0-9a-f]{8}\]$/);
    expect(marks[2]).toBe(marks[0]);
    expect(marks[1]).not.toBe(marks[0]);
  });

  it.each(['npm', 'huggingface', 'stripe', 'digitalocean', 'groq', 'planetscale', 'shopify', 'docker', 'linear', 'figma', 'openai project', 'pypi', 'slack bot', 'slack app', 'anthropic', 'gitlab'])('knows a token of %s behind another part of a name', (kind) => {
    for (const before of ['backup-', 'old_']) expect(redactText(`${before}${made(kind)}`)).toMatch(new RegExp(`^${before}\\[redacted:[a-z-]+:[0-9a-f]{8}\\]$`));
  });

  it('gives no hash of a password, which could be found by trying', () => {
    expect(redactText('password: hunter2')).toBe('password: [redacted:password]');
    expect(redactText('postgres://u:p@h/db')).toBe('postgres://u:[redacted:url-password]@h/db');
  });

  it('counts by kind', () => {
    const redactor = createRedactor();
    redactor.text(`${made('npm')} ${made('npm', 2)} password=hunter2`);
    expect(redactor.counts).toEqual({ 'npm-token': 2, password: 1 });
  });

  it('keeps JSON in a string parsable', () => {
    const inner = JSON.stringify({ password: 12345678, token: 'abc123def456', key: keyBlock(new Random(3)).lines.join('\n'), n: 1 });
    const { text } = redact({ text: inner }) as { text: string };
    expect(JSON.parse(text)).toMatchObject({ password: '[redacted:password]', token: '[redacted:secret]', n: 1 });
    expect(text).toContain('[redacted:private-key:');
  });

  it('reads escapes of ordinary characters, in the line and within a string', () => {
    const token = made('github classic');
    const line = `{"text":"${[...token].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"}`;
    const redactor = createRedactor();
    expect(JSON.stringify(redactor.record(JSON.parse(line) as Json, line))).toContain('[redacted:github-token:');
    expect(redactText(`{\\u0022password\\u0022\\u003a\\u0022hunter22\\u0022}`)).toBe(`{\\u0022password\\u0022\\u003a\\u0022[redacted:password]\\u0022}`);
  });

  it('judges a value whole wherever a block of the scan ends', () => {
    const token = made('anthropic');
    for (let before = 262_144 - 40; before < 262_144 + 4; before++) expect(redactText(`${'.'.repeat(before)} ${token} .`)).not.toContain(token);
    const far = `${'x '.repeat(500_000)}${token}`;
    expect(createSearch().mayHold(far)).toBe(true);
  });

  it('reads text beyond one byte a character', () => {
    const token = made('openai project');
    expect(redactText(`日本 \u{1f600} ${token} é`)).toMatch(/^日本 \u{1f600} \[redacted:openai-key:[0-9a-f]{8}\] é$/u);
  });

  it('leaves a key `__proto__` a key', () => {
    const record = JSON.parse(`{"__proto__":{"password":"hunter2"},"a":1}`) as JsonObject;
    expect(JSON.stringify(redact(record))).toBe('{"__proto__":{"password":"[redacted:password]"},"a":1}');
  });

  it('keeps both values of two keys that become one', () => {
    expect(redact({ 'password=hunter22 x': 'a', 'password=hunter23 x': 'b', y: 1 })).toEqual({ 'password=[redacted:password] x': 'a', 'password=[redacted:password] x 2': 'b', y: 1 });
  });

  it('lets nothing through that lies deeper than it looks', () => {
    const text = `${'['.repeat(5000)}"password=hunter2"${']'.repeat(5000)}`;
    expect(JSON.stringify(createRedactor().record(JSON.parse(text) as Json, text))).not.toContain('hunter2');
  });

  it('keeps a lone surrogate as it is', () => {
    expect(redact({ a: 'x \ud83d y', password: 'hunter2' })).toEqual({ a: 'x \ud83d y', password: '[redacted:password]' });
  });
});

describe('hostile texts', () => {
  const SIZE = 500_000;
  const random = new Random(9);
  const run = Array.from({ length: 4096 }, () => random.chars('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', 1)).join('');
  const pieces = ['a=', run, '-----BEGIN ', '-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----', 'eyJ', 'password', 'password ', 'password=', 'token: ', '://', 'http://a:', 'sk-', 'curl -u ', '\\', 'token\\', '\\u003d', 'Comment:', '[redacted:', '[redacted:token:12345678]', 'VATE KEY', '.abcdef', 'AKIA', '"name":"TOKEN",', '<password>', 'docker login ', 'docker login -u x; ', '"password field","text":', '"k":"TOKEN","v":', "user identified by 'x' ", 'lin_api_', 'hvs.', "password='a''", 'password=a\\\\!', '@tcp(', 'x@unix(', "create user password '", "curl -u 'a:b"];

  // Twice the time a loaded machine needs; anything that is not linear takes minutes.
  it.each(pieces.map((piece) => [piece.slice(0, 30), piece]))('made of %j are read in linear time', (_, piece) => {
    const text = piece.repeat(Math.ceil(SIZE / piece.length));
    const record = { text };
    const start = performance.now();
    redact(record);
    expect(performance.now() - start).toBeLessThan(2000);
  });

  it('with digits after the beginning of a key are read in linear time', () => {
    const start = performance.now();
    redact({ text: `-----BEGIN PRIVATE KEY-----\n${'1'.repeat(SIZE)}_` });
    expect(performance.now() - start).toBeLessThan(2000);
  });

  it('with escapes that make escapes are read, and the secret in the first of them is found', () => {
    expect(() => redact({ text: `\\u005c${'u005c'.repeat(SIZE / 5)}` })).not.toThrow();
    expect(redactText(String.raw`password\u005cu005cu003dhunter2`)).not.toContain('hunter2');
  });

  it('with many millions of characters in one line of a key are read', () => {
    const text = `-----BEGIN PRIVATE KEY-----\n${'k'.repeat(12_000_000)}`;
    expect(redactText(text)).toMatch(/^\[redacted:private-key/);
  });
});

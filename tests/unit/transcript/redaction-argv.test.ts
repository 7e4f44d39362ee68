import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/transcript/redaction/create.mts';
import type { Json } from '../../../src/transcript/turn.mts';

/** Put together here, so that no line of the repository looks like a leak. */
const SECRET = ['Zq7', 'xK2', 'mPw', '9Lt'].join('');
const TOKEN = `${'gh'}p_${'a1B2c3D4e5F6'.repeat(3)}`;
const redacted = (value: Json) => JSON.stringify(createRedactor().redact(value));

describe('a command that is given word by word', () => {
  it.each([
    [['mysql', '-uroot', `-p${SECRET}`]],
    [['sshpass', '-p', SECRET, 'ssh', 'host']],
    [['curl', '-u', `me:${SECRET}`, 'https://host']],
  ])('keeps its words but the secret: %j', (words) => {
    const out = redacted({ command: words });
    expect(out).not.toContain(SECRET);
    expect(out).toContain(`"${words[0]}"`);
  });

  it('is read with the program that stands beside its words', () => {
    expect(redacted({ command: 'mysql', args: ['-uroot', `-p${SECRET}`] })).not.toContain(SECRET);
  });

  it('stays as it is where it holds none', () => {
    const value = { command: ['git', 'log', '--oneline', '-n', '5'] };
    expect(createRedactor().redact(value)).toBe(value);
  });
});

describe('a token behind a dash or an underscore', () => {
  it.each(['b-', 'b_', '-----', '_'])('is a token: %s', (before) => {
    expect(createRedactor().text(`${before}${TOKEN}`)).toBe(`${before}[redacted:github-token:${/:([0-9a-f]{8})\]/.exec(createRedactor().text(TOKEN))?.[1]}]`);
  });
});

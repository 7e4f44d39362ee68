/** HANDOFF.md belongs to two: what a person wrote below the marker is carried byte for byte, an edit above it is kept aside. */
import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Desk, sha256 } from '../../helpers/desk.ts';
import { claude, lines, talk } from '../../helpers/transcripts.ts';

let desk: Desk;
let file: string;
let count = 2;
beforeEach(() => {
  desk = new Desk();
  count = 2;
  file = desk.file('t.jsonl', lines(...talk(count)));
  desk.build(file);
});
afterEach(() => desk.remove());

const grow = () => desk.handoff(['build', desk.file('t.jsonl', lines(...talk((count += 1))))]);
const CONTRACT = 'RESULT: DONE\nWHAT_CHANGED: x\nVALIDATION: npm test\nEVIDENCE: 12 tests pass\nBLOCKERS: none\nRISKS: none\nFOLLOW_UP: none\n';

describe('the evidence block', () => {
  it.each<[string, string | Buffer]>([
    ['plain', `\n${CONTRACT}`],
    ['with CRLF, blanks at its ends and no last line end', `\r\n  \r\n${CONTRACT.replaceAll('\n', '\r\n')}  \t\r\ntail without end`],
    ['with bytes that are not UTF-8', Buffer.concat([Buffer.from(CONTRACT), Buffer.from([0x63, 0x61, 0x66, 0xe9, 0xff, 0x0a, 0x00, 0xc3])])],
    ['that repeats our marker, headings and an open fence', `${CONTRACT}\n## Evidence contract (hand-authored — preserved across rebuilds)\n\n<!-- agents-handoff:evidence sha256=${'0'.repeat(64)} -->\nRESULT: again\n\`\`\`\n# Handoff: s\n- contract sha256: ${'1'.repeat(64)}\n`],
    ['without a field in it', 'just words $& $1\n'],
  ])('%s is carried over rebuilds byte for byte', (_name, block) => {
    const bytes = Buffer.from(block as string);
    desk.session().author(bytes);
    for (let n = 0; n < 2; n += 1) {
      const result = grow();
      expect([result.status, result.stderr]).toEqual([0, '']);
      expect(desk.session().block.equals(bytes)).toBe(true);
    }
    expect(desk.session().manifest.evidence_contract_sha256).toBe(sha256(bytes));
    expect(desk.handoff(['verify', 's', '--strict']).stdout).toMatch(/^PASS /);
    expect(desk.handoff(['retitle', 's', 'other']).status).toBe(0);
    expect(desk.session('w/other').block.equals(bytes)).toBe(true);
    expect(desk.handoff(['verify', 'other', '--strict']).stdout).toMatch(/^PASS /);
  });

  it('leaves no hash where there is none, or where it was taken out again', () => {
    expect(desk.session().manifest).not.toHaveProperty('evidence_contract_sha256');
    desk.session().author(CONTRACT);
    grow();
    expect(desk.session().manifest.evidence_contract_sha256).toBe(sha256(CONTRACT));
    desk.session().write('HANDOFF.md', desk.session().text('HANDOFF.md').replace(CONTRACT, '\n'));
    grow();
    expect(desk.session().manifest).not.toHaveProperty('evidence_contract_sha256');
  });

  it('is never taken from what the agent said', () => {
    writeFileSync(file, lines(...talk(count), claude('x').agent(`All done.\n${CONTRACT}`)));
    desk.build(file, '--session', 's');
    expect(desk.session().block.length).toBe(0);
    expect(desk.session().manifest).not.toHaveProperty('evidence_contract_sha256');
    const lengths = [1, 2, 3].map((n) => {
      appendFileSync(file, lines({ type: 'mode', mode: `${n}`, sessionId: 's' }));
      desk.build(file, '--session', 's');
      return desk.session().text('HANDOFF.md').length;
    });
    expect(new Set(lengths).size).toBe(1);
  });

  it('of 2.0.x, which has no marker, is found by its fields and carried', () => {
    const session = desk.session();
    session.write('HANDOFF.md', `# Handoff: s\n\n\`\`\`\nRESULT: not this\n\`\`\`\n\n## Evidence contract (hand-authored — preserved across rebuilds)\n\n${CONTRACT}\n- contract sha256: ${'a'.repeat(64)} (carried forward verbatim; the L4 gate reads this section)\n`);
    expect(grow().status).toBe(0);
    expect(session.block.toString()).toBe(CONTRACT);
  });

  it('that was edited since a build is noted by verify, and taken by the next build', () => {
    desk.session().author(CONTRACT);
    expect(desk.handoff(['verify', 's']).stdout).toMatch(/^PASS .*\n {2}note: the evidence block was edited since revision 1/);
    expect(desk.handoff(['verify', 's', '--strict']).status).toBe(1);
    grow();
    expect(desk.handoff(['verify', 's', '--strict']).status).toBe(0);
  });
});

describe('an edit above the marker', () => {
  it('is kept as HANDOFF.md.orig, the next as .orig.2, and the build says so', () => {
    const session = desk.session();
    const edit = (word: string) => session.write('HANDOFF.md', session.text('HANDOFF.md').replace('## State right now', `${word}\n\n## State right now`));
    session.author(CONTRACT);
    edit('My own words.');
    const edited = session.text('HANDOFF.md');
    const first = grow();
    expect([first.status, first.stderr]).toEqual([0, expect.stringMatching(/^handoff: HANDOFF\.md was edited above its marker; the edited file is kept as .*HANDOFF\.md\.orig\n$/)]);
    expect(session.text('HANDOFF.md.orig')).toBe(edited);
    expect([session.text('HANDOFF.md').includes('My own words.'), session.block.toString()]).toEqual([false, CONTRACT]);
    expect(grow().stderr).toBe('');
    edit('Other words.');
    expect(grow().stderr).toContain('HANDOFF.md.orig.2');
    expect(session.text('HANDOFF.md.orig.2')).toContain('Other words.');
    expect(session.text('HANDOFF.md.orig')).toBe(edited);
    expect(existsSync(session.path('HANDOFF.md.orig.3'))).toBe(false);
    expect(desk.handoff(['verify', 's', '--strict']).status).toBe(0);
  });

  it('that took the marker or all of the file away costs no build', () => {
    desk.session().write('HANDOFF.md', 'nothing of yours is left\n');
    expect(grow().status).toBe(0);
    rmSync(desk.session().path('HANDOFF.md'));
    expect(grow().status).toBe(0);
    expect(desk.session().text('HANDOFF.md')).toMatch(/^# Handoff: s\n/);
    expect(desk.session().text('HANDOFF.md.orig')).toBe('nothing of yours is left\n');
    expect(desk.handoff(['verify', 's', '--strict']).status).toBe(0);
  });
});

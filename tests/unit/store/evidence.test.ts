import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/lib/hash-chain.mts';
import { blockSha256, CONTRACT_FIELDS, joinHandoff, judgeContract, legacyBlock, parseContract, refreshHashes, splitHandoff } from '../../../src/store/evidence.mts';

const RAW = 'a'.repeat(64);
const MANIFEST = 'b'.repeat(64);
const HEADING = '## Evidence contract (hand-authored — preserved across rebuilds)';
const body = (quoted = 'Fix the parser'): string =>
  [
    '# Handoff: s1', '', '**Project:** shop  |  **Harness:** codex', '**Updated:** T1  |  **Turns:** 2  |  **Revision:** 1  |  **Watermark:** seq <= 1', '',
    '## Objective (verbatim)', '', '````text', quoted, '````', '', '## Provenance', '', '- sources: /w/s.jsonl', `- raw sha256: ${RAW}`,
    `- manifest sha256: ${MANIFEST}`, '- incremental: revisions=1 (update-not-recreate)', '', HEADING, '', 'A hint.', '', '',
  ].join('\n');
const full = CONTRACT_FIELDS.map((field) => `${field}: ${field === 'RESULT' ? 'DONE' : 'something'}`).join('\n');

describe('the marker', () => {
  it.each(['', 'RESULT: DONE\n', 'no line feed at the end', 'a\r\nb\r\n', '\n\n  \n', `<!-- agents-handoff:evidence sha256=${RAW} -->\nmine\n`])('carries the block %j byte for byte', (block) => {
    expect(splitHandoff(joinHandoff(body(), block))).toEqual({ body: body(), marker: 'ok', block });
  });

  it('tells an edit above it, but not another hash in the provenance or other line ends', () => {
    const text = joinHandoff(body(), full);
    expect(splitHandoff(text.replace('Fix the', 'Fix no')).marker).toBe('edited');
    expect(splitHandoff(text.replace(MANIFEST, 'c'.repeat(64))).marker).toBe('ok');
    expect(splitHandoff(text.replaceAll('\n', '\r\n'))).toMatchObject({ marker: 'ok', block: full.replaceAll('\n', '\r\n') });
  });

  it('is not one that is quoted in a fence, with its heading and all', () => {
    const quoted = `${HEADING}\n\n<!-- agents-handoff:evidence sha256=${RAW} -->\nRESULT: DONE`;
    expect(splitHandoff(joinHandoff(body(quoted), 'mine'))).toEqual({ body: body(quoted), marker: 'ok', block: 'mine' });
  });

  it('is not one in a fence under the heading either', () => {
    const edited = joinHandoff(body(), 'mine').replace('A hint.', `\`\`\`\n<!-- agents-handoff:evidence sha256=${RAW} -->\n\`\`\``);
    expect(splitHandoff(edited)).toMatchObject({ marker: 'edited', block: 'mine' });
  });

  it('is found where an edit above left a fence open, so that the block is never lost', () => {
    const text = joinHandoff(body(), full).replace('````\n\n## Provenance', '\n## Provenance');
    expect(splitHandoff(text)).toMatchObject({ marker: 'edited', block: full });
  });

  it('is none in a file of 2.0.x, also where the words of a marker stand in a sentence', () => {
    expect(splitHandoff(`${HEADING}\n\nsee <!-- agents-handoff:evidence sha256=${RAW} -->\n`)).toMatchObject({ marker: 'none', block: '' });
  });
});

describe('the block of a file without a marker', () => {
  const old = `# Handoff: x\n\n\`\`\`\nRESULT: quoted\n\`\`\`\n\n${HEADING}\n\n`;
  it('runs from the first field to the end of the last, and the program\'s own hash lines are no part of it', () => {
    const block = 'RESULT: DONE\n## Inside\nEVIDENCE: log\n  more of it';
    const text = `${old}${block}\n\n- contract sha256: ${RAW} (carried forward verbatim; the L4 gate reads this section)\n\n## Next\nRISK`;
    expect(legacyBlock(text)).toBe(`${block}\n`);
    expect(legacyBlock(`${old}${block}`)).toBe(`${block}\n`);
  });
  it('is empty where there is no field outside fences', () => {
    expect(legacyBlock(`${old}(none yet) — add RESULT/WHAT_CHANGED`)).toBe('');
  });
  it('has the same hash when it is carried again', () => {
    const once = legacyBlock(`${old}RESULT: DONE\nRISKS: none\n\n`);
    const again = legacyBlock(`${old}${once}\n- contract sha256: ${RAW} (carried forward verbatim; the L4 gate reads this section)`);
    expect(blockSha256(again)).toBe(blockSha256(once));
    expect(blockSha256(once)).toBe(sha256(once));
    expect(blockSha256(' \r\n')).toBeUndefined();
  });
});

describe('refreshing values in place', () => {
  it('touches the provenance and nothing that looks like it, and keeps the marker fitting', () => {
    const quoted = `- raw sha256: ${RAW}`;
    const block = `- manifest sha256: ${MANIFEST}\r\n`;
    const fresh = refreshHashes(joinHandoff(body(quoted), block), { raw_sha256: '1'.repeat(64), manifest_sha256: '2'.repeat(64) });
    expect(fresh).toBe(joinHandoff(body(quoted).replace(`\n- raw sha256: ${RAW}\n- manifest sha256: ${MANIFEST}`, `\n- raw sha256: ${'1'.repeat(64)}\n- manifest sha256: ${'2'.repeat(64)}`), block));
    expect(splitHandoff(fresh).marker).toBe('ok');
  });
  it('puts another project into the header under a new marker, with `$` as it is', () => {
    const fresh = refreshHashes(joinHandoff(body(), full), { project: 'a$&b', revisions: 2, updated_at: 'T2' });
    expect(fresh).toContain('**Project:** a$&b  |  **Harness:** codex\n**Updated:** T2  |  **Turns:** 2  |  **Revision:** 2  |');
    expect(splitHandoff(fresh)).toMatchObject({ marker: 'ok', block: full });
  });
  it('leaves an edit visible', () => {
    const edited = joinHandoff(body(), full).replace('Fix the', 'Fix no');
    expect(splitHandoff(refreshHashes(edited, { project: 'other' })).marker).toBe('edited');
  });
  it('keeps CRLF', () => {
    const text = joinHandoff(body(), full).replaceAll('\n', '\r\n');
    expect(refreshHashes(text, { raw_sha256: RAW, manifest_sha256: MANIFEST })).toBe(text);
  });
});

describe('the contract', () => {
  const judge = (block: string) => judgeContract(joinHandoff(body(`${full}\n${full}`), block));
  const withEvidence = (value: string): string => full.replace('EVIDENCE: something', `EVIDENCE:${value}`);

  it('is read from the block alone: fields in the transcript count for nothing', () => {
    expect(judge('').contract).toEqual({ ok: false, missing: [...CONTRACT_FIELDS], misplaced: false });
    expect(judge(full).contract).toEqual({ ok: true, missing: [], misplaced: false });
  });
  it('is read outside fences and quotes where there is no marker', () => {
    expect(judgeContract(`# x\n${full}`).contract.ok).toBe(true);
    expect(judgeContract(`# x\n\`\`\`\n${full}\n\`\`\`\n`).contract.ok).toBe(false);
    expect(judgeContract(full.replace(/^/gm, '> ')).contract.ok).toBe(false);
    expect(judgeContract(`<!--\n${full}\n-->`).contract.ok).toBe(false);
  });
  it.each(CONTRACT_FIELDS)('misses %s', (field) => {
    expect(judge(full.replace(new RegExp(`^${field}:.*\\n?`, 'm'), '')).contract.missing).toEqual([field]);
    expect(judge(full.replace(new RegExp(`^${field}:`, 'm'), ` ${field}:`)).contract.missing).toEqual([field]);
  });
  it.each([
    ['lower case', full.toLowerCase()], ['a fence', `\`\`\`\n${full}\n\`\`\``], ['a quotation', full.replace(/^/gm, '> ')], ['a list', full.replace(/^/gm, '- ')], ['bold', full.replace(/^(\w+):/gm, '**$1:**')],
  ])('tells fields in %s from fields that nobody wrote', (_, block) => {
    expect(judge(block).contract).toMatchObject({ ok: false, misplaced: true });
  });
  it('ends a field at a heading, so that what stands under it is no evidence', () => {
    const last = `${withEvidence('').replace(/^EVIDENCE:\n/m, '')}\nEVIDENCE:\n\n## Notes\nsomething\n`;
    expect(judge(last)).toMatchObject({ contract: { ok: true }, evidence: { ok: false } });
    expect(judge(last.replace('EVIDENCE:\n', 'EVIDENCE: 9 of 9\n')).evidence.ok).toBe(true);
  });
  it('takes blanks before the colon, CRLF, and values of several lines with fences', () => {
    const block = 'RESULT : PARTIAL\r\nEVIDENCE:\r\n```\r\nRISKS: in a log\r\n```\r\nBLOCKERS:\r\n';
    expect(parseContract(block)).toEqual({ RESULT: 'PARTIAL', EVIDENCE: '```\r\nRISKS: in a log\r\n```', BLOCKERS: '' });
  });

  it.each(['', ' ', ' TODO', ' tbd', ' N/A', ' none', ' None.', ' -', ' ...', ' …', ' —', ' <paste the log here>', '\n- TODO\n- TBD', ' **TBD**', ' TODO, N/A', ' <!-- later -->', '\n```\n```'])('DONE with the evidence %j fails', (value) => {
    expect(judge(withEvidence(value)).evidence.ok).toBe(false);
  });
  it.each([' npm test: 4 passed', '\n```\n$ npm test\n```', ' <https://ci/run/1>', ' see log', ' 12', ' none failed of 40'])('DONE with the evidence %j passes', (value) => {
    expect(judge(withEvidence(value)).evidence.ok).toBe(true);
  });
  it('asks for evidence only where the result is DONE', () => {
    expect(judge(withEvidence('').replace('RESULT: DONE', 'RESULT: BLOCKED')).evidence.ok).toBe(true);
    expect(judge(withEvidence('').replace('RESULT: DONE', 'RESULT: **Done**, all of it')).evidence.ok).toBe(false);
    expect(judge('RESULT: DONE\n').evidence.ok).toBe(false);
    for (const empty of ['', ' ', ' **', ' …']) expect(judge(full.replace('RESULT: DONE', `RESULT:${empty}`))).toMatchObject({ contract: { ok: true }, evidence: { ok: false, detail: 'RESULT is empty' } });
  });
});

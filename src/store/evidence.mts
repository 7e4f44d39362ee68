/**
 * The end of HANDOFF.md: the marker that parts what is rendered from what a person writes, and the evidence contract
 * that a person writes below it. The marker carries the SHA-256 of what stands above, so that an edit there shows;
 * everything below belongs to the author and is carried byte for byte, whatever it holds.
 */
import { isUtf8 } from 'node:buffer';
import { sha256, ZEROS } from '../lib/hash-chain.mts';

const HEADING = /^## Evidence contract \(hand-authored/;
const MARKER = /^<!-- agents-handoff:evidence sha256=([0-9a-f]{64}) -->$/;
/** Hash lines of the provenance: they are refreshed in place, so the hash above the marker takes them as zeros. */
const HASH_LINE = /^(- (?:raw|manifest) sha256: )[0-9a-f]{64}(?=\r?$)/gm;

export const CONTRACT_FIELDS = ['RESULT', 'WHAT_CHANGED', 'VALIDATION', 'EVIDENCE', 'BLOCKERS', 'RISKS', 'FOLLOW_UP'] as const;
export type ContractField = (typeof CONTRACT_FIELDS)[number];
const FIELD = new RegExp(`^(${CONTRACT_FIELDS.join('|')})[ \\t]*:`);
/** What a person may take for a field. */
const NEARLY_FIELD = new RegExp(`^[ \\t>*_\\-+#\`]*(${CONTRACT_FIELDS.join('|')})[*_\` \\t]*:`, 'gim');
const ANY_HEADING = /^#{1,6}(?:\s|$)/;

export interface SplitHandoff {
  /** What stands above the marker line; the whole text where there is none. */
  body: string;
  /** `edited`: what stands above is not what was rendered. `none`: a file of 2.0.x, or one whose marker was taken out. */
  marker: 'ok' | 'edited' | 'none';
  /** What follows the marker line, byte for byte; for a file without a marker, the block that its contract fields span. */
  block: string;
}

/** The document: `body`, the marker over it, and `block` as it is. */
export function joinHandoff(body: string, block: string): string {
  const above = body.endsWith('\n') ? body : `${body}\n`;
  return `${above}${markerOver(above)}\n${block}`;
}

function markerOver(body: string): string {
  return `<!-- agents-handoff:evidence sha256=${bodyHash(body)} -->`;
}

/** Line ends do not count: a checkout that converted them is no edit. */
function bodyHash(body: string): string {
  return sha256(body.replaceAll('\r\n', '\n').replace(HASH_LINE, `$1${ZEROS}`));
}

/** Takes a HANDOFF.md apart; never throws. */
export function splitHandoff(text: string): SplitHandoff {
  const found = findMarker(text);
  if (found === undefined) return { body: text, marker: 'none', block: legacyBlock(text) };
  const body = text.slice(0, found.start);
  return { body, marker: bodyHash(body) === found.hash ? 'ok' : 'edited', block: text.slice(found.end) };
}

/**
 * The same for a file's bytes, which an author may have saved in another encoding: what is not UTF-8 is taken byte by
 * byte, so that it can be written back and hashed as it stands.
 */
export function splitHandoffBytes(bytes: Buffer): { marker: SplitHandoff['marker']; block: Buffer } {
  if (isUtf8(bytes)) {
    const { marker, block } = splitHandoff(bytes.toString('utf8'));
    return { marker, block: Buffer.from(block) };
  }
  const { marker, block } = splitHandoff(bytes.toString('latin1'));
  // What stands above is text of ours, whose hash is over its characters.
  const above = marker === 'none' ? undefined : bytes.subarray(0, bytes.length - block.length);
  return { marker: above === undefined ? 'none' : splitHandoff(above.toString('utf8')).marker, block: Buffer.from(block, 'latin1') };
}

interface MarkerPlace {
  start: number;
  /** Where the author's part begins. */
  end: number;
  hash: string;
}

/**
 * The marker is ours where it stands outside fences under the contract's heading; the first such line counts, since
 * the author may have copied one below it. An edit above may have left a fence open: then the last marker that
 * stands right under the heading counts, so that the author's part is never lost.
 */
function findMarker(text: string): MarkerPlace | undefined {
  let underHeading = false;
  let lastHeading = -10;
  let number = 0;
  let fallback: MarkerPlace | undefined;
  for (const line of linesOf(text)) {
    number++;
    if (HEADING.test(line.text)) lastHeading = number;
    if (!line.fenced && /^#{1,6} /.test(line.text)) underHeading = HEADING.test(line.text);
    const hash = MARKER.exec(line.text)?.[1];
    if (hash === undefined) continue;
    const place = { start: line.start, end: line.end, hash };
    if (!line.fenced && underHeading) return place;
    if (number - lastHeading <= 8) fallback = place;
  }
  return fallback;
}

interface Line {
  /** Without its line end. */
  text: string;
  start: number;
  /** Behind its line end. */
  end: number;
  /** Inside a fence, or a fence's own line. */
  fenced: boolean;
  /** A fence's first line. */
  opens: boolean;
}

/** The lines of Markdown, with the fences followed as CommonMark does. */
function* linesOf(text: string): Generator<Line> {
  let fence = '';
  for (let start = 0; start < text.length; ) {
    const feed = text.indexOf('\n', start);
    const end = feed < 0 ? text.length : feed + 1;
    const stop = feed < 0 ? end : feed;
    const line = text.slice(start, text[stop - 1] === '\r' && stop > start ? stop - 1 : stop);
    const run = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))(.*)$/.exec(line);
    const inside = fence !== '';
    let opens = false;
    if (fence === '' && run?.[1] !== undefined && !(run[1].startsWith('`') && run[2]?.includes('`'))) {
      fence = run[1];
      opens = true;
    } else if (fence !== '' && run?.[1]?.startsWith(fence) && run[2]?.trim() === '') fence = '';
    yield { text: line, start, end, fenced: inside || opens, opens };
    start = end;
  }
}

/** Lines that can be the author's own words: outside fences and outside HTML comments of several lines. */
function* spokenLines(text: string): Generator<Line> {
  let comment = false;
  const lastClose = text.lastIndexOf('-->');
  for (const line of linesOf(text)) {
    if (line.fenced) continue;
    const wasComment = comment;
    if (comment) comment = !line.text.includes('-->');
    else {
      const opens = line.text.lastIndexOf('<!--');
      // Only a comment that is closed somewhere hides lines.
      comment = opens >= 0 && !line.text.includes('-->', opens) && lastClose >= line.end;
    }
    if (!wasComment) yield line;
  }
}

/**
 * A HANDOFF.md that has no marker, without its sections that quote the transcript. 2.0.x fences a message as it is: one that
 * holds a fence itself ends there, and its other lines would read as the author's.
 */
function unquoted(text: string): string {
  const from = /^## Objective \(verbatim\)\r?$/m.exec(text)?.index;
  if (from === undefined) return text;
  // A message that quotes this heading stands above the program's own.
  const to = [...text.matchAll(/^## Where everything lives\r?$/gm)].at(-1)?.index ?? -1;
  return to > from ? text.slice(0, from) + withoutSwept(text.slice(to)) : text;
}

/**
 * A rebuild by 2.0.x takes fields out of a quoted message for the author's block, up to the next heading: so the end of the
 * quotation's fence comes with them, opens one that nothing closes, and the block's hash follows. No author's block ends so.
 */
function withoutSwept(text: string): string {
  let heading = 0;
  let open: { line: Line; heading: number } | undefined;
  for (const line of linesOf(text)) {
    if (line.opens) open = { line, heading };
    if (line.fenced) continue;
    open = undefined;
    if (/^#{1,6} /.test(line.text)) heading = line.end;
  }
  if (open === undefined || !/^`{3,}$/.test(open.line.text) || !/^\s*(?:$|- contract sha256: )/.test(text.slice(open.line.end))) return text;
  return text.slice(0, open.heading) + text.slice(open.line.end);
}

/** The author's block of a HANDOFF.md that has no marker: from the first contract field to the end of the last one, '' where there is none. */
export function legacyBlock(whole: string): string {
  const text = unquoted(whole);
  const fields: number[] = [];
  const headings: number[] = [];
  for (const line of spokenLines(text)) {
    if (FIELD.test(line.text)) fields.push(line.start);
    else if (ANY_HEADING.test(line.text)) headings.push(line.start);
  }
  const first = fields[0];
  const last = fields.at(-1);
  if (first === undefined || last === undefined) return '';
  const end = headings.find((start) => start > last) ?? text.length;
  const block = text.slice(first, end).replace(/^- contract sha256: [0-9a-f]{64}.*(?:\r?\n|$)/gm, '').trimEnd();
  return block === '' ? '' : `${block}${text.includes('\r\n') ? '\r\n' : '\n'}`;
}

/** SHA-256 of the block's bytes, or undefined where there is nothing in it. */
export function blockSha256(block: string | Buffer): string | undefined {
  return block.toString().trim() === '' ? undefined : sha256(block);
}

export interface HandoffChanges {
  raw_sha256?: string;
  manifest_sha256?: string;
  /** Already a slug. */
  project?: string;
  updated_at?: string;
  revisions?: number;
}

/**
 * A HANDOFF.md with these values put into its header and provenance, and nothing else touched: lines that only look
 * like them (in a fence, below the marker) stay. The marker is made anew only where it fitted before: an edit stays visible.
 */
export function refreshHashes(text: string, changes: HandoffChanges): string {
  const { body, marker } = splitHandoff(text);
  let fresh = '';
  for (const line of linesOf(body)) fresh += line.fenced ? body.slice(line.start, line.end) : refreshLine(body.slice(line.start, line.end), changes);
  const rest = text.slice(body.length);
  return marker === 'ok' ? fresh + rest.replace(/sha256=[0-9a-f]{64}/, `sha256=${bodyHash(fresh)}`) : fresh + rest;
}

function refreshLine(line: string, changes: HandoffChanges): string {
  const put = (pattern: RegExp, value: string | number | undefined): void => {
    if (value !== undefined) line = line.replace(pattern, (_whole, before: string) => `${before}${value}`);
  };
  put(/^(- raw sha256: )[0-9a-f]{64}/, changes.raw_sha256);
  put(/^(- manifest sha256: )[0-9a-f]{64}/, changes.manifest_sha256);
  put(/^(- incremental: revisions=)\d+/, changes.revisions);
  put(/^(\*\*Project:\*\* ).*?(?= {2}\| {2}\*\*Harness:\*\*)/, changes.project);
  put(/^(\*\*Updated:\*\* )\S+/, changes.updated_at);
  put(/^(\*\*Updated:\*\* .*\*\*Revision:\*\* )\d+/, changes.revisions);
  return line;
}

export type Contract = Partial<Record<ContractField, string>>;

/**
 * The contract's fields: each at the start of a line, outside fences and quotes; its value runs to the next field or heading,
 * fenced lines included. A field that is there twice has its last value.
 */
export function parseContract(block: string): Contract {
  const contract: Contract = {};
  let open: { field: ContractField; value: number } | undefined;
  const end = (at: number): void => {
    if (open !== undefined) contract[open.field] = block.slice(open.value, at).trim();
    open = undefined;
  };
  for (const line of spokenLines(block)) {
    const match = FIELD.exec(line.text);
    if (match !== null || ANY_HEADING.test(line.text)) end(line.start);
    if (match !== null) open = { field: match[1] as ContractField, value: line.start + match[0].length };
  }
  end(block.length);
  return contract;
}

export interface Judgement {
  /** `misplaced`: a field that is missing stands there in a form that does not count. */
  contract: { ok: boolean; missing: ContractField[]; misplaced: boolean };
  evidence: { ok: boolean; detail: string };
}

/** What the gate says of a HANDOFF.md: of the author's block, or of all that is no quotation where it has no marker. */
export function judgeContract(text: string): Judgement {
  const split = splitHandoff(text);
  const words = split.marker === 'none' ? unquoted(text) : split.block;
  const contract = parseContract(words);
  const missing = CONTRACT_FIELDS.filter((field) => contract[field] === undefined);
  const nearly = new Set([...words.matchAll(NEARLY_FIELD)].map((match) => match[1]?.toUpperCase()));
  return { contract: { ok: missing.length === 0, missing, misplaced: missing.some((field) => nearly.has(field)) }, evidence: judgeEvidence(contract) };
}

function judgeEvidence(contract: Contract): Judgement['evidence'] {
  if (contract.RESULT === undefined) return { ok: true, detail: 'no RESULT is stated' };
  const result = /[\p{L}\p{N}_]+/u.exec(contract.RESULT)?.[0] ?? '';
  // A form that nobody filled in proves nothing.
  if (result === '') return { ok: false, detail: 'RESULT is empty' };
  if (result.toUpperCase() !== 'DONE') return { ok: true, detail: `RESULT is ${result}` };
  if (contract.EVIDENCE === undefined) return { ok: false, detail: 'RESULT is DONE without an EVIDENCE' };
  if (isPlaceholder(contract.EVIDENCE)) return { ok: false, detail: 'RESULT is DONE, but EVIDENCE says nothing' };
  return { ok: true, detail: 'RESULT is DONE and EVIDENCE is given' };
}

const PLACEHOLDERS = new Set(['', 'TODO', 'TBD', 'N/A', 'NA', 'NONE', 'NIL', 'NULL']);

/** Only words that stand for something still to be written; `<…>` is one, `<https://…>` is a link. */
function isPlaceholder(value: string): boolean {
  return value
    .replace(/<!--[^]*?(?:-->|$)/g, ' ')
    .replace(/<(?![a-z][a-z0-9+.-]{1,31}:)[^<>\n]*>/gi, ' ')
    .split(/[\s,;]+/)
    .every((word) => PLACEHOLDERS.has(word.replace(/^[^\p{L}\p{N}]+|(?<![^\p{L}\p{N}])[^\p{L}\p{N}]+$/gu, '').toUpperCase()));
}

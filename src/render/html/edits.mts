/** The edits that a call asks for, as marked lines a file: read from the call's own input, whichever harness wrote it. */
import { allMarked, lineDiff, linesOf } from './diff.mts';
import { isObject } from '../../lib/json.mts';
import { fieldsIn, type CallSays } from '../calls.mts';

export interface Edit {
  path: string;
  rows: string[];
}

/** A larger input is named and not shown. */
const PARSE_LIMIT = 1 << 20;
const MOST_PIECES = 100;

/** Old text and new text, by the names that tools give them. */
const PAIRS = [
  ['old_string', 'new_string'],
  ['oldString', 'newString'],
  ['old_str', 'new_str'],
  ['oldText', 'newText'],
  ['old_text', 'new_text'],
  ['search', 'replace'],
] as const;
const WHOLE = ['content', 'file_text', 'contents', 'new_source', 'changes', 'insert_text'];
const LISTS = ['edits', 'changes', 'replacements', 'operations'];

/** What `text`, a call that changes the files of `says`, would do to them. Never throws; a form that is not known gives no rows. */
export function editsOf(text: string, says: Pick<CallSays, 'changes'>): Edit[] {
  const path = says.changes[0]?.path ?? '';
  if (text.length > PARSE_LIMIT) return says.changes.map((change) => ({ path: change.path, rows: [] }));
  const input = fieldsIn(text, PARSE_LIMIT);
  const patch = patchIn(input ?? text);
  if (patch !== undefined) return patchEdits(patch);
  return input === undefined ? [] : [{ path, rows: rowsOf(input, 0) }];
}

function rowsOf(input: Record<string, unknown>, depth: number): string[] {
  const word = (key: string): string | undefined => (typeof input[key] === 'string' ? input[key] : undefined);
  for (const [old, now] of PAIRS) {
    const before = word(old);
    const after = word(now);
    if (before !== undefined && after !== undefined) return lineDiff(before, after);
    if (after !== undefined && old !== 'search') return allMarked('+', after);
  }
  const blocks = searchBlocks(word('diff') ?? '');
  if (blocks.length > 0) return blocks;
  for (const key of LISTS) {
    const list = input[key];
    if (!Array.isArray(list) || depth > 0) continue;
    const pieces = list.slice(0, MOST_PIECES).filter(isObject).map((one) => rowsOf(one, depth + 1)).filter((rows) => rows.length > 0);
    if (pieces.length > 0) return pieces.flatMap((rows, at) => (at === 0 ? rows : ['…', ...rows]));
  }
  for (const key of WHOLE) {
    const whole = word(key);
    if (whole !== undefined) return allMarked('+', whole);
  }
  return [];
}

/** `SEARCH`, `=======` and `REPLACE` blocks, between lines of dashes and pluses or of angle brackets. */
function searchBlocks(text: string): string[] {
  const rows: string[] = [];
  let side: 'none' | 'old' | 'new' = 'none';
  let old: string[] = [];
  let now: string[] = [];
  for (const line of linesOf(text)) {
    if (/^(?:-{5,}|<{5,}) ?SEARCH>?$/.test(line)) side = 'old';
    else if (side === 'old' && /^={5,}$/.test(line)) side = 'new';
    else if (side === 'new' && /^(?:\+{5,}|>{5,}) ?REPLACE>?$/.test(line)) {
      if (rows.length > 0) rows.push('…');
      for (const row of lineDiff(old.join('\n'), now.join('\n'))) rows.push(row);
      [side, old, now] = ['none', [], []];
    } else if (side === 'old') old.push(line);
    else if (side === 'new') now.push(line);
  }
  return rows;
}

const FILE_LINE = /^\*\*\* (?:Add|Update|Delete) File: (.{1,4096})$/;

/** The patch itself, wherever the input holds it: a string of it, a word of a command line, the text. */
function patchIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return value.includes('*** Update File: ') || value.includes('*** Add File: ') || value.includes('*** Delete File: ') ? value : undefined;
  if (typeof value !== 'object' || value === null || depth > 3) return undefined;
  for (const one of Object.values(value).slice(0, MOST_PIECES)) {
    const found = patchIn(one, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A patch in the form `*** Update File: …`, a file at a time. */
function patchEdits(patch: string): Edit[] {
  const edits: Edit[] = [];
  for (const line of linesOf(patch)) {
    const path = FILE_LINE.exec(line)?.[1]?.trim();
    const now = edits.at(-1);
    if (path !== undefined) edits.push({ path, rows: [] });
    else if (now === undefined) continue;
    else if (line.startsWith('*** Move to: ')) now.path = line.slice('*** Move to: '.length).trim();
    else if (line.startsWith('*** End')) continue;
    else if (line.startsWith('@@')) now.rows.push(line === '@@' ? '…' : `…${line.slice(2)}`);
    else if (/^[ +-]/.test(line)) now.rows.push(line);
    else if (line === '') now.rows.push(' ');
  }
  for (const edit of edits) if (edit.rows[0] === '…') edit.rows.shift();
  return edits;
}

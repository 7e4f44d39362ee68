/** A difference between two texts as marked lines: ` ` stays, `-` goes, `+` comes, `…` stands for lines that are left out. */

/** A change as the page shows it: lines with their mark before them, joined by line feeds. */
export interface Marked {
  rows: string[];
  /** Lines that are not in `rows`. */
  left: number;
}

const CONTEXT = 3;
/** Cells of the table of common lines; a larger middle is shown as all gone and all new. */
const MOST_CELLS = 400_000;
const WIDEST = 2_000;

/** The lines of `text`; the end of the last line makes none. */
export function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Every line of `text` with `mark` before it. */
export function allMarked(mark: '+' | '-' | ' ', text: string): string[] {
  return linesOf(text).map((line) => mark + line);
}

/** What changed from `before` to `after`, with up to three lines around it. */
export function lineDiff(before: string, after: string): string[] {
  const a = linesOf(before);
  const b = linesOf(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const rows: string[] = [];
  if (start > CONTEXT) rows.push('…');
  for (const line of a.slice(Math.max(0, start - CONTEXT), start)) rows.push(` ${line}`);
  middle(a.slice(start, a.length - end), b.slice(start, b.length - end), rows);
  const after3 = a.slice(a.length - end, a.length - end + CONTEXT);
  for (const line of after3) rows.push(` ${line}`);
  if (end > CONTEXT) rows.push('…');
  return rows;
}

/** The longest common lines stay; of a run of changes what goes stands before what comes. */
function middle(a: readonly string[], b: readonly string[], rows: string[]): void {
  const width = b.length + 1;
  const common = (a.length + 1) * width <= MOST_CELLS ? commonLines(a, b) : undefined;
  let i = 0;
  let j = 0;
  const coming: string[] = [];
  const flush = () => {
    for (const row of coming) rows.push(row);
    coming.length = 0;
  };
  while (common !== undefined && i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      flush();
      rows.push(` ${a[i]}`);
      i++;
      j++;
    } else if ((common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0)) rows.push(`-${a[i++]}`);
    else coming.push(`+${b[j++]}`);
  }
  for (; i < a.length; i++) rows.push(`-${a[i]}`);
  flush();
  for (; j < b.length; j++) rows.push(`+${b[j]}`);
}

/** Cell (i, j): how many lines a[i…] and b[j…] have in common, in order. */
function commonLines(a: readonly string[], b: readonly string[]): Uint32Array {
  const width = b.length + 1;
  const cells = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      cells[i * width + j] = a[i] === b[j] ? (cells[(i + 1) * width + j + 1] ?? 0) + 1 : Math.max(cells[(i + 1) * width + j] ?? 0, cells[i * width + j + 1] ?? 0);
    }
  }
  return cells;
}

/** The first `most` rows, none wider than 2,000 characters. */
export function shortened(rows: readonly string[], most: number): Marked {
  const kept = rows.slice(0, most).map((row) => (row.length > WIDEST ? `${row.slice(0, WIDEST)} […]` : row));
  return { rows: kept, left: rows.length - kept.length };
}

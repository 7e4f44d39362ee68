/**
 * How transcript text is made safe to stand in Markdown. A transcript is hostile input: it may hold fences,
 * headings, our own marker, terminal escapes and half characters, and none of them may change what a reader sees
 * outside the quotation.
 */

const FIRST_LOW = 0xdc00;
const LAST_LOW = 0xdfff;

/** The first `max` UTF-16 units of `text`, one fewer where the cut would halve a surrogate pair. */
export function head(text: string, max: number): string {
  if (text.length <= max) return text;
  const next = text.charCodeAt(max);
  const halves = next >= FIRST_LOW && next <= LAST_LOW && isHigh(text.charCodeAt(max - 1));
  return text.slice(0, halves ? max - 1 : max);
}

/** The last `max` UTF-16 units of `text`, one fewer where the cut would halve a surrogate pair. */
export function tail(text: string, max: number): string {
  if (text.length <= max) return text;
  const start = text.length - max;
  const first = text.charCodeAt(start);
  const halves = first >= FIRST_LOW && first <= LAST_LOW && isHigh(text.charCodeAt(start - 1));
  return text.slice(halves ? start + 1 : start);
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/**
 * `text` in memory of its own. A slice of a string keeps the whole string alive; what the reducer keeps for hours
 * must not hold a line of 200 MB.
 */
export function own(text: string): string {
  return (' ' + text).slice(1);
}

/** Head of a text that may be much larger than the head, in memory of its own. */
export function keep(text: string, max: number): string {
  return text.length <= max ? text : own(head(text, max));
}

// Everything that a terminal or a renderer acts upon, but for line feed and tab.
const ACTIVE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const HAS_ACTIVE = new RegExp(ACTIVE.source);

function visible(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** `text` well formed, with control and bidi characters shown instead of obeyed; line feeds and tabs stay. */
export function shown(text: string): string {
  const whole = text.toWellFormed();
  if (!HAS_ACTIVE.test(whole)) return whole;
  return whole.replaceAll('\r\n', '\n').replace(ACTIVE, visible);
}

/** A fenced block of `text`: the fence is longer than any run of backticks inside. Ends without a line feed. */
export function fenced(text: string, info = 'text'): string {
  const body = shown(text);
  const fence = fenceFor(body);
  return `${fence}${info}\n${body}${body.endsWith('\n') ? '' : '\n'}${fence}`;
}

/** The shortest fence that no run of backticks inside `text` can close. */
export function fenceFor(text: string): string {
  if (!text.includes('```')) return '```';
  let longest = 2;
  for (const run of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run[0].length);
  return '`'.repeat(longest + 1);
}

/** Times, names and numbers: nothing in them can be markup. */
const PLAIN = /^[\w.:+-]*(?: [\w.:+-]+)*$/;

/**
 * One line of Markdown that shows the first `max` units of `text` and obeys none of it: no cell, code span, link,
 * tag, comment or heading can begin or end inside.
 */
export function inline(text: string, max: number): string {
  return line(text, max, true);
}

/** The same for a line that is no row of a table: `|` and backticks, which end nothing at the end of a block, stay as they are. */
export function inBullet(text: string, max: number): string {
  return line(text, max, false);
}

function line(text: string, max: number, cell: boolean): string {
  if (text.length <= max && PLAIN.test(text)) return text;
  // Blanks fold before the cut, so that a text of many line ends still shows words; 4 × max bounds the work.
  const start = text.trimStart();
  const folded = head(start, max * 4).replace(/\s+/g, ' ').trim();
  const cut = head(folded, max);
  const safe = cut
    .toWellFormed()
    .replace(/\\(?=[\\|`<>#\[\]!-])/g, '\\\\')
    .replace(/&(?=#?\w{1,32};)/g, '&amp;')
    .replace(/<(?=[a-z/!?])/gi, '&lt;')
    .replaceAll('-->', '--\\>')
    .replaceAll('](', ']\\(')
    .replace(cell ? /[|`]/g : /(?!)/, '\\$&')
    .replace(/^#/, '\\#')
    .replace(/\\$/, '\\\\')
    .replace(ACTIVE, visible);
  return cut.length < folded.length || start.length > max * 4 ? `${safe}…` : safe;
}

/** A row of a table from cells that are safe already. */
export function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

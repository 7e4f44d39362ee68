/** Where a value goes on behind what looked like its end: half of a password in the open gives most of it away. */

/** A sign that a shell would obey, behind the backslash that keeps it from that. */
const ESCAPED = /\\{1,40}[ !$&;#*?()<>|~`]/y;
const PIECE = /[^\s"'`\\\x1b]{0,512}/y;
/** `'it'\''s'` and `'it'"'"'s'`, as shells have an apostrophe. */
const APOSTROPHE = /(?:\\{1,40}'|\\{0,40}"'\\{0,40}")'/y;
const MOST = 512;

/** The end of an unquoted word that was read up to `end`: `hunter\ 2`, `hunter\!2`. */
export function endOfEscaped(text: string, end: number): number {
  let at = end;
  for (ESCAPED.lastIndex = at; at - end < MOST && ESCAPED.test(text); ESCAPED.lastIndex = at) {
    PIECE.lastIndex = ESCAPED.lastIndex;
    PIECE.test(text);
    at = PIECE.lastIndex;
  }
  return at;
}

/**
 * The end of a quoted value whose closing `quote` stands at `close`, where it goes on: the quote is doubled, as YAML and SQL
 * have it, or an apostrophe follows as shells have it. `close` itself where it does not go on, or has no end on its line.
 */
export function endOfQuoted(text: string, close: number, quote: string): number {
  let at = close;
  while (at - close < MOST) {
    const behind = at + quote.length;
    APOSTROPHE.lastIndex = behind;
    const isApostrophe = quote === "'" && APOSTROPHE.test(text);
    if (!isApostrophe && !text.startsWith(quote, behind)) return at;
    const from = isApostrophe ? APOSTROPHE.lastIndex : behind + quote.length;
    const line = text.slice(from, from + MOST).split('\n', 1)[0] ?? '';
    const end = line.indexOf(quote);
    if (end < 0) return at;
    at = from + end;
  }
  return at;
}

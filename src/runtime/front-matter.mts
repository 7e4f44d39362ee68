/** The front matter of a live HANDOFF.md: a small part of YAML, with scalars, quoted strings and lists of them. */

export type FrontMatter = Readonly<Record<string, string | readonly string[]>>;

export interface LiveHandoff {
  /** Absent where the file does not begin with `---`. */
  fields?: FrontMatter;
  /** Why the front matter cannot be read, with its line. */
  problem?: string;
  body: string;
}

/** Never throws: what is wrong is the `problem`. */
export function readLive(text: string): LiveHandoff {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  if (lines[0]?.trimEnd() !== '---') return { body: text };
  const end = lines.findIndex((line, at) => at > 0 && /^(---|\.\.\.)\s*$/.test(line));
  if (end < 0) return { body: '', problem: 'the front matter has no closing ---' };
  const body = lines.slice(end + 1).join('\n');
  const fields: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>;
  let list: string[] | undefined;
  for (const [at, line] of lines.slice(1, end).entries()) {
    const number = at + 2;
    if (/^\s*(#.*)?$/.test(line)) continue;
    const item = /^\s*-\s+(.*)$/.exec(line) ?? (/^\s*-\s*$/.test(line) ? ['', ''] : null);
    if (item !== null) {
      if (list === undefined) return { body, problem: `line ${number}: a list item without a key` };
      const value = scalar(item[1] ?? '');
      if (value === undefined) return { body, problem: `line ${number}: this value cannot be read` };
      list.push(value);
      continue;
    }
    const pair = /^([A-Za-z_][\w-]*)\s*:(?:\s+(.*))?$/.exec(line);
    const key = pair?.[1];
    if (key === undefined) return { body, problem: `line ${number}: neither \`key: value\` nor a list item` };
    if (key in fields) return { body, problem: `line ${number}: ${key} stands twice` };
    const value = valueOf((pair?.[2] ?? '').trim());
    if (value === undefined) return { body, problem: `line ${number}: this value cannot be read` };
    list = value === '' ? [] : undefined;
    fields[key] = list ?? value;
  }
  // A key with nothing behind it and no items below is an empty value.
  for (const [key, value] of Object.entries(fields)) if (Array.isArray(value) && value.length === 0) fields[key] = '';
  return { fields, body };
}

function valueOf(text: string): string | string[] | undefined {
  if (!text.startsWith('[')) return scalar(text);
  const inner = /^\[(.*)\]\s*(?:#.*)?$/.exec(text)?.[1];
  if (inner === undefined) return undefined;
  const values: string[] = [];
  // Sticky: what stands between two items is a comma and blanks, or the list cannot be read.
  const item = /\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,"'\s][^,]*)\s*(?:,|$)/y;
  while (inner.slice(item.lastIndex).trim() !== '') {
    const value = scalar(item.exec(inner)?.[1] ?? '[');
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

function scalar(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.startsWith('"')) {
    const quoted = /^("(?:[^"\\]|\\.)*")\s*(?:#.*)?$/.exec(trimmed)?.[1];
    try {
      return quoted === undefined ? undefined : (JSON.parse(quoted) as string);
    } catch {
      return undefined;
    }
  }
  if (trimmed.startsWith("'")) return /^'((?:[^']|'')*)'\s*(?:#.*)?$/.exec(trimmed)?.[1]?.replaceAll("''", "'");
  if (/^[[\]{}&*!|>%@`]/.test(trimmed)) return undefined;
  return trimmed.replace(/(?<!\s)\s+#.*$/, '');
}

/**
 * One element more, or one less, in a JSON text: all other bytes stay, and what is put in looks like what is there
 * (line ends, indentation, a comma behind the last element).
 */
import type { Container, Value } from './json-places.mts';

interface Style {
  lineEnd: string;
  /** One step of indentation. */
  unit: string;
}

/** `text` with `key: value` (a plain value in an array) behind the last element of `container`. */
export function insertLast(text: string, root: Value, container: Container, value: unknown, key?: string): string {
  const style = styleOf(text, root);
  const last = container.elements.at(-1);
  const base = indentAt(text, container.start);
  const first = container.elements[0];

  if (first === undefined || last === undefined) {
    const inside = text.slice(container.start + 1, container.end - 1);
    // A text on one line stays on it; an empty object that is the whole text says nothing of how it wants to look.
    if (container !== root && !text.slice(root.start, root.end).includes('\n')) return splice(text, container.start + 1, 0, onOneLine(key, value, ''));
    const indent = base + style.unit;
    const end = /^[ \t]*\r?\n/.test(inside) ? '' : style.lineEnd + base;
    return splice(text, container.start + 1, 0, style.lineEnd + indent + onLines(key, value, indent, style) + end);
  }

  const spare = last.comma !== undefined;
  const behind = last.comma === undefined ? last.end : last.comma + 1;
  const comma = spare ? ',' : '';
  if (!text.slice(container.start, first.start).includes('\n')) {
    const blank = /^\s*\S+\s*:\s/.test(text.slice(first.start, first.end)) || /,[ \t]/.test(text.slice(container.start, container.end)) ? ' ' : '';
    return splice(text, behind, 0, `${spare ? '' : ','}${blank}${onOneLine(key, value, blank)}${comma}`);
  }
  const indent = indentAt(text, first.start) || base + style.unit;
  // A comment on the last element's line is about that element.
  const rest = /^(?:[ \t]|\/\*(?:[^*\r\n]|\*(?!\/))*\*\/)*(?:\/\/[^\r\n]*)?(?=\r?\n)/.exec(text.slice(behind))?.[0].length ?? 0;
  const put = splice(text, behind + rest, 0, style.lineEnd + indent + onLines(key, value, indent, style) + comma);
  return spare ? put : splice(put, last.end, 0, ',');
}

/** `text` without the element at `index` of `container`: the inverse of insertLast for one that it put in. */
export function removeAt(text: string, container: Container, index: number): string {
  const { elements } = container;
  const element = elements[index];
  if (element === undefined) return text;
  const before = elements[index - 1];
  const after = elements[index + 1];
  const end = element.comma === undefined ? element.end : element.comma + 1;
  const from = lead(text, before?.comma === undefined ? container.start + 1 : before.comma + 1, element.start);
  // The first of several that are on one line: the blank behind its comma goes, not the one before it.
  const blank = before === undefined && after !== undefined && from === element.start ? /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0 : 0;
  const rest = elements.length === 1 ? closing(text, end) : 0;
  const less = splice(text, from, end + blank + rest - from, '');
  // The last one without a comma of its own: the one before it needs none either.
  return element.comma === undefined && before?.comma !== undefined ? splice(less, before.comma, 1, '') : less;
}

/** Where the white space before an element begins: at the end of the line before it, or behind the comma before it. */
function lead(text: string, least: number, start: number): number {
  let from = start;
  const isBefore = (signs: string): boolean => from > least && signs.includes(text[from - 1] ?? '-');
  while (isBefore(' \t')) from -= 1;
  const isOnOwnLine = isBefore('\n');
  if (isOnOwnLine) from -= 1;
  if (isBefore('\r')) from -= 1;
  return from === least && !isOnOwnLine && /[{[]/.test(text[least - 1] ?? '') ? start : from;
}

/** White space between the only element and the end of its container, where that is on a line of its own. */
function closing(text: string, end: number): number {
  return /^\s*(?=[}\]])/.exec(text.slice(end))?.[0].length ?? 0;
}

function styleOf(text: string, root: Value): Style {
  const lineEnd = /\r?\n/.exec(text)?.[0] ?? '\n';
  const first = root.elements?.[0];
  const unit = first !== undefined && text.slice(root.start, first.start).includes('\n') ? indentAt(text, first.start) : '';
  return { lineEnd, unit: unit === '' ? '  ' : unit };
}

/** The white space that the line of `at` begins with. */
function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1, at))?.[0] ?? '';
}

function onLines(key: string | undefined, value: unknown, indent: string, { unit, lineEnd }: Style): string {
  const lines = JSON.stringify(value, null, unit).replaceAll('\n', lineEnd + indent);
  return key === undefined ? lines : `${JSON.stringify(key)}: ${lines}`;
}

function onOneLine(key: string | undefined, value: unknown, blank: string): string {
  const line = JSON.stringify(value);
  return key === undefined ? line : `${JSON.stringify(key)}:${blank}${line}`;
}

function splice(text: string, at: number, remove: number, insert: string): string {
  return text.slice(0, at) + insert + text.slice(at + remove);
}

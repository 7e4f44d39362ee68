/**
 * Where things stand in a JSON text that a person keeps: comments and commas behind the last element are theirs and allowed.
 * Objects and arrays come with the places of their elements, so that one can be put in or taken out and every other byte
 * stays. Values themselves are left to JSON.parse.
 */
import { HandoffError } from '../../lib/errors.mts';

/** From its first character to behind its last. An object's element begins at its key. */
export interface Element {
  start: number;
  end: number;
  /** Where the comma behind it stands. */
  comma?: number;
  key?: string;
  value: Value;
}

export type Value = { start: number; end: number } & ({ kind: 'object' | 'array'; elements: Element[] } | { kind: 'plain'; elements?: undefined });
export type Container = Extract<Value, { elements: Element[] }>;

const DEEPEST = 200;

/** The document's one value. Throws HandoffError SHAPE, with the line, for what is no JSON even with comments. */
export function placesIn(text: string): Value {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.blank();
  if (reader.at < text.length) reader.wrong('something stands behind the end');
  return value;
}

/** The value without its comments and spare commas. */
export function valueOf(text: string, value: Value): unknown {
  if (value.elements === undefined) return JSON.parse(text.slice(value.start, value.end));
  if (value.kind === 'array') return value.elements.map((element) => valueOf(text, element.value));
  // As JSON.parse does, also for a key such as `__proto__`; the last of two wins.
  return Object.fromEntries(value.elements.map((element) => [element.key ?? '', valueOf(text, element.value)]));
}

/** The element of that key; undefined where there is none. Throws SHAPE where there are two: programs differ on which counts. */
export function memberOf(object: Container, key: string): Element | undefined {
  const found = object.elements.filter((element) => element.key === key);
  if (found.length > 1) throw new HandoffError('SHAPE', `it has the key "${key}" twice`);
  return found[0];
}

class Reader {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  value(depth: number): Value {
    if (depth > DEEPEST) this.wrong('it is nested too deeply');
    this.blank();
    const start = this.at;
    const sign = this.text[start];
    if (sign === '{' || sign === '[') {
      this.at += 1;
      const elements = this.elements(sign === '{' ? '}' : ']', depth);
      return { kind: sign === '{' ? 'object' : 'array', start, end: this.at, elements };
    }
    if (sign === '"') this.string();
    else this.word();
    return { kind: 'plain', start, end: this.at };
  }

  elements(close: '}' | ']', depth: number): Element[] {
    const elements: Element[] = [];
    for (;;) {
      this.blank();
      if (this.text[this.at] === close) {
        this.at += 1;
        return elements;
      }
      const before = elements.at(-1);
      if (before !== undefined && before.comma === undefined) this.wrong(`a comma or ${close} is missing`);
      const start = this.at;
      let key: string | undefined;
      if (close === '}') {
        key = this.string();
        this.blank();
        if (this.text[this.at] !== ':') this.wrong('a colon is missing');
        this.at += 1;
      }
      const value = this.value(depth + 1);
      const element: Element = { start, end: this.at, value, ...(key === undefined ? {} : { key }) };
      elements.push(element);
      this.blank();
      if (this.text[this.at] === ',') element.comma = this.at++;
    }
  }

  string(): string {
    const found = this.take(/"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y);
    if (found === undefined) this.wrong('a string is missing or does not end');
    return JSON.parse(found) as string;
  }

  word(): void {
    if (this.take(/(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y) === undefined) this.wrong('a value is missing');
  }

  /** White space and comments. */
  blank(): void {
    while (this.take(/[ \t\r\n]+|\/\/[^\r\n]*|\/\*[^]*?\*\//y) !== undefined);
  }

  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  wrong(what: string): never {
    throw new HandoffError('SHAPE', `it is not JSON that can be read: ${what} in line ${this.text.slice(0, this.at).split('\n').length}`);
  }
}

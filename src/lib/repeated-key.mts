/** Where an object of a JSON text has one key twice. The parser takes the last and says nothing; who reads the file may have seen the first. */
import { HandoffError } from './errors.mts';

/** An object with the keys that it has had, or a list with how many values it has had. */
type Open = { readonly keys: Set<string>; key: string } | { readonly keys: undefined; count: number };

/** Throws CONFIG that names the key. `source` is JSON that parses. */
export function refuseRepeatedKeys(file: string, source: string): void {
  const open: Open[] = [];
  let word = '';
  for (let at = 0; at < source.length; at += 1) {
    const top = open.at(-1);
    switch (source[at]) {
      case '"': {
        const end = endOfString(source, at);
        word = source.slice(at, end);
        at = end - 1;
        break;
      }
      // Outside of strings it stands behind a key and nowhere else.
      case ':': {
        if (top?.keys === undefined) break;
        // Parsed, since `"\u0061"` is `"a"`.
        top.key = JSON.parse(word) as string;
        if (top.keys.has(top.key)) {
          const key = pathOf(open);
          throw new HandoffError('CONFIG', `${file}: ${JSON.stringify(key)} stands there twice: which of them is meant cannot be told`, { data: { file, key } });
        }
        top.keys.add(top.key);
        break;
      }
      case ',':
        if (top !== undefined && top.keys === undefined) top.count += 1;
        break;
      case '{':
        open.push({ keys: new Set(), key: '' });
        break;
      case '[':
        open.push({ keys: undefined, count: 0 });
        break;
      case '}':
      case ']':
        open.pop();
        break;
    }
  }
}

/** Behind the closing quote. */
function endOfString(source: string, from: number): number {
  let at = from + 1;
  while (at < source.length && source[at] !== '"') at += source[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** As `steps[0].risk`. */
function pathOf(open: readonly Open[]): string {
  return open.map((one, depth) => (one.keys === undefined ? `[${one.count}]` : `${depth === 0 ? '' : '.'}${one.key}`)).join('');
}

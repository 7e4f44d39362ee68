/** The product's own source files as text, as code without comments and literals, and as a graph of imports. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { REPOSITORY } from './run.ts';

export interface SourceFile {
  /** Relative to src/, with `/`. */
  name: string;
  lines: number;
  /** Comments, and what stands inside strings, regular expressions and the fixed parts of templates, is taken out. */
  code: string;
  /** `node:` names as they stand, own files relative to src/, anything else as it stands. */
  imports: Import[];
}

export interface Import {
  to: string;
  /** Needs the file only for its types: it is gone when the program runs. */
  type: boolean;
  dynamic: boolean;
}

export function sourceFiles(): SourceFile[] {
  const root = join(REPOSITORY, 'src');
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.mts'))
    .sort()
    .map((name) => {
      const text = readFileSync(join(root, name), 'utf8');
      return { name, lines: text.split('\n').length - 1, code: codeOf(text), imports: importsOf(name, text) };
    });
}

const FROM = /^(import|export)\s+(type\s)?[^'"`;=()]*?\bfrom\s+'([^']+)'|^import\s+'([^']+)'/gm;
const DYNAMIC = /\bimport\(\s*'([^']+)'\s*\)/g;
/** A built file that a thread is started from. */
const THREAD = /\bnew URL\(\s*'(\.[^']+)\.mjs'\s*,\s*import\.meta\.url\s*\)/g;

function importsOf(name: string, text: string): Import[] {
  const bare = text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '');
  const resolve = (to: string): string => (to.startsWith('.') ? posix.join(dirname(name), to) : to);
  return [
    ...[...bare.matchAll(FROM)].map((match) => ({ to: resolve(match[3] ?? match[4] ?? ''), type: match[2] !== undefined, dynamic: false })),
    ...[...bare.matchAll(DYNAMIC)].map((match) => ({ to: resolve(match[1] ?? ''), type: false, dynamic: true })),
    ...[...bare.matchAll(THREAD)].map((match) => ({ to: resolve(`${match[1] ?? ''}.mts`), type: false, dynamic: true })),
  ];
}

/** A regular expression can only begin behind one of these. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+\n]|=>|\breturn|\btypeof|\bcase)\s*$/;

export function codeOf(text: string): string {
  let out = '';
  /** Open templates: how many braces are open inside the `${` of each. */
  const templates: number[] = [];
  for (let at = 0; at < text.length;) {
    const sign = text[at] ?? '';
    const two = text.slice(at, at + 2);
    if (two === '//') at = endOf(text, '\n', at);
    else if (two === '/*') at = endOf(text, '*/', at + 2) + 2;
    else if (sign === '\'' || sign === '"') {
      at = closing(text, at + 1, sign);
      out += '\'\'';
    } else if (sign === '/' && BEFORE_REGEX.test(out.slice(-40))) {
      at = closing(text, at + 1, '/');
      out += '/./';
    } else if (sign === '`' || (sign === '}' && templates.at(-1) === 0)) {
      if (sign === '}') templates.pop();
      // The fixed part runs to the template's end or to the next `${`.
      for (at += 1; at < text.length && text[at] !== '`'; at += text[at] === '\\' ? 2 : 1) if (text.startsWith('${', at)) break;
      if (text[at] === '$') {
        templates.push(0);
        at += 2;
      } else at += 1;
      out += ' ';
    } else {
      const open = templates.length - 1;
      if (open >= 0 && sign === '{') templates[open] = (templates[open] ?? 0) + 1;
      if (open >= 0 && sign === '}') templates[open] = (templates[open] ?? 0) - 1;
      out += sign;
      at += 1;
    }
  }
  return out;
}

function endOf(text: string, what: string, from: number): number {
  const at = text.indexOf(what, from);
  return at < 0 ? text.length : at;
}

/** Behind the sign that closes a string or a regular expression; a class in the latter may hold the sign. */
function closing(text: string, from: number, sign: string): number {
  let inClass = false;
  for (let at = from; at < text.length; at += 1) {
    const here = text[at];
    if (here === '\\') at += 1;
    else if (sign === '/' && here === '[') inClass = true;
    else if (sign === '/' && here === ']') inClass = false;
    else if (here === sign && !inClass) return at + 1;
    else if (here === '\n') return at;
  }
  return text.length;
}

/**
 * Outputs that are kept as files: what commands print and how they end, compared as a whole, in tests/fixtures/golden/.
 * HANDOFF_GOLDEN=update writes the files anew; read the difference before you keep it.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { REPOSITORY, type Result } from './run.ts';

/** What differs from run to run and from machine to machine, by what it is. */
const CHANGING: readonly [RegExp, string][] = [
  [/\b[0-9a-f]{64}\b/g, '<sha256>'],
  [/\b[0-9a-f]{24}\b/g, '<token>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>'],
  [/("source_mtime_ms": ?)\d+/g, '$1<ms>'],
  [/("pid": ?|process )\d+/g, '$1<pid>'],
  [/("started": ?)"[^"]*"/g, '$1"<start>"'],
];

export class Golden {
  readonly #name: string;
  readonly #places: readonly [string, string][];
  #text = '';

  /** `places`: paths with the word that stands for each. */
  constructor(name: string, places: Readonly<Record<string, string>>) {
    this.#name = name;
    // The longest first: a store lies in its desk.
    this.#places = Object.entries({ ...places, [hostname()]: '<host>' }).sort(([a], [b]) => b.length - a.length);
  }

  /** Takes down a command, as it was typed, with what it said; gives the result. */
  note(line: string, result: Result): Result {
    const part = (name: string, text: string): string => (text === '' ? '' : `--- ${name}\n${text}${text.endsWith('\n') ? '' : '\n(no end of line)\n'}`);
    this.#text += this.#plain(`$ ${line}\n${part('stdout', result.stdout)}${part('stderr', result.stderr)}--- exit ${result.status ?? result.signal}\n\n`);
    return result;
  }

  #plain(text: string): string {
    let plain = text;
    for (const [path, word] of this.#places) plain = plain.replaceAll(path, word);
    for (const [pattern, word] of CHANGING) plain = plain.replace(pattern, word);
    return plain;
  }

  /** Compares with the file, or writes it. */
  check(): void {
    const file = join(REPOSITORY, 'tests/fixtures/golden', `${this.#name}.txt`);
    if (process.env['HANDOFF_GOLDEN'] === 'update') {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, this.#text);
    }
    expect(this.#text).toBe(readFileSync(file, 'utf8'));
  }
}

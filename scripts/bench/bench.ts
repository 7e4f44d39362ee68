/** What every row works with: the program, a scratch folder, transcripts of a size, and stores. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { settle, type Work } from './measure.ts';
import { makeTranscript, type Transcript } from './transcript.ts';

export const MB = 1 << 20;
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const HANDOFF = here('../../tools/handoff.mjs');
const RUNTIME = here('../../tools/agents-handoff.mjs');
const FLOOR = here('./floor.mjs');

/** One line of the result: a value that must not be above its bound, where it has one. */
export interface Line {
  work: string;
  value: number;
  most?: number;
  unit: '×' | 'MB';
  /** Medians in seconds, where the value is a ratio of two. */
  floor?: number;
  ours?: number;
  /** How many bytes the floor went through, for its speed. */
  bytes?: number;
  /** The lowest and the highest ratio seen. */
  spread?: readonly [number, number];
  note?: string;
}

export class Bench {
  readonly scratch: string;
  /** Smaller sizes and fewer repeats: to see that everything runs, and where it stands roughly. */
  readonly quick: boolean;
  #stores = 0;
  readonly #transcripts = new Map<string, { file: string; transcript: Transcript }>();

  constructor(scratch: string, quick: boolean) {
    this.scratch = scratch;
    this.quick = quick;
  }

  say(message: string): void {
    process.stderr.write(`bench: ${message}\n`);
  }

  path(name: string): string {
    return path.join(this.scratch, name);
  }

  /** A transcript of so many megabytes; the same file for the same `use`, so that one row may let it grow. */
  transcript(megabytes: number, use = 'shared', seed = 1): { file: string; bytes: number; transcript: Transcript } {
    const key = `${use}-${megabytes}-${seed}`;
    let made = this.#transcripts.get(key);
    if (made === undefined) {
      this.say(`writing a transcript of ${megabytes} MB`);
      const file = this.path(`${key}.jsonl`);
      made = { file, transcript: makeTranscript(file, megabytes * MB, seed) };
      this.#transcripts.set(key, made);
    }
    return { ...made, bytes: fs.statSync(made.file).size };
  }

  drop(file: string): void {
    fs.rmSync(file, { recursive: true, force: true });
    for (const [key, made] of this.#transcripts) if (made.file === file) this.#transcripts.delete(key);
  }

  /** The path of an empty store that is not there yet. */
  store(): string {
    return this.path(`store-${++this.#stores}`);
  }

  handoff(root: string, ...argv: string[]): Work {
    return { argv: [HANDOFF, ...argv], env: { HANDOFFS_ROOT: root }, cwd: this.scratch };
  }

  runtime(root: string, ...argv: string[]): Work {
    return { ...this.handoff(root), argv: [RUNTIME, ...argv] };
  }

  build(root: string, file: string, ...flags: string[]): Work {
    return this.handoff(root, 'build', file, '--session', 'bench', '--project', 'bench', ...flags);
  }

  /** A build into a store that is empty each time. */
  coldBuild(file: string): Work {
    const root = this.path('cold');
    return {
      ...this.build(root, file),
      before: () => {
        fs.rmSync(root, { recursive: true, force: true });
        settle();
      },
      after: (stdout) => expectText(stdout, /handoff: built .* rev=1 /),
    };
  }

  floor(file: string): Work {
    const out = this.path('floor.out');
    return {
      argv: [FLOOR, 'full', file, out],
      cwd: this.scratch,
      before: () => {
        fs.rmSync(out, { force: true });
        settle();
      },
    };
  }

  sha(...files: string[]): Work {
    return { argv: [FLOOR, 'sha', ...files], cwd: this.scratch };
  }
}

/** Guards against measuring a run that did something else. */
export function expectText(stdout: string, pattern: RegExp): void {
  if (!pattern.test(stdout)) throw new Error(`expected ${String(pattern)} in: ${stdout}`);
}

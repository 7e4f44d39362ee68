/**
 * What a command is, for the runner and for help. A command declares its flags as data, is given typed
 * options, prints nothing itself but through Io, and answers with data and text: the runner prints one of them.
 */
export interface Flag {
  /** `value` takes the next word whatever it begins with; `number` is a finite number; `values` may be repeated. */
  readonly type: 'boolean' | 'value' | 'values' | 'number';
  readonly summary: string;
  /** The word for the value in help: `--project <name>`. */
  readonly value?: string;
  readonly short?: string;
  readonly hidden?: boolean;
}
export type FlagTable = Readonly<Record<string, Flag>>;

type OptionOf<F extends Flag> = F['type'] extends 'boolean' ? boolean
  : F['type'] extends 'values' ? string[]
  : F['type'] extends 'number' ? number
  : string;
/** Flags that were not given are absent (booleans and `values` too). Keys are the flags' names as written: `'allow-bad-lines'`. */
export type Options<F extends FlagTable> = { readonly [K in keyof F]?: OptionOf<F[K]> };

export interface Outcome {
  /** The one JSON document of `--json`. */
  json: unknown;
  /** What stdout holds otherwise; pieces are written as they are, an end of line is added where the last one has none. */
  text?: string | Iterable<string> | AsyncIterable<string>;
  /** 0 where absent. */
  exit?: number;
}

export interface Command<F extends FlagTable = FlagTable> {
  readonly name: string;
  readonly summary: string;
  /** Words after the verb, as help shows them: `<file>`, `[prefix]`. */
  readonly args?: string;
  /** How many words without a flag it takes. */
  readonly positionals: { readonly min: number; readonly max: number };
  readonly flags: F;
  /** Exit codes that this command can give, with what each means. 0 included. */
  readonly exits: Readonly<Record<number, string>>;
  readonly example: string;
  readonly details?: string;
  /** Lines that end with 0 and nothing on stdout whatever is wrong with their words: who starts them must not be stopped by it. */
  neverFails?(options: Options<F>): boolean;
  run(options: Options<F>, words: readonly string[], io: Io): Promise<Outcome> | Outcome;
}

/** A verb in a table: help order is table order; the module is loaded only when the verb is used. */
export interface Verb {
  readonly name: string;
  readonly summary: string;
  readonly aliases?: readonly string[];
  load(): Promise<Command>;
}

/** Which column of the exit-code table an entry point answers from. */
export type Layer = 'engine' | 'runtime' | 'execution' | 'capability' | 'install';

/** An entry point: its name in messages (`handoff: …`) and its verbs. */
export interface Program {
  readonly name: string;
  readonly summary: string;
  readonly verbs: readonly Verb[];
  /** `engine` where absent. */
  readonly layer?: Layer;
  /** Turns older forms of the line into `<verb> …` before the verb is looked for. */
  rewrite?(argv: readonly string[]): readonly string[];
  /** Programs whose verbs are reached through this one; the first that has a verb gets it. */
  readonly groups?: readonly Program[];
  /** A sentence under the list of verbs. */
  readonly footnote?: string;
  /** Another program that people take for this one, and its verbs: who asks for one of them is sent there. */
  readonly elsewhere?: { readonly name: string; readonly verbs: readonly string[] };
  /** The word that stands before this program's verbs where it is a group: `capabilities check`. */
  readonly prefix?: string;
  /** What a person types to reach a verb, where that is not the program's name and the verb. */
  called?(verb: string): string;
}

/** All that a command sees of the process. Only the runner touches `process`. */
export interface Io {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly json: boolean;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  /** The folder that holds `tools/` (the skill directory). */
  readonly home: string;
  /** The node that runs this. */
  readonly node: string;
  /** One line of talk on stderr, with the program's name before it. */
  note(message: string): void;
  /** A line of progress on stderr: only when that is a TTY, only after a second, overwritten by the next. */
  progress(message: string): void;
  /** Asks on the terminal; false where there is none. */
  confirm(question: string): Promise<boolean>;
  /** Runs when a signal ends the process, in reverse order; gives the function that takes it back. */
  onSignal(undo: () => void): () => void;
}

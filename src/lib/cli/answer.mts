import type { Outcome } from './command.mts';

/** For verbs that answer in JSON in either form: on one line for scripts that read lines, indented with --json. */
export function answer(json: object, exit = 0): Outcome {
  return { json, text: JSON.stringify(json), exit };
}

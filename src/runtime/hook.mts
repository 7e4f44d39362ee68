/**
 * What a client's hook says on standard input, and the wait for the transcript to grow quiet. A hook must never stop its
 * client: whatever comes in, the answer is facts or a sentence, in bounded time.
 */
import fs from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { recordIn, text, word } from '../transcript/fields.mts';

export interface HookInput {
  cwd: string | undefined;
  /** The transcripts that the event is about; a sub-agent's beside its parent's. */
  transcripts: string[];
}

/** Time for the JSON to come in, and the most that is taken of it. */
const INPUT_MS = 2000;
const INPUT_BYTES = 16 << 20;
const QUIET_MS = 300;
const QUIET_LIMIT_MS = 2000;

/** Reads one JSON object, also from an input that is never closed. Gives a sentence where there is none. */
export async function readHook(stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }): Promise<HookInput | string> {
  if (stdin.isTTY === true) return 'nothing on standard input: --hook is for a client\'s hooks';
  const said = await textOf(stdin);
  if (said.trim() === '') return 'nothing on standard input';
  const value = recordIn(said);
  if (value === undefined) return 'standard input is not the JSON object of a hook';
  const transcripts = [word(value.transcript_path), word(value.agent_transcript_path)].filter((path) => path !== undefined);
  if (transcripts.length === 0) return `the hook ${nameOf(text(value.hook_event_name))} names no transcript`.replace('  ', ' ');
  return { cwd: word(value.cwd), transcripts };
}

/** An event's name as it may stand in a sentence: whatever else came in its place is cut. */
const nameOf = (event: string): string => event.replace(/[^\w.-]+/g, ' ').trim().slice(0, 40);

function textOf(stdin: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const text = () => Buffer.concat(chunks).toString('utf8');
    const done = () => {
      clearTimeout(timer);
      stdin.removeListener('data', take);
      stdin.pause();
      // A pipe that its writer keeps open must not keep this process alive.
      (stdin as { unref?: () => void }).unref?.();
      resolve(text());
    };
    const take = (chunk: Buffer | string) => {
      chunks.push(Buffer.from(chunk));
      size += chunk.length;
      const last = Buffer.from(chunk).toString('latin1').trimEnd().at(-1);
      if (size > INPUT_BYTES || (last === '}' && recordIn(text()) !== undefined)) done();
    };
    const timer = setTimeout(done, INPUT_MS);
    stdin.on('data', take);
    stdin.on('end', done);
    stdin.on('error', done);
  });
}

/** Waits until the file did not change for a moment, two seconds at most. False where there is no file. */
export async function waitQuiet(file: string): Promise<boolean> {
  const began = Date.now();
  let last = stateOf(file);
  let since = began;
  while (Date.now() - began < QUIET_LIMIT_MS) {
    if (last !== undefined && Date.now() - since >= QUIET_MS) return true;
    await pause(50);
    const now = stateOf(file);
    if (now !== last) since = Date.now();
    last = now;
  }
  return last !== undefined;
}

function stateOf(file: string): string | undefined {
  try {
    const { size, mtimeMs } = fs.statSync(file);
    return `${size}@${mtimeMs}`;
  } catch {
    return undefined;
  }
}

import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { BuildRequest } from '../../capture/build.mts';
import { answer } from '../../lib/cli/answer.mts';
import type { Command, Io, Outcome } from '../../lib/cli/command.mts';
import { storeHere } from '../../lib/cli/store.mts';
import { errnoOf, HandoffError } from '../../lib/errors.mts';
import { findRoot, type Root } from '../../lib/handoff-root.mts';
import { auto } from '../../runtime/auto.mts';
import { readHook, waitQuiet } from '../../runtime/hook.mts';
import { builtLine, LONGEST_LINE, placeOf } from '../handoff/build.mts';

const flags = {
  source: { type: 'value', value: '<file>', summary: 'the transcript' },
  session: { type: 'value', value: '<id>', summary: 'the session it belongs to; else the transcript\'s own id' },
  harness: { type: 'value', value: '<name>', summary: 'a label for the client that wrote it' },
  project: { type: 'value', value: '<name>', summary: 'the project of a new session' },
  'min-fresh-ms': { type: 'number', value: '<n>', summary: 'how much newer than the last revision a source must be (60000)' },
  hook: { type: 'boolean', summary: 'read a client\'s hook from standard input; silent on stdout, always exit 0' },
} as const;

const MIN_FRESH_MS = 60_000;
const HOOK_MS = 20_000;

export const command: Command<typeof flags> = {
  name: 'auto',
  summary: 'build where there is something to take; leave a fresh handoff alone',
  positionals: { min: 0, max: 0 },
  flags,
  exits: { 0: 'captured, or fresh; with --hook always', 1: 'the build failed', 2: 'wrong words, configuration or a missing source', 3: 'a capture is in flight' },
  example: 'agents-handoff auto --source transcript.jsonl',
  // A client may take an exit code for a word of ours, and stop at it.
  neverFails: ({ hook: isHook }) => isHook === true,
  async run(options, _words, io) {
    if (options.hook === true) return hook(io);
    if (options.source === undefined) throw new HandoffError('USAGE', 'auto needs --source <file>, or --hook');
    const found = storeHere(io);
    const request = requestOf(options.source, found.config.redaction.enabled, options);
    try {
      const done = await auto(request, placeOf(found, io), options['min-fresh-ms'] ?? MIN_FRESH_MS, Date.now());
      return answer(done.action === 'skip-fresh' ? { ok: true, ...done } : { ok: true, action: done.action, session: done.session, output: builtLine(done.result) });
    } catch (error) {
      return failed(error, io);
    }
  },
};

function requestOf(file: string, redact: boolean, labels: { session?: string; harness?: string; project?: string }): BuildRequest {
  return { file, session: labels.session, harness: labels.harness, project: labels.project, maxLineBytes: LONGEST_LINE, redact };
}

/** What the engine says is passed on, on stderr and in the JSON; mistakes of the caller and held locks keep their own codes. */
function failed(error: unknown, io: Io): Outcome {
  const code = error instanceof HandoffError ? error.code : errnoOf(error) === undefined ? undefined : 'IO';
  if (code === undefined || ['USAGE', 'CONFIG', 'SOURCE', 'HELD', 'AMBIGUOUS', 'MODE'].includes(code)) throw error;
  const { message } = error as Error;
  io.note(message);
  return answer({ ok: false, action: 'failed', error: { code, message } }, 1);
}

async function hook(io: Io): Promise<Outcome> {
  const silent: Outcome = { json: null, text: '' };
  const until = Date.now() + HOOK_MS;
  try {
    const said = await readHook(io.stdin);
    if (typeof said === 'string') {
      io.note(said);
      return silent;
    }
    const here = { env: io.env, home: io.home, cwd: said.cwd ?? io.cwd };
    const found = findRoot(here);
    for (const file of said.transcripts.map((name) => path.resolve(here.cwd, name))) await capture(file, found, here.cwd, until, io);
  } catch (error) {
    // A hook that fails must not stop its client; what it says is for the client's log.
    io.note(error instanceof Error ? error.message : String(error));
  }
  return silent;
}

/** Never throws: a sub-agent's transcript is captured also where its parent's cannot be. */
async function capture(file: string, found: Root, cwd: string, until: number, io: Io): Promise<void> {
  try {
    if (!(await waitQuiet(file))) {
      io.note(`there is no transcript at ${file} yet; nothing was captured`);
      return;
    }
    const request: BuildRequest = { ...requestOf(file, found.config.redaction.enabled, {}), allowBadLines: true };
    const done = await patient(() => auto(request, { ...placeOf(found, io, cwd), until }, -Infinity, Date.now()), until);
    if (done.action === 'captured') io.note(builtLine(done.result).replace(/^handoff: /, ''));
  } catch (error) {
    io.note(error instanceof Error ? error.message : String(error));
  }
}

/** Two hooks at once: the second waits for the first, since it may have seen more of the transcript. */
async function patient<T>(work: () => Promise<T>, until: number): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof HandoffError && error.code === 'HELD') || Date.now() + 300 > until) throw error;
      await pause(200);
    }
  }
}

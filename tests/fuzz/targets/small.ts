/** What a user, another program or a crash may leave for the product to read: each is taken, or refused in a sentence. */
import fs from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { fillConfig, parseConfig } from '../../../src/lib/config.mts';
import { HandoffError, type ErrorCode } from '../../../src/lib/errors.mts';
import { acquire } from '../../../src/lib/fs/lock.mts';
import { allLocks, lockFile, recordsOf } from '../../../src/lib/fs/lock-file.mts';
import { readHook } from '../../../src/runtime/hook.mts';
import { freshFolder } from '../../helpers/run.ts';
import type { Target } from '../fuzz.ts';
import { mutate, pick, type Random } from '../mutate.ts';

/** Gives `taken`, or the code of the refusal; anything but a sentence of one of `codes` is a failure. */
export function refusedAs(codes: readonly ErrorCode[], act: () => unknown): string {
  try {
    act();
    return 'taken';
  } catch (error) {
    if (!(error instanceof HandoffError) || !codes.includes(error.code)) throw error;
    if (error.message.includes('\n') || error.message.trim() === '') throw new Error(`no sentence: ${JSON.stringify(error.message)}`);
    return error.code;
  }
}

const CONFIGS = [
  { version: 1, handoff_dir: 'handoffs', project_name: 'shop', max_brief_tokens: 9000, redaction: { enabled: true, patterns: ['acme-[0-9]+'] } },
  { linking: { enabled: true, min_overlap_score: 0.1 }, capture: { exclude_patterns: ['Bash*'], truncate_tool_outputs: true, max_tool_output_length: 10 }, storage: { type: 'filesystem', path: 'x' } },
].map((config) => Buffer.from(JSON.stringify(config, null, 2)));

export const configs: Target = {
  name: 'configs',
  share: 20,
  run: (random) => refusedAs(['CONFIG'], () => fillConfig(parseConfig('handoff.config.json', mutate(random, pick(random, CONFIGS)).toString('utf8')).config)),
};

const HOOKS = [
  { session_id: 's', transcript_path: '/nowhere/t.jsonl', cwd: '/nowhere', hook_event_name: 'Stop' },
  { session_id: 's', transcript_path: null, hook_event_name: 'SessionEnd', reason: 'exit' },
  { hook_event_name: 'SubagentStop', agent_transcript_path: '/nowhere/a.jsonl', transcript_path: '/nowhere/t.jsonl', cwd: '/' },
].map((hook) => Buffer.from(JSON.stringify(hook)));

export const hooks: Target = {
  name: 'hooks',
  share: 15,
  async run(random) {
    const input = new PassThrough();
    input.end(mutate(random, pick(random, HOOKS)));
    const read = await readHook(input);
    if (typeof read === 'string') {
      if (read.includes('\n') || read.length > 300) throw new Error(`no sentence: ${JSON.stringify(read)}`);
      return 'a sentence';
    }
    if (read.transcripts.length === 0 || read.transcripts.some((one) => typeof one !== 'string')) throw new Error('no transcript in what was taken');
    return 'taken';
  },
};

let folder: string | undefined;

/** A lock file that nobody can read is dead after two seconds, which this one has behind it. */
export const locks: Target = {
  name: 'locks',
  share: 5,
  run(random) {
    folder ??= freshFolder('handoff-fuzz-locks-');
    const lock = acquire(folder, 'k', 'build');
    const file = lockFile(folder, 'k');
    const bytes = fs.readFileSync(file);
    lock.release();
    fs.writeFileSync(file, mutate(random, bytes));
    const old = new Date(Date.now() - 60_000);
    fs.utimesSync(file, old, old);
    for (const held of allLocks(folder)) recordsOf(held);
    const outcome = refusedAs(['HELD'], () => acquire(folder as string, 'k', 'build').release());
    for (const name of fs.readdirSync(folder)) fs.rmSync(path.join(folder, name), { recursive: true });
    return outcome;
  },
  end: () => { if (folder !== undefined) fs.rmSync(folder, { recursive: true, force: true }); folder = undefined; },
};

export type { Random };

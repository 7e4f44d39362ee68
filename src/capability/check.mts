/** Every declared capability put to its probe: side by side, each in its own time, none able to hold or to break another. */
import { setTimeout as pause } from 'node:timers/promises';
import { errnoOf } from '../lib/errors.mts';
import { redactText } from '../transcript/redaction/create.mts';
import type { Capability } from './declared.mts';
import { unknown, type Finding, type Ground, type Probe, type Verdict } from './probe.mts';
import { probe as command } from './probes/command.mts';
import { probe as dirWritable } from './probes/dir-writable.mts';
import { probe as fileExists } from './probes/file-exists.mts';
import { probe as git } from './probes/git.mts';
import { probe as harness } from './probes/harness.mts';
import { probe as nodeFeature } from './probes/node-feature.mts';

/** Every kind that can be probed. */
export const KINDS: Readonly<Record<string, Probe>> = {
  'file-exists': fileExists,
  'dir-writable': dirWritable,
  command,
  harness,
  'node-feature': nodeFeature,
  git,
};

export interface Result {
  readonly id: string;
  readonly verdict: Verdict;
  readonly evidence: string;
  readonly required: boolean;
  readonly kind: string;
  readonly checked_at: string;
}

const TIME_LIMIT_MS = 10_000;
/** A probe that does not keep its own time is left alone after this much more. */
const GRACE_MS = 1000;
/** More at once would make each other slow. */
const AT_ONCE = 8;

/** The results in the order of `capabilities`. `onResult` is told of each as it comes. */
export async function checkAll(capabilities: readonly Capability[], ground: Ground, onResult: (done: number) => void = () => {}): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < capabilities.length; at = next++) {
      const capability = capabilities[at] as Capability;
      const { verdict, evidence } = await look(capability, ground);
      results[at] = { id: capability.id, verdict, evidence: oneLine(evidence), required: capability.required, kind: capability.kind, checked_at: new Date().toISOString() };
      onResult(++done);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}

async function look(capability: Capability, ground: Ground): Promise<Finding> {
  const probe = Object.hasOwn(KINDS, capability.kind) ? KINDS[capability.kind] : undefined;
  if (probe === undefined) return unknown(`nothing here can probe the kind "${capability.kind}" (known: ${Object.keys(KINDS).join(', ')})`);
  const target = capability.kind === 'command' ? capability.command ?? capability.target : capability.target;
  if (target === undefined || target.trim() === '') return unknown(`it is declared without a ${capability.kind === 'command' ? 'command' : 'target'}`);
  const limitMs = capability.timeout_ms ?? TIME_LIMIT_MS;
  const over = new AbortController();
  try {
    // A file system that does not answer cannot be ended, only left.
    return await Promise.race([
      probe({ ...capability, target }, ground, limitMs),
      pause(limitMs + GRACE_MS, unknown(`there was no answer within ${limitMs + GRACE_MS} ms`), { signal: over.signal }),
    ]);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return unknown(`it could not be probed: ${(error as Error).message}`);
  } finally {
    over.abort();
  }
}

const LONGEST_EVIDENCE = 300;

/** What a program printed may hold anything, and is kept in the state. */
function oneLine(text: string): string {
  const line = redactText(text.toWellFormed()).replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
  return line.length <= LONGEST_EVIDENCE ? line : `${line.slice(0, LONGEST_EVIDENCE - 1).toWellFormed()}…`;
}

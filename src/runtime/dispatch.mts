/**
 * Handing a verified handoff to a broker's queue. A dry run writes nothing. A live one has its record on the disk before the
 * broker is called, and completes it with the answer: whatever dies in between, the same dispatch is not sent twice unless
 * a person asks for it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { errnoOf, HandoffError } from '../lib/errors.mts';
import { readText, replaceFile } from '../lib/fs/files.mts';
import { sha256 } from '../lib/hash-chain.mts';
import { NEW, type IndexRow } from '../store/index-file.mts';
import { sessionPaths } from '../store/layout.mts';
import { dirOf } from '../store/lookup.mts';
import { readManifest } from '../store/manifest.mts';
import type { Json } from '../transcript/turn.mts';
import { judge, mustHaveManifest } from './gate.mts';
import { takeOlder } from './older-locks.mts';

export interface DispatchOptions {
  task: string;
  role: string;
  parent: string | undefined;
  broker: string | undefined;
  live: boolean;
  again: boolean;
  /** The node that runs the broker, and its PATH. */
  node: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Takes secrets out of what is kept and shown; the broker is told the task as it is. */
  redact<T extends Json>(value: T): T;
  /** How long the broker may take, in ms. */
  limitMs?: number;
}

export interface Envelope {
  from_handoff: string;
  project: string;
  role: string;
  parentTaskId: string;
  objective: string;
  evidence: string;
  evidenceRequirements: ['verified-handoff'];
  dispatchedAt: string;
  broker_mode: 'dry-run' | 'live';
  handoff_dir: string;
}

export type Dispatched =
  | { ok: false; status: 'GATE_REJECTED'; reason: string }
  | { ok: true; status: 'DRY_RUN'; envelope: Envelope; next: string }
  | { ok: true; status: 'DISPATCHED' | 'ALREADY_DISPATCHED'; envelope: Envelope; broker_output: unknown }
  /** The broker said that it did not take it: it may be sent again. */
  | { ok: false; status: 'BROKER_FAILED'; envelope: Envelope; reason: string }
  /** It was begun and nobody knows whether the broker took it. */
  | { ok: false; status: 'OUTCOME_UNKNOWN'; envelope: Envelope; reason: string };

/** `dispatch.<id>.json` in the session's folder; without `broker_output` while the answer is not there. */
interface DispatchRecord {
  envelope: Envelope;
  broker_output?: unknown;
}

const BROKER = path.join('runtime', 'request-child-worker.mjs');
const TIMEOUT_MS = 60_000;
const REASON_LENGTH = 400;
export const DEFAULT_ROLE = 'implementation-agent';

/** Throws USAGE, NO_MATCH for a broker that is missing, HELD where the same dispatch is on its way. */
export function dispatch(root: string, found: IndexRow, options: DispatchOptions): Dispatched {
  const row = mustHaveManifest(root, found);
  const gate = judge(root, row);
  const failed = (['contract', 'evidence'] as const).filter((check) => gate.checks[check] === 'FAIL');
  if (failed.length > 0) return { ok: false, status: 'GATE_REJECTED', reason: failed.map((check) => `${check}: ${gate.details[check]}`).join('; ') };
  const dir = dirOf(root, row);
  const read = readManifest(sessionPaths(dir).manifest);
  const evidence = read.state === 'read' ? read.manifest.manifest_sha256 : '';
  const envelope: Envelope = {
    from_handoff: row.uuid, project: row.project, role: options.role, parentTaskId: options.parent ?? `handoff:${row.id}`,
    objective: options.redact(options.task), evidence, evidenceRequirements: ['verified-handoff'], dispatchedAt: new Date().toISOString(),
    broker_mode: options.live ? 'live' : 'dry-run', handoff_dir: dir,
  };
  if (!options.live) return { ok: true, status: 'DRY_RUN', envelope, next: 'add --live --broker <root> to send it' };
  if (options.broker === undefined) throw new HandoffError('USAGE', '--live needs --broker <root>');
  const program = path.join(options.broker, BROKER);
  if (!existsSync(program)) throw new HandoffError('NO_MATCH', `there is no broker at ${program}`);
  return send(root, row, options, envelope, program);
}

function send(root: string, row: IndexRow, options: DispatchOptions, envelope: Envelope, program: string): Dispatched {
  const { role, parentTaskId, evidence } = envelope;
  const objective = options.task;
  // What makes two dispatches the same: all that the broker is told, and the state that it is told of.
  const id = sha256(JSON.stringify([path.resolve(options.broker ?? ''), row.uuid, role, parentTaskId, objective, evidence])).slice(0, 24);
  const record = path.join(dirOf(root, row), `dispatch.${id}.json`);
  const lock = takeOlder(root, 'dispatch', `${row.uuid}:${id}`);
  try {
    const before = readText(record);
    if (before !== undefined && !options.again) return told(before, envelope);
    const write = (facts: DispatchRecord): void => replaceFile(record, JSON.stringify(facts, null, 2), NEW);
    write({ envelope });
    const call = callBroker(program, [options.broker ?? '', parentTaskId, role, objective, `handoff:${row.id}`], options);
    if ('refused' in call) {
      // It was not taken: what was sent before, where there is such, is what still holds.
      if (before === undefined) unlinkSync(record);
      else replaceFile(record, before, NEW);
      return { ok: false, status: 'BROKER_FAILED', envelope, reason: call.refused };
    }
    if ('unknown' in call) return { ok: false, status: 'OUTCOME_UNKNOWN', envelope, reason: `${call.unknown}; ${LOOK}` };
    const answer = options.redact(call.answer);
    write({ envelope, broker_output: answer });
    return { ok: true, status: 'DISPATCHED', envelope, broker_output: answer };
  } finally {
    lock.release();
  }
}

const LOOK = 'whether the broker has it is not known: look in its queue, and send it once more with --again';

/** What a record of the same dispatch says. One that cannot be read is no proof that nothing was sent. */
function told(text: string, envelope: Envelope): Dispatched {
  const sent = parse(text) as Partial<DispatchRecord> | undefined;
  if (sent?.broker_output !== undefined) return { ok: true, status: 'ALREADY_DISPATCHED', envelope: sent.envelope ?? envelope, broker_output: sent.broker_output };
  const since = sent?.envelope?.dispatchedAt;
  return { ok: false, status: 'OUTCOME_UNKNOWN', envelope: sent?.envelope ?? envelope, reason: `the same dispatch was begun${since === undefined ? '' : ` at ${since}`} and its end is not recorded; ${LOOK}` };
}

/** Only the broker's own exit status or answer says that it did not take it. */
function callBroker(program: string, words: string[], { node, env, redact, limitMs = TIMEOUT_MS }: DispatchOptions): { answer: Json } | { refused: string } | { unknown: string } {
  const { status, signal, error, stdout } = spawnSync(node, [program, ...words], {
    encoding: 'utf8', timeout: limitMs, killSignal: 'SIGKILL', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 16 << 20, env: { ...env },
  });
  if (errnoOf(error) === 'ETIMEDOUT') return { unknown: `the broker did not end within ${limitMs / 1000} seconds` };
  if (errnoOf(error) === 'ENOBUFS') return { unknown: 'the broker answered more than can be read' };
  if (error !== undefined) return { refused: `the broker could not be started (${error.message})` };
  if (status === null) return { unknown: `the broker was ended by ${signal ?? 'a signal'}` };
  if (status !== 0) return { refused: `the broker ended with exit ${status}` };
  const answer = parse(stdout);
  if (answer === undefined) return { unknown: 'the broker did not answer with JSON' };
  return saysNo(answer) ? { refused: `the broker answered ${JSON.stringify(redact(answer)).slice(0, REASON_LENGTH)}` } : { answer };
}

/** A broker may say in its answer alone that it did not take it. */
function saysNo(answer: Json): boolean {
  return typeof answer === 'object' && answer !== null && !Array.isArray(answer) && answer['ok'] === false;
}

function parse(text: string): Json | undefined {
  try {
    return (JSON.parse(text) as Json | null) ?? undefined;
  } catch {
    return undefined;
  }
}

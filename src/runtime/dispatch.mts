/**
 * Handing a verified handoff to a broker's queue. A dry run writes nothing; a live one leaves a record, so that the same
 * dispatch is not sent twice.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { HandoffError } from '../lib/errors.mts';
import { acquire } from '../lib/fs/lock.mts';
import { readText, replaceFile } from '../lib/fs/files.mts';
import { sha256 } from '../lib/hash-chain.mts';
import type { IndexRow } from '../store/index-file.mts';
import { sessionPaths, storePaths } from '../store/layout.mts';
import { dirOf } from '../store/lookup.mts';
import { readManifest } from '../store/manifest.mts';
import { judge } from './gate.mts';

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
  | { ok: false; status: 'BROKER_FAILED'; envelope: Envelope; reason: string };

const BROKER = path.join('runtime', 'request-child-worker.mjs');
const TIMEOUT_MS = 60_000;
export const DEFAULT_ROLE = 'implementation-agent';

/** Throws USAGE, NO_MATCH for a broker that is missing, HELD where the same dispatch is on its way. */
export function dispatch(root: string, row: IndexRow, options: DispatchOptions): Dispatched {
  const gate = judge(root, row);
  const failed = (['contract', 'evidence'] as const).filter((check) => gate.checks[check] === 'FAIL');
  if (failed.length > 0) return { ok: false, status: 'GATE_REJECTED', reason: failed.map((check) => `${check}: ${gate.details[check]}`).join('; ') };
  const dir = dirOf(root, row);
  const read = readManifest(sessionPaths(dir).manifest);
  const evidence = read.state === 'read' ? read.manifest.manifest_sha256 : '';
  const envelope: Envelope = {
    from_handoff: row.uuid, project: row.project, role: options.role, parentTaskId: options.parent ?? `handoff:${row.id}`,
    objective: options.task, evidence, evidenceRequirements: ['verified-handoff'], dispatchedAt: new Date().toISOString(),
    broker_mode: options.live ? 'live' : 'dry-run', handoff_dir: dir,
  };
  if (!options.live) return { ok: true, status: 'DRY_RUN', envelope, next: 'add --live --broker <root> to send it' };
  if (options.broker === undefined) throw new HandoffError('USAGE', '--live needs --broker <root>');
  const program = path.join(options.broker, BROKER);
  if (!existsSync(program)) throw new HandoffError('NO_MATCH', `there is no broker at ${program}`);
  return send(root, row, options, envelope, program);
}

function send(root: string, row: IndexRow, options: DispatchOptions, envelope: Envelope, program: string): Dispatched {
  const { role, parentTaskId, objective, evidence } = envelope;
  // What makes two dispatches the same: all that the broker is told, and the state that it is told of.
  const id = sha256(JSON.stringify([path.resolve(options.broker ?? ''), row.uuid, role, parentTaskId, objective, evidence])).slice(0, 24);
  const record = path.join(dirOf(root, row), `dispatch.${id}.json`);
  const lock = acquire(storePaths(root).locks, `dispatch:${row.uuid}:${id}`, 'dispatch');
  try {
    const sent = parse(readText(record) ?? '');
    if (sent !== undefined && !options.again) return { ok: true, status: 'ALREADY_DISPATCHED', envelope, broker_output: sent };
    let output: string;
    try {
      output = execFileSync(options.node, [program, options.broker ?? '', parentTaskId, role, objective, `handoff:${row.id}`], {
        encoding: 'utf8', timeout: TIMEOUT_MS, stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 16 << 20, env: { ...options.env },
      });
    } catch (error) {
      return { ok: false, status: 'BROKER_FAILED', envelope, reason: `the broker ended with an error (${String((error as { status?: unknown }).status ?? (error as Error).message)})` };
    }
    const answer = parse(output);
    if (answer === undefined) return { ok: false, status: 'BROKER_FAILED', envelope, reason: 'the broker did not answer with JSON' };
    replaceFile(record, JSON.stringify({ envelope, broker_output: answer }, null, 2), lock.token);
    return { ok: true, status: 'DISPATCHED', envelope, broker_output: answer };
  } finally {
    lock.release();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

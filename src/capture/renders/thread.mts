/**
 * Renders in a thread of their own, beside the reading of a long transcript: they need nothing but the timeline's bytes,
 * so the thread follows the file as it grows. A short one is rendered in place, since starting a thread costs more.
 */
import { Worker } from 'node:worker_threads';
import { HandoffError, type ErrorCode } from '../../lib/errors.mts';
import { removeQuietly } from '../../lib/fs/files.mts';
import type { Rollback } from '../../lib/fs/rollback.mts';
import { stagedName } from '../../store/layout.mts';
import type { RenderView } from '../../render/view.mts';
import { openRenders, type Rendered, type RenderJob, type Renders } from './renders.mts';

export type Order = { id: number } & (
  | { act: 'advance'; bytes: number }
  | { act: 'finish'; bytes: number; view: RenderView }
  | { act: 'seal'; view: RenderView }
  | { act: 'hash'; fd: number; bytes: number }
);

export interface Answer {
  id: number;
  value?: unknown;
  error?: { kind: 'handoff'; code: ErrorCode; message: string } | { kind: 'errno'; code: string; message: string } | { kind: 'bug'; message: string; stack: string };
}

/** From this many bytes on a thread pays. */
const LONG = 6 << 20;
/**
 * A heap that may grow to many gigabytes lets garbage pile up to several times of what lives, which is 20 MB for a
 * transcript of 1 GB; one with this limit collects sooner. What a session leaves in the thread stays far below it.
 */
const LIMITS = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 1024 };
/** The thread is told of the timeline's growth in steps of about this many bytes. */
const STEP = 2 << 20;

/** `bytes`: how much of the source is new. What was captured before is read by nobody else meanwhile. */
export function startRenders(job: RenderJob, bytes: number, rollback: Rollback): Renders {
  // Run from its sources, as tests do, the product has no built file to start a thread from.
  if (bytes < LONG || import.meta.url.endsWith('.mts')) return openRenders(job, rollback);
  return inThread(job, rollback);
}

function inThread(job: RenderJob, rollback: Rollback): Renders {
  const { paths, token } = job;
  for (const target of [paths.tools, paths.payload, paths.summary, paths.brief]) rollback.push(() => removeQuietly(stagedName(target, token)));
  const worker = new Worker(new URL('./worker.mjs', import.meta.url), { workerData: job, resourceLimits: LIMITS });
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  let failed: Error | undefined;
  let sent = 0;
  let told = 0;

  const fail = (error: Error) => {
    failed ??= error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  worker.on('error', fail);
  worker.on('exit', () => fail(new Error('the thread of the renders ended early')));
  worker.on('message', ({ id, value, error }: Answer) => {
    const one = waiting.get(id);
    waiting.delete(id);
    if (error !== undefined) {
      failed ??= errorOf(error);
      one?.reject(failed);
    } else one?.resolve(value as never);
  });
  const ask = <T,>(order: Order): Promise<T> => new Promise<T>((resolve, reject) => {
    if (failed !== undefined) {
      reject(failed);
      return;
    }
    waiting.set(order.id, { resolve, reject });
    worker.postMessage(order);
  });

  return {
    advance(bytes) {
      if (bytes - told < STEP) return;
      told = bytes;
      // Nobody waits for it: a failure is told by what is asked next.
      ask({ id: (sent += 1), act: 'advance', bytes }).catch(() => {});
    },
    finish: (bytes, view) => ask<Rendered>({ id: (sent += 1), act: 'finish', bytes, view }),
    hash: (fd, bytes) => ask<string>({ id: (sent += 1), act: 'hash', fd, bytes }),
    async seal(view) {
      await ask<undefined>({ id: (sent += 1), act: 'seal', view });
      await stop(worker);
    },
    inThread: true,
    async abandon() {
      await stop(worker);
    },
  };
}

async function stop(worker: Worker): Promise<void> {
  worker.removeAllListeners('exit');
  await worker.terminate();
}

function errorOf(error: NonNullable<Answer['error']>): Error {
  if (error.kind === 'handoff') return new HandoffError(error.code, error.message);
  if (error.kind === 'errno') return Object.assign(new Error(error.message), { code: error.code });
  return Object.assign(new Error(error.message), { stack: error.stack });
}

/** What runs in the thread that thread.mts starts: the renders of one session, driven by messages. */
import { parentPort, workerData } from 'node:worker_threads';
import { errnoOf, HandoffError } from '../../lib/errors.mts';
import { readBytes } from '../../lib/fs/lines.mts';
import { createRollback } from '../../lib/fs/rollback.mts';
import { hasher } from '../../lib/hash-chain.mts';
import { openRenders, type RenderJob } from './renders.mts';
import type { Answer, Order } from './thread.mts';

// What is staged here is removed by the thread that holds the lock.
const renders = openRenders(workerData as RenderJob, createRollback());

parentPort?.on('message', (order: Order) => {
  void run(order).then(
    (value) => parentPort?.postMessage({ id: order.id, value } satisfies Answer),
    (error: unknown) => parentPort?.postMessage({ id: order.id, error: told(error) } satisfies Answer),
  );
});

async function run(order: Order): Promise<unknown> {
  if (order.act === 'advance') return renders.advance(order.bytes);
  if (order.act === 'finish') return renders.finish(order.bytes, order.view);
  if (order.act === 'hash') return hashOf(order.fd, order.bytes);
  return renders.seal(order.view);
}

/** Descriptors belong to the process; reads that name their place do not disturb each other. */
function hashOf(fd: number, bytes: number): string {
  const hash = hasher();
  readBytes(fd, 0, bytes, (chunk) => hash.update(chunk));
  return hash.digest('hex');
}

/** An error's class is lost on the way between threads. */
function told(error: unknown): NonNullable<Answer['error']> {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof HandoffError) return { kind: 'handoff', code: error.code, message };
  const errno = errnoOf(error);
  return errno === undefined ? { kind: 'bug', message, stack: error instanceof Error ? error.stack ?? '' : '' } : { kind: 'errno', code: errno, message };
}

/**
 * Commands of the built program without the start of Node, which takes longer than most of them. Real starts are what
 * `runProcess` makes, and what every command of `npm run test:fault` is.
 */
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads';

/** Entries, and the module that each hands to the runner. */
export const PROGRAMS: Readonly<Record<string, string>> = {
  handoff: 'commands/handoff/table', 'agents-handoff': 'commands/runtime/table', 'agent-handoff': 'commands/runtime/table', cli: 'commands/umbrella',
  'runtime-engine': 'commands/execution/table', 'capability-registry': 'commands/capability/table', 'install/install': 'commands/install/table',
};

export interface Asked {
  program: string;
  argv: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  input: Buffer;
}

/** No command of a test takes longer. */
const LONGEST_MS = 120_000;

interface Thread { port: MessagePort; done: Int32Array }

/** One for each copy of the product. */
const threads = new Map<string, Thread>();

function start(product: string): Thread {
  const { port1, port2 } = new MessageChannel();
  const done = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL('./warm-thread.mjs', import.meta.url), { workerData: { product, port: port2, done }, transferList: [port2] });
  worker.unref();
  port1.unref();
  return { port: port1, done };
}

/** Runs a command and waits for its end. */
export function runWarm(product: string, asked: Asked): { status: number; stdout: string; stderr: string } {
  const thread = threads.get(product) ?? start(product);
  threads.set(product, thread);
  Atomics.store(thread.done, 0, 0);
  thread.port.postMessage(asked);
  if (Atomics.wait(thread.done, 0, 0, LONGEST_MS) === 'timed-out') throw new Error(`${asked.program} ${asked.argv.join(' ')} did not end`);
  // The word that it has ended may come before the message does.
  let got: { message: { status: number; stdout: string; stderr: string; broken?: string } } | undefined;
  const until = Date.now() + LONGEST_MS;
  while ((got = receiveMessageOnPort(thread.port) as typeof got) === undefined && Date.now() < until) Atomics.wait(thread.done, 0, 1, 1);
  if (got === undefined) throw new Error(`${asked.program} ${asked.argv.join(' ')} ended without an answer`);
  const { message } = got;
  if (message.broken !== undefined) throw new Error(message.broken);
  return message;
}

/** A broker for `dispatch --live`: a program that queues on the disk what it is asked for, and can be told to misbehave. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Manner = 'queues' | 'refuses' | 'declines' | 'dies' | 'mumbles' | 'hangs';

const PROGRAM = `
import { appendFileSync, existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
const [broker, parent, role, task, handoff] = process.argv.slice(2);
const manner = readFileSync(join(broker, 'manner'), 'utf8');
if (manner === 'refuses') {
  console.error('broker: no worker for ' + role);
  process.exit(7);
}
if (manner === 'declines') {
  console.log(JSON.stringify({ ok: false, error: 'the queue is full' }));
  process.exit(0);
}
// What the store says of the dispatch while it is on its way.
const session = process.env.SESSION_FOLDER;
const record = session === undefined ? undefined : readdirSync(session).find((name) => name.startsWith('dispatch.') && name.endsWith('.json'));
appendFileSync(join(broker, 'queue.jsonl'), JSON.stringify({ pid: process.pid, broker, parent, role, task, handoff, record: record === undefined ? null : JSON.parse(readFileSync(join(session, record), 'utf8')) }) + '\\n');
if (manner === 'dies') process.kill(process.pid, 'SIGKILL');
if (manner === 'hangs') setInterval(() => {}, 1000);
else console.log(manner === 'mumbles' ? 'queued it' : JSON.stringify({ status: 'queued', worker: 'worker-1' }));
`;

export interface Queued { pid: number; broker: string; parent: string; role: string; task: string; handoff: string; record: { envelope: object; broker_output?: unknown } | null }

export class Broker {
  readonly root: string;

  constructor(root: string, manner: Manner = 'queues') {
    this.root = root;
    mkdirSync(join(root, 'runtime'), { recursive: true });
    writeFileSync(join(root, 'runtime/request-child-worker.mjs'), PROGRAM);
    writeFileSync(join(root, 'queue.jsonl'), '');
    this.manner = manner;
  }

  set manner(manner: Manner) {
    writeFileSync(join(this.root, 'manner'), manner);
  }

  /** What it has taken, in order. */
  get queue(): Queued[] {
    return readFileSync(join(this.root, 'queue.jsonl'), 'utf8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Queued);
  }
}

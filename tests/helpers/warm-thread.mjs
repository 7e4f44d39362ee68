/**
 * The thread of warm.ts: the built program, loaded once. Commands reach the process through their host only, so one
 * that is run here has the folder, the environment and the streams that it would have as a process of its own.
 */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { parentPort, workerData } from 'node:worker_threads';

const { product, port, done } = workerData;
const require = createRequire(import.meta.url);
// As an entry has it: what it gives for a module that this Node does not have is not what `require` does.
const { $take } = require('../../scripts/build/modules.cjs')(process.getBuiltinModule ?? require, join(product, 'tools'));
const parts = readdirSync(join(product, 'tools/parts')).map((part) => part.replace(/\.cjs$/, ''));
const { run } = $take('lib/cli/runner', ...parts);

port.on('message', ({ program, argv, cwd, env, input }) => {
  const written = { stdout: [], stderr: [] };
  const sink = (name) => Object.assign(new Writable({
    write(chunk, _encoding, next) {
      written[name].push(chunk);
      next();
    },
  }), { isTTY: false });
  const host = { stdin: Object.assign(Readable.from(input.length === 0 ? [] : [input]), { isTTY: false }), stdout: sink('stdout'), stderr: sink('stderr'), env, node: process.execPath, home: product, cwd: () => cwd };
  const answer = (outcome) => {
    const text = (name) => Buffer.concat(written[name]).toString('utf8');
    port.postMessage({ ...outcome, stdout: text('stdout'), stderr: text('stderr') });
    Atomics.store(done, 0, 1);
    Atomics.notify(done, 0);
  };
  run($take(program).program, argv, host).then((status) => answer({ status }), (error) => answer({ broken: String(error?.stack ?? error) }));
});
parentPort.unref();

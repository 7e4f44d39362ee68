// Writes tools/ready/: for each part what V8 compiles of it while the usual commands run, so that the same Node
// need not do it again at every start. `node scripts/build/ready.mjs`, after the parts were written.
// Nothing of it is needed: another Node passes over these files, and compiles the parts as it always does.
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const tools = path.join(root, 'tools');
const scratch = mkdtempSync(path.join(tmpdir(), 'handoff-ready-'));
const transcript = path.join(scratch, 'transcript.jsonl');

/**
 * Each run keeps what the runs before it had compiled, and adds its own. With the seed V8 gives the same bytes again, so that
 * who builds the package anew can hold it against the published one.
 */
function run(entry, words, input = '') {
  const { status, stderr } = spawnSync(process.execPath, ['--random-seed=1', '--require', path.join(root, 'scripts/build/keep-ready.cjs'), path.join(tools, `${entry}.mjs`), ...words], {
    cwd: scratch, input, encoding: 'utf8', env: { HOME: scratch, HANDOFFS_ROOT: path.join(scratch, 'store'), AGENT_HANDOFF_STATE_DIR: path.join(scratch, 'state'), PATH: process.env.PATH, ...(process.env.SystemRoot === undefined ? {} : { SystemRoot: process.env.SystemRoot }) },
  });
  if (status !== 0) throw new Error(`${entry} ${words.join(' ')} ended with ${status}: ${stderr}`);
}

try {
  const lines = readFileSync(path.join(root, 'examples/transcript.jsonl'), 'utf8').trimEnd().split('\n');
  const half = lines.length >> 1;
  writeFileSync(transcript, `${lines.slice(0, half).join('\n')}\n`);
  run('handoff', ['build', transcript, '--session', 'ready']);
  appendFileSync(transcript, `${lines.slice(half).join('\n')}\n`);
  run('handoff', ['build', transcript, '--session', 'ready']);
  run('handoff', ['build', transcript, '--session', 'ready']);
  for (const words of [['verify', 'ready'], ['verify', '--all'], ['list'], ['show', 'ready'], ['config'], ['sources', '--all'], ['--version']]) run('handoff', words);
  run('agents-handoff', ['auto', '--hook'], JSON.stringify({ transcript_path: transcript, session_id: 'ready', hook_event_name: 'SessionEnd' }));
  run('agents-handoff', ['index']);
  for (const entry of ['agents-handoff', 'agent-handoff', 'cli', 'runtime-engine', 'capability-registry', 'install/install']) run(entry, ['--version']);
  run('install/install', ['version']);
  run('capability-registry', ['list']);
  run('runtime-engine', ['policy']);
} catch (error) {
  // A machine on which nothing can be started, say: who only installs must not fail for want of it. The tests do.
  console.error(`tools/ready/ is left out, so that commands start a little later: ${error.message}`);
  rmSync(path.join(tools, 'ready'), { recursive: true, force: true });
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

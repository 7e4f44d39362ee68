/** The row about choosing among thousands of recorded sessions. */
import fs from 'node:fs';
import path from 'node:path';
import { expectText, type Bench, type Line } from './bench.ts';
import { inPairs, run, settle, type Work } from './measure.ts';
import { makeTranscript } from './transcript.ts';

/** Looks at every file and reads the beginning of the newest ones: what nobody can do without who lists them. */
const FLOOR = `
const fs = require('node:fs');
const files = fs.readFileSync(process.argv[1], 'utf8').split('\\n').map((name) => ({ name, at: fs.statSync(name).mtimeMs }));
const head = Buffer.alloc(65536);
for (const { name } of files.sort((a, b) => b.at - a.at).slice(0, 50)) {
  const fd = fs.openSync(name, 'r');
  fs.readSync(fd, head, 0, head.length, 0);
  fs.closeSync(fd);
}`;
const SHOWN = 50;
const FOLDERS = 40;

/** A home with so many sessions, every second one of Codex. Those that are shown are long; for the others only their number counts. */
function fillHome(bench: Bench, count: number): { home: string; list: string } {
  const home = bench.path('home');
  const long = bench.path('long.jsonl');
  const short = bench.path('short.jsonl');
  makeTranscript(long, 100_000, 21);
  makeTranscript(short, 1_000, 22);
  const rollouts = [long, short].map((file) => makeRollout(file.replace('.jsonl', '.rollout.jsonl'), fs.statSync(file).size));
  const names: string[] = [];
  for (let at = 0; at < count; at++) {
    const id = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
    const day = String((at % 28) + 1).padStart(2, '0');
    const name = at % 2 === 0 ? `.claude/projects/-work-${at % FOLDERS}/${id}.jsonl` : `.codex/sessions/2026/01/${day}/rollout-2026-01-${day}T00-00-00-${id}.jsonl`;
    const file = path.join(home, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const isLong = at < 2 * SHOWN;
    fs.copyFileSync(at % 2 === 0 ? (isLong ? long : short) : (rollouts[isLong ? 0 : 1] as string), file);
    fs.utimesSync(file, 1_780_000_000 - at, 1_780_000_000 - at);
    names.push(file);
  }
  const list = bench.path('sessions.txt');
  fs.writeFileSync(list, names.join('\n'));
  settle();
  return { home, list };
}

/** A session of Codex of about so many bytes. Gives `file`. */
function makeRollout(file: string, bytes: number): string {
  const line = (type: string, payload: object): string => `${JSON.stringify({ timestamp: '2026-01-01T00:00:00.000Z', type, payload })}\n`;
  const said = (role: string, text: string): string => line('response_item', { type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] });
  let text = line('session_meta', { id: 'thread', cwd: '/srv/shop', cli_version: '0.130.0', instructions: 'Be exact. '.repeat(bytes < 20_000 ? 1 : 1_500) });
  for (let turn = 0; text.length < bytes; turn++) text += said('user', `Find out why total ${turn} is wrong`) + said('assistant', `Total ${turn} holds the discount twice. `.repeat(20));
  fs.writeFileSync(file, text);
  return file;
}

export function sourcesAmongMany(bench: Bench): Line[] {
  const count = bench.quick ? 1_000 : 5_000;
  bench.say(`writing ${count} sessions`);
  const { home, list } = fillHome(bench, count);
  const floor: Work = { argv: ['-e', FLOOR, list], cwd: bench.scratch };
  const work = bench.handoff(bench.store(), 'sources', '--all');
  const ours: Work = { ...work, env: { ...work.env, HOME: home }, after: (stdout) => expectText(stdout, new RegExp(`and ${count - SHOWN} older ones`)) };
  const seen = inPairs(() => run(floor), () => run(ours), bench.quick ? 11 : 21);
  return [{ work: `sources among ${count} sessions`, value: seen.ratio, most: 3, unit: '×', floor: seen.floor, ours: seen.ours, spread: [seen.low, seen.high], note: `floor: a stat of each, 64 KiB of ${SHOWN}` }];
}

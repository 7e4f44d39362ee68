/** Damaged transcripts of every harness: a build refuses them in a sentence, or captures them into a session that verifies. */
import fs from 'node:fs';
import path from 'node:path';
import { exitCodeOf } from '../../../src/lib/cli/exit-codes.mts';
import { HandoffError } from '../../../src/lib/errors.mts';
import { buildInto, failures, timelineOf } from '../../helpers/build.ts';
import { freshFolder, REPOSITORY } from '../../helpers/run.ts';
import type { Target } from '../fuzz.ts';
import { mutate, pick, type Random } from '../mutate.ts';

const FIXTURES = path.join(REPOSITORY, 'tests/fixtures');

interface Sample {
  /** The folder or file that is copied, and what of it the build is given. */
  from: string;
  build: string;
}

/** A transcript that is one file, or a folder of files with the one that names it. */
const SAMPLES: Sample[] = [
  ...['claude-code', 'codex', 'gemini', 'kilo', 'pi', 'qwen', 'copilot', 'continue'].flatMap((harness) => filesOf(path.join(FIXTURES, harness)).map((file) => ({ from: file, build: path.basename(file) }))),
  ...filesOf(path.join(FIXTURES, 'opencode')).filter((file) => !file.includes('/storage/')).map((file) => ({ from: file, build: path.basename(file) })),
  ...fs.readdirSync(path.join(FIXTURES, 'cline')).map((name) => ({ from: path.join(FIXTURES, 'cline', name), build: `${name}/${name}.json` })),
  { from: path.join(FIXTURES, 'opencode/storage'), build: `storage/session/${firstBelow(path.join(FIXTURES, 'opencode/storage/session'))}` },
];
const CHAT = [
  { messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: 'Fix it.' }, { role: 'assistant', content: [{ type: 'text', text: 'Done.' }, { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } }] }] },
  [{ role: 'user', content: 'Fix it.' }, { role: 'assistant', content: null, tool_calls: [{ id: 't', type: 'function', function: { name: 'ls', arguments: '{}' } }] }, { role: 'tool', tool_call_id: 't', content: 'a' }],
];

function filesOf(folder: string): string[] {
  return fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name)).sort();
}

function firstBelow(folder: string): string {
  const [file] = filesOf(folder);
  return path.relative(folder, file ?? folder).split(path.sep).join('/');
}

let scratch: string | undefined;
let made = 0;

async function run(random: Random): Promise<string> {
  scratch ??= freshFolder('handoff-fuzz-');
  const dir = path.join(scratch, String(made += 1));
  const input = path.join(dir, 'in');
  fs.mkdirSync(input, { recursive: true });
  try {
    const file = lay(random, input);
    const before = contents(input);
    const root = path.join(dir, 'store');
    const outcome = await build(root, file, random);
    holds(dir, before);
    const [first] = sessions(root);
    const old = first === undefined ? undefined : timelineOf(first);
    // The same again, and then more of it.
    await build(root, file, random);
    if (first !== undefined && !timelineOf(first).equals(old ?? Buffer.alloc(0))) throw new Error('the same transcript again changed the timeline');
    if (fs.statSync(file).isFile()) fs.appendFileSync(file, mutate(random, fs.readFileSync(file).subarray(-2000)));
    const grown = contents(input);
    await build(root, file, random);
    holds(dir, grown);
    if (first !== undefined && !timelineOf(first).subarray(0, old?.length).equals(old ?? Buffer.alloc(0))) throw new Error('a committed line was changed');
    return outcome;
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

/** Lays a damaged sample into the folder; gives the path to build. */
function lay(random: Random, input: string): string {
  if (random() < 0.1) {
    const file = path.join(input, 'chat.json');
    fs.writeFileSync(file, mutate(random, Buffer.from(JSON.stringify(pick(random, CHAT)))));
    return file;
  }
  const { from, build: name } = pick(random, SAMPLES);
  fs.cpSync(from, path.join(input, path.basename(from)), { recursive: true });
  const victim = pick(random, filesOf(input));
  fs.writeFileSync(victim, mutate(random, fs.readFileSync(victim)));
  return path.join(input, name);
}

async function build(root: string, file: string, random: Random): Promise<string> {
  const allow = random() < 0.3;
  try {
    const { action } = await buildInto(root, file, { ...(allow ? { allowBadLines: true } : {}), ...(random() < 0.1 ? { redact: false } : {}) });
    const bad = failures(root);
    if (bad.length > 0) throw new Error(`does not verify: ${bad.join('; ')}`);
    return action;
  } catch (error) {
    if (!(error instanceof HandoffError)) throw error;
    if (!Number.isInteger(exitCodeOf(error.code)) || error.message.includes('\n')) throw new Error(`not a sentence with an exit status: ${error.code} ${error.message}`);
    return error.code;
  }
}

function sessions(root: string): string[] {
  return fs.existsSync(path.join(root, 'projects')) ? filesOf(path.join(root, 'projects')).filter((file) => file.endsWith('/timeline.jsonl')).map((file) => path.dirname(file)) : [];
}

function contents(folder: string): string {
  return filesOf(folder).map((file) => `${file} ${fs.readFileSync(file, 'latin1')}`).join('\n');
}

/** Nothing but the store was written. */
function holds(dir: string, before: string): void {
  const strange = fs.readdirSync(dir).filter((name) => name !== 'in' && name !== 'store');
  if (strange.length > 0) throw new Error(`wrote outside the store: ${strange.join(', ')}`);
  if (contents(path.join(dir, 'in')) !== before) throw new Error('wrote beside the transcript');
}

export const transcripts: Target = { name: 'transcripts', share: 10, run, end: () => { if (scratch !== undefined) fs.rmSync(scratch, { recursive: true, force: true }); scratch = undefined; } };

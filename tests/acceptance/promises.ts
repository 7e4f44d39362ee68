/**
 * What README.md and the documents promise, as commands: a row says the words, the exit code, and what is printed. Rows of
 * a scene run in order in one folder with one home. A new promise is a row here; a new part of the program, a scene.
 */
import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { REPOSITORY } from '../helpers/run.ts';

export interface Row {
  promise: string;
  /** The entry point in tools/, and its words: `handoff build session.jsonl`. Blanks in a word stand as `␣`. */
  command: string;
  exit: number;
  /** Found in stdout; `''` where stdout must be empty. */
  out?: RegExp | '';
  /** Found in stderr; `''` where stderr must be empty. */
  err?: RegExp | '';
  input?: string;
  /** What is done to the scene's folder before. */
  before?: (folder: string) => void;
}

export interface Scene {
  name: string;
  rows: readonly Row[];
}

const SESSION = '3b6f0c52-8d1e-4a97-b0c4-5e2f7a91d3c8';
const TRANSCRIPT = readFileSync(join(REPOSITORY, 'examples/transcript.jsonl'), 'utf8');
const EVIDENCE = 'RESULT: DONE\nWHAT_CHANGED: one line\nVALIDATION: npm test\nEVIDENCE: 3 of 3 pass\nBLOCKERS: none\nRISKS: none\nFOLLOW_UP: none\n';
const LIVE = '---\nnext_agent: validator\nreason: it is done\nstatus: blocked_missing_context\n---\n\nThe file with the tides of 2027 is not here; ask the harbour office for it.\n';

const put = (name: string, text: string | Uint8Array) => (folder: string): void => writeFileSync(join(folder, name), text);
const head = (lines: number): string => `${TRANSCRIPT.split('\n').slice(0, lines).join('\n')}\n`;
const sessionFile = (name: string) => (folder: string): string => join(folder, 'handoffs/projects/tidebook', SESSION, name);
const edit = (name: string, from: string, to: string) => (folder: string): void => {
  const file = sessionFile(name)(folder);
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
};
const init: Row = { promise: 'a store is made here', command: 'handoff config --init', exit: 0, out: /^handoff: config wrote .*handoffs$/m };
const built: Row = { promise: 'one transcript in, one handoff out', command: 'handoff build session.jsonl', exit: 0, out: /^handoff: built \S+ project=tidebook turns=23 new=23 rev=1 redacted=1 -> \//, before: put('session.jsonl', TRANSCRIPT) };

export const SCENES: readonly Scene[] = [
  {
    name: 'the first steps help',
    rows: [
      { promise: 'without a verb: the verbs, exit 2', command: 'cli', exit: 2, out: '', err: /verify-gate/ },
      { promise: 'the nearest verb is named', command: 'cli biuld', exit: 2, err: /did you mean "build"\?/ },
      { promise: 'every entry point has a version', command: 'cli --version', exit: 0, out: /3\.0\.0/ },
      { promise: 'the older path forwards', command: 'agent-handoff promote --help', exit: 0, out: /--force/ },
      { ...init },
      { promise: 'an empty store says how to fill it', command: 'handoff list', exit: 4, err: /no handoffs yet .*handoff build/ },
      { promise: 'build without a file says what to give it', command: 'handoff build', exit: 2, err: /handoff build <file>/ },
      { promise: 'the nearest flag is named', command: 'handoff build --porject=x session.jsonl', exit: 2, err: /did you mean --project\?/ },
      { promise: 'config says which store and why', command: 'handoff config', exit: 0, out: /^handoff: config root=.*handoffs\nhandoff: config source=discover\nhandoff: config file=none\n/ },
      { promise: 'nothing recorded here is no failure', command: 'handoff sources', exit: 0 },
    ],
  },
  {
    name: 'capture',
    rows: [
      init,
      { promise: 'a session at work is captured', command: 'handoff build session.jsonl', exit: 0, out: /turns=17 new=17 rev=1 -> /, before: put('session.jsonl', head(17)) },
      { promise: 'only what is new is added', command: 'handoff build session.jsonl', exit: 0, out: /turns=23 new=6 rev=2 redacted=1 -> /, before: put('session.jsonl', TRANSCRIPT) },
      { promise: 'nothing new: nothing is written', command: 'handoff build session.jsonl', exit: 0, out: /^handoff: up-to-date \(3b6f\S+, watermark 22, rev 2\)$/m },
      { promise: 'it verifies', command: 'handoff verify 3b6f', exit: 0, out: /^PASS 3b6f\S+ \[tidebook\]: manifest sha ok \/ timeline=23 turns \/ llm json parses \/ chain ok$/m },
      { promise: 'the brief quotes the objective and marks a claim', command: 'handoff show 3b6f', exit: 0, out: /## Objective \(verbatim\)[^]*The high tide at 00:12[^]*a claim, not a check/ },
      { promise: 'a secret is not in the timeline', command: 'handoff show 3b6f --turns 18', exit: 0, out: /STATION_TOKEN=\[redacted:/ },
      { promise: 'a store is listed', command: 'handoff list', exit: 0, out: /^\[tidebook\] +3b6f.*turns=23 +rev=2/m },
      { promise: 'the other mode of redaction is refused', command: 'handoff build session.jsonl --no-redact', exit: 2, err: /was captured with redaction/ },
      { promise: 'another project is refused, and rename named', command: 'handoff build session.jsonl --project other', exit: 2, err: /handoff rename/ },
      { promise: 'what has moved since', command: 'handoff check 3b6f', exit: 1, out: /^handoff: stale 3b6f/ },
      { promise: 'one document that needs no store', command: 'handoff export 3b6f --portable', exit: 0, out: /"handoff_id"/ },
      { promise: 'one page without a network', command: 'handoff export 3b6f --html page.html', exit: 0, out: /page\.html/ },
      { promise: 'a name of one\'s own', command: 'handoff retitle 3b6f tides', exit: 0, out: /tides/ },
      { promise: 'another project', command: 'handoff rename 3b6f harbour', exit: 0, out: /harbour/ },
      { promise: 'to where it is already: exit 4', command: 'handoff rename tides harbour', exit: 4, err: /already/ },
      { promise: 'what was moved verifies, and renders anew', command: 'handoff render tides', exit: 0 },
      { promise: 'nothing is removed unasked', command: 'handoff forget tides', exit: 1, err: /nobody confirmed/ },
      { promise: 'and with --force it is', command: 'handoff forget tides --force', exit: 0 },
    ],
  },
  {
    name: 'what cannot be read is named for what it is',
    rows: [
      init,
      { promise: 'a line that is not JSON: exit 5, nothing written', command: 'handoff build bad.jsonl', exit: 5, out: '', err: /1 line is not readable in .*: 6 \(invalid JSON\); nothing was written/, before: put('bad.jsonl', `${head(5)}{"a":\n${head(2)}`) },
      { promise: 'what is whole is taken on request', command: 'handoff build bad.jsonl --allow-bad-lines', exit: 0, out: /bad-lines=1/ },
      { promise: 'a last line that is still being written waits', command: 'handoff build open.jsonl', exit: 0, out: /new=5/, err: /the last line is not finished/, before: put('open.jsonl', `${head(5).replaceAll(SESSION, 'open')}{"type":"us`) },
      { promise: 'a compressed file: exit 4, with the command', command: 'handoff build t.jsonl.gz', exit: 4, err: /compressed with gzip: .*gunzip/, before: put('t.jsonl.gz', gzipSync(TRANSCRIPT)) },
      { promise: 'an unknown shape: exit 4', command: 'handoff build y.jsonl', exit: 4, err: /a shape that no adapter reads/, before: put('y.jsonl', '{"a":1}\n') },
      { promise: 'no turn: exit 4', command: 'handoff build x.txt', exit: 4, err: /holds no conversation/, before: put('x.txt', 'hello\n') },
      { promise: 'no file: exit 2', command: 'handoff build nothing.jsonl', exit: 2, err: /source not found/ },
      { promise: 'a failure with --json is one document', command: 'handoff show nobody --json', exit: 4, out: /^\{\s+"error": \{\s+"code": "NO_MATCH"/ },
      { promise: 'a configuration that is wrong stops every command, and the key is named', command: 'handoff list', exit: 2, err: /unknown key "max_brief"/, before: put('handoff.config.json', '{"max_brief": 1}') },
    ],
  },
  {
    name: 'the gate fails closed',
    rows: [
      init,
      built,
      { promise: 'no evidence: REJECTED, exit 6', command: 'agents-handoff verify-gate 3b6f', exit: 6, out: /"verdict": ?"REJECTED"/ },
      { promise: 'promote refuses with these words', command: 'agents-handoff promote 3b6f', exit: 6, err: /^agents-handoff: promote refused: evidence gate REJECTED \(failed: contract\) — add the evidence contract to HANDOFF\.md, or pass --force to override deliberately$/m },
      { promise: 'dispatch refuses what the gate refuses', command: 'agents-handoff dispatch 3b6f --task next', exit: 1, out: /GATE_REJECTED/ },
      { promise: 'evidence that says nothing is none', command: 'agents-handoff verify-gate 3b6f', exit: 6, out: /"evidence": ?"FAIL"/, before: (folder) => appendFileSync(sessionFile('HANDOFF.md')(folder), EVIDENCE.replace('3 of 3 pass', 'TBD')) },
      { promise: 'with evidence: VERIFIED', command: 'agents-handoff verify-gate 3b6f', exit: 0, out: /"verdict": ?"VERIFIED"/, before: edit('HANDOFF.md', 'EVIDENCE: TBD', 'EVIDENCE: 3 of 3 pass') },
      { promise: 'annotations for a pull request', command: 'agents-handoff verify-gate 3b6f --format github', exit: 0, out: /^::notice / },
      { promise: 'promoted, and by whom', command: 'agents-handoff promote 3b6f --by me', exit: 0, out: /"gate":"VERIFIED"/ },
      { promise: 'a rebuild keeps the evidence', command: 'handoff build session.jsonl', exit: 0, out: /new=1 rev=2/, before: (folder) => appendFileSync(join(folder, 'session.jsonl'), `${TRANSCRIPT.split('\n')[22]?.replace(/"uuid":"[^"]*"/, '"uuid":"again"')}\n`) },
      { promise: 'and the gate passes on it', command: 'agents-handoff verify-gate 3b6f', exit: 0, out: /"verdict": ?"VERIFIED"/ },
      { promise: 'dispatch is a dry run', command: 'agents-handoff dispatch 3b6f --task next', exit: 0, out: /"DRY_RUN"/ },
      { promise: 'an edited turn is found', command: 'handoff verify 3b6f', exit: 1, out: /^FAIL 3b6f.*chain broken/, before: edit('timeline.jsonl', 'Yes, July', 'No, March') },
      { promise: 'damage cannot be overridden', command: 'agents-handoff promote 3b6f --force', exit: 6, err: /damage cannot be overridden/ },
    ],
  },
  {
    name: 'several sessions, several stores',
    rows: [
      init,
      built,
      { promise: 'text with role markers', command: 'handoff build notes.txt --project tidebook', exit: 0, out: /turns=2/, before: put('notes.txt', 'user: and the moon?\nassistant: not in the book\n') },
      { promise: 'a prefix of several: exit 3, and which', command: 'handoff show tidebook/', exit: 3, err: /matches 2 handoffs/ },
      { promise: 'two are read as one', command: 'agents-handoff merge 3b6f notes', exit: 0, out: /"action":"merged","into":"[^"]+\+merge\+notes","turns":25/ },
      { promise: 'which has no brief until it is rendered', command: `handoff verify ${SESSION}+merge+notes`, exit: 1, out: /no brief yet/ },
      { promise: 'the index is made anew', command: 'agents-handoff index', exit: 0, out: /"sessions":3/ },
      { promise: 'a store that says the same gives nothing', command: 'agents-handoff federated-merge --from theirs', exit: 0, out: /"imported": ?\[\],\s*"skipped": ?3/, before: (folder) => cpSync(join(folder, 'handoffs'), join(folder, 'theirs'), { recursive: true }) },
      { promise: 'what is not here is imported', command: 'agents-handoff federated-merge --from theirs', exit: 0, out: /"session": ?"notes"[^]*"action": ?"import"/, before: (folder) => rmSync(join(folder, 'handoffs/projects/tidebook/notes'), { recursive: true }) },
      { promise: 'what is no store is a failure, and the rest goes on', command: 'agents-handoff federated-merge --from home --from theirs', exit: 1, out: /"failed": ?\[\s*\{/ },
      { promise: 'no --from: exit 2', command: 'agents-handoff federated-merge', exit: 2, err: /--from/ },
      { promise: 'nobody holds it', command: `agents-handoff unlock ${SESSION}`, exit: 0, out: /"locks":\[\]/ },
      { promise: 'auto leaves what is fresh', command: 'agents-handoff auto --source session.jsonl', exit: 0, out: /"action":"skip-fresh"/ },
      { promise: 'and needs a source that is there', command: 'agents-handoff auto --source gone.jsonl', exit: 2 },
      { promise: 'a hook is silent and never fails', command: 'agents-handoff auto --hook', exit: 0, out: '', input: '{"hook_event_name":"Stop","transcript_path":"/nowhere/gone.jsonl"}' },
      { promise: 'a live HANDOFF.md is judged', command: 'agents-handoff validate live.md', exit: 0, out: /^VALID: WARNINGS-ONLY$/m, before: put('live.md', LIVE) },
      { promise: 'and refused where the agent is unknown', command: 'agents-handoff validate live.md', exit: 1, out: /^VALID: NO$/m, before: put('live.md', LIVE.replace('validator', 'somebody')) },
    ],
  },
  {
    name: 'the skill comes, is checked, and goes',
    rows: [
      { promise: 'a dry run writes nothing', command: 'cli install --path skills/agents-handoff --dry-run', exit: 0 },
      { promise: 'installed, with the next command to type', command: 'cli install --path skills/agents-handoff', exit: 0, out: /^install: installed 3\.\S+ -> .*\ninstall: next: / },
      { promise: 'once more does nothing', command: 'cli install --path skills/agents-handoff', exit: 0, out: /already 3\.\S+ at/ },
      { promise: 'it is what was installed', command: 'cli --verify --path skills/agents-handoff', exit: 0, out: /^install: PASS / },
      { promise: 'an edited file is named', command: 'cli --verify --path skills/agents-handoff', exit: 1, out: /changed: SKILL\.md/, before: (folder) => appendFileSync(join(folder, 'skills/agents-handoff/SKILL.md'), 'mine\n') },
      { promise: 'nothing is removed unasked', command: 'cli remove --path skills/agents-handoff', exit: 1, err: /nobody confirmed/ },
      { promise: 'with --force it is, but for what is the user\'s', command: 'cli remove --path skills/agents-handoff --force', exit: 0, out: /edited, kept: SKILL\.md/ },
    ],
  },
  {
    name: 'capabilities are probed',
    rows: [
      { promise: 'what is required is healthy', command: 'cli capabilities check node', exit: 0, out: /\[healthy\] node/ },
      { promise: 'an unknown one: exit 4', command: 'cli capabilities check no-such-thing', exit: 4 },
      { promise: 'a registry that is not there: exit 2', command: 'cli capabilities check --registry none.json', exit: 2 },
    ],
  },
  {
    name: 'an operation is judged before it runs',
    rows: [
      { promise: 'reading in a workspace is allowed', command: 'runtime-engine evaluate --risk R0 --target README.md', exit: 0, out: /"verdict":"ALLOWED"/ },
      { promise: 'what destroys needs a person', command: 'runtime-engine evaluate --risk R3 --target README.md', exit: 4, out: /"verdict":"NEEDS_AUTH"/ },
      { promise: 'an unknown risk is denied', command: 'runtime-engine evaluate --risk R9 --target README.md', exit: 3, out: /"verdict":"DENIED"/ },
      { promise: 'a read tells size and hash', command: 'runtime-engine run --risk R0 --op read --target README.md', exit: 0, out: /"executed":true,"bytes":\d+,"content_sha256":"[0-9a-f]{64}"/ },
      { promise: 'a process is no reading', command: 'runtime-engine run --risk R0 --op spawn --args -v', exit: 3, out: /"executed":false/ },
      { promise: 'a policy that is not there stops everything', command: 'runtime-engine policy --policy none.json', exit: 2 },
      { promise: 'a job dies before its third step', command: 'runtime-engine job --session j --steps 4 --fail-at 3', exit: 137, out: /"checkpoint_seq":2/ },
      { promise: 'and goes on from disk alone, no step twice, none lost', command: 'runtime-engine resume --session j --steps 4', exit: 0, out: /"completed":true,"steps":4/ },
      { promise: 'a second job of that name is refused', command: 'runtime-engine job --session j --steps 4', exit: 2 },
      { promise: 'no checkpoint: exit 4', command: 'runtime-engine resume --session none --steps 4', exit: 4 },
      { promise: 'a broken seal: exit 5', command: 'runtime-engine status --session j', exit: 5, err: /does not agree with its seal/, before: (folder) => writeFileSync(join(folder, 'state/checkpoints/j.json'), readFileSync(join(folder, 'state/checkpoints/j.json'), 'utf8').replace('"seq": 4', '"seq": 3')) },
      { promise: 'the umbrella reaches it', command: 'cli evaluate --risk R4 --target README.md', exit: 4 },
    ],
  },
];

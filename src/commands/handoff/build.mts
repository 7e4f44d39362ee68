import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Io, Options, Outcome } from '../../lib/cli/command.mts';
import { storeHere } from '../../lib/cli/store.mts';
import { HandoffError } from '../../lib/errors.mts';
import type { Root } from '../../lib/handoff-root.mts';
import { counted } from '../../lib/plural.mts';
import type { SubagentBuilt } from '../../capture/build-subagents.mts';
import { build, type BuildPlace, type BuildResult } from '../../capture/build.mts';
import { keptNote } from '../../capture/work.mts';
import { idInLine } from '../../store/names.mts';

const flags = {
  source: { type: 'value', value: '<file>', summary: 'the transcript, where it is not the word after the verb' },
  latest: { type: 'boolean', summary: 'the newest transcript of this working directory; with --harness, of that harness' },
  session: { type: 'value', value: '<id>', summary: 'the session it belongs to; else the transcript\'s own id' },
  harness: { type: 'value', value: '<name>', summary: 'a label for the client that wrote it; the shape is told by the lines' },
  model: { type: 'value', value: '<name>', summary: 'a label for the model' },
  project: { type: 'value', value: '<name>', summary: 'the project of a new session; else the name of its working directory' },
  objective: { type: 'value', value: '<text>', summary: 'what the session was for, where its first prompt does not say it' },
  'force-harness': { type: 'boolean', summary: 'let --harness replace a value that is set' },
  'force-model': { type: 'boolean', summary: 'let --model replace a value that is set' },
  'allow-bad-lines': { type: 'boolean', summary: 'take what is whole, leave lines out that are not JSON, and say how many' },
  'max-line-bytes': { type: 'number', value: '<n>', summary: 'longest line that is read, in bytes (268435456)' },
  'with-subagents': { type: 'boolean', summary: 'capture the transcripts of its sub-agents too, each as a handoff of its own' },
  'no-redact': { type: 'boolean', summary: 'keep secrets as they stand; the session keeps this mode' },
  // Lines for 2.0.x, where it meant a build wherever it stood, may have it beside the verb.
  handoff: { type: 'boolean', summary: 'a build, as in 2.0.x', hidden: true },
} as const;

export const LONGEST_LINE = 256 * 1024 * 1024;
/** The longest string that JavaScript has, in characters; a longer line could not be parsed. */
const LONGEST_STRING = 512 * 1024 * 1024;

export const command: Command<typeof flags> = {
  name: 'build',
  summary: 'make or update a handoff from a transcript',
  args: '<file>',
  positionals: { min: 0, max: 1 },
  flags,
  exits: {
    0: 'built, or up to date',
    1: 'the file system refused, or the session is damaged; what was committed stands',
    2: 'wrong words, configuration, source or redaction mode',
    3: 'another build holds the session, or the id stands for several',
    4: 'no usable turn, or a shape that no adapter reads',
    5: 'lines that are not JSON; nothing was written',
  },
  example: 'handoff build transcript.jsonl',
  details: 'A file of `-` reads standard input. Built again, a longer transcript adds only what is new.',
  async run(options, words, io) {
    const file = options.latest === true ? await latest(options, words, io) : await fileOf(options, words, io);
    const found = storeHere(io);
    const redact = options['no-redact'] !== true && found.config.redaction.enabled;
    announce(found, io);
    if (found.source === 'default' && existsSync(join(found.root, '.git'))) io.note(`the store is the checkout ${found.root} itself; \`handoff config --init\` makes one in the current folder`);
    const request = {
      file,
      session: options.session,
      // With --latest it chooses; what wrote the file tells its own name.
      harness: options.latest === true ? undefined : options.harness,
      model: options.model,
      project: options.project,
      objective: options.objective,
      forceHarness: options['force-harness'] === true,
      forceModel: options['force-model'] === true,
      allowBadLines: options['allow-bad-lines'] === true,
      maxLineBytes: lineLimit(options['max-line-bytes']),
      redact,
    };
    const place = placeOf(found, io);
    const result = await build(request, place);
    if (options['with-subagents'] !== true) return outcome(result, io);
    const { buildSubagents } = await import('../../capture/build-subagents.mts');
    return withSubagents(outcome(result, io), result, await buildSubagents(result, request, place));
  },
};

async function fileOf({ source, harness }: Options<typeof flags>, [word]: readonly string[], io: Io): Promise<string> {
  if (source !== undefined && word !== undefined) throw new HandoffError('USAGE', 'build takes one file: either --source <file> or a word');
  const file = source ?? word;
  if (file === undefined || file === '') throw new HandoffError('USAGE', `build needs a transcript: \`handoff build <file>\`, or \`handoff build -\` for standard input${await hint(harness, io)}`);
  return file;
}

/** Who names no file is told of the newest one; where that cannot be found out, the sentence stands alone. */
async function hint(harness: string | undefined, io: Io): Promise<string> {
  try {
    const { newestHere } = await import('../../capture/recorded/sessions-here.mts');
    const newest = await newestHere({ env: io.env, cwd: io.cwd, harness, note: () => {} });
    return newest === undefined ? '' : `; the newest of this folder is ${newest.path}, which \`handoff build --latest\` takes`;
  } catch (error) {
    if (error instanceof HandoffError) return '';
    throw error;
  }
}

async function latest({ source, harness }: Options<typeof flags>, [word]: readonly string[], io: Io): Promise<string> {
  if (source !== undefined || word !== undefined) throw new HandoffError('USAGE', 'build takes either a file or --latest');
  const { newestHere } = await import('../../capture/recorded/sessions-here.mts');
  const newest = await newestHere({ env: io.env, cwd: io.cwd, harness, note: (text) => io.note(text) });
  if (newest === undefined) throw new HandoffError('SOURCE', `no session of this folder is recorded${harness === undefined ? '' : ` by ${harness}`}; \`handoff sources --all\` shows those of other folders`);
  io.note(`the newest transcript of this folder is ${newest.path} (${newest.place.harness})`);
  return newest.path;
}

function lineLimit(asked: number | undefined): number {
  if (asked === undefined) return LONGEST_LINE;
  if (!Number.isInteger(asked) || asked < 1) throw new HandoffError('USAGE', '--max-line-bytes takes a whole number of bytes, 1 or more');
  return Math.min(asked, LONGEST_STRING);
}

/** A configuration that weakens or extends redaction is never silent. */
function announce({ config, configFile }: Root, io: Io): void {
  if (!config.redaction.enabled) io.note(`redaction is switched off by ${configFile ?? 'the configuration'}`);
  if (config.redaction.patterns.length > 0) io.note(`${counted(config.redaction.patterns.length, 'redaction pattern')} from ${configFile ?? 'the configuration'}`);
}

/** Where a build is done: this store, by its configuration. */
export function placeOf({ root, config }: Root, io: Io, cwd = io.cwd): BuildPlace {
  return {
    root,
    cwd,
    get stdin() { return io.stdin; },
    projectName: config.project_name,
    redactionPatterns: config.redaction.patterns,
    maxBriefTokens: config.max_brief_tokens,
    tools: config.capture,
    linking: config.linking,
    note: (message) => io.note(message),
    progress: (message) => io.progress(message),
    onSignal: (undo) => io.onSignal(undo),
  };
}

function outcome(result: BuildResult, io: Io): Outcome {
  if (result.action === 'built' && result.kept !== undefined) io.note(keptNote(result.kept));
  return { json: result, text: builtLine(result) };
}

/** The first failure among the sub-agents is that of the command: what was captured stands. */
async function withSubagents(parent: Outcome, result: BuildResult, subagents: readonly SubagentBuilt[]): Promise<Outcome> {
  const failed = subagents.flatMap((one) => ('error' in one ? [one.error] : []))[0];
  const lines = subagents.flatMap((one) => ('result' in one ? [builtLine(one.result)] : []));
  return { json: { ...result, subagents }, text: [parent.text as string, ...lines].join('\n'), exit: failed === undefined ? 0 : (await import('../../lib/cli/exit-codes.mts')).exitCodeOf(failed.code) };
}

/** The line that a build prints. */
export function builtLine(result: BuildResult): string {
  if (result.action === 'up-to-date') return `handoff: up-to-date (${idInLine(result.session)}, watermark ${result.watermark}, rev ${result.revision})`;
  const extras = [
    result.late > 0 ? `late=${result.late}` : '',
    result.bad_lines > 0 ? `bad-lines=${result.bad_lines}` : '',
    result.redacted > 0 ? `redacted=${result.redacted}` : '',
    result.links > 0 ? `xlink-notes=${result.links}` : '',
  ].filter((part) => part !== '');
  const facts = [`project=${result.project}`, `turns=${result.turns}`, `new=${result.new}`, `rev=${result.revision}`, ...extras];
  return `handoff: built ${idInLine(result.session)} ${facts.join(' ')} -> ${result.dir}`;
}

/**
 * npm run docs, or tsx scripts/sessions-page.ts [--check]
 * Renders docs/SESSIONS.md from the sample store in examples/store: from manifests, summaries and evidence, nothing else.
 * With --check nothing is written: exit 1 where the page is not what the store gives.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from './docs/sandbox.ts';

const STORE = 'examples/store';
const PAGE = 'docs/SESSIONS.md';

interface Manifest {
  session: string;
  project: string;
  harness: string;
  model: string;
  turn_count: number;
  revisions: number;
  title?: string;
  promoted_gate?: string;
  promoted_revision?: number;
}

interface Summary {
  objective: string;
  state_now: string;
  open_loops: string[];
  inherited?: { session?: string; seq: number };
  prompts: { seq: number; text: string }[];
  files_changed: { path: string; how: string; seq: number }[];
  commands: { command: string; seq: number; ended?: boolean; ok?: boolean; exit?: number }[];
  pending: { kind: string; seq: number; tool?: string; target?: string; effect?: string }[];
}

interface Session { folder: string; manifest: Manifest; summary: Summary; evidence: string }

function sessions(): Session[] {
  const projects = join(REPOSITORY, STORE, 'projects');
  return readdirSync(projects).sort().flatMap((project) => readdirSync(join(projects, project)).sort().filter((name) => existsSync(join(projects, project, name, 'manifest.json'))).map((name) => {
    const folder = `${STORE}/projects/${project}/${name}`;
    const text = (file: string): string => readFileSync(join(REPOSITORY, folder, file), 'utf8');
    const brief = text('HANDOFF.md');
    return {
      folder,
      manifest: JSON.parse(text('manifest.json')) as Manifest,
      summary: JSON.parse(text('HANDOFF.summary.json')) as Summary,
      evidence: brief.slice(brief.indexOf('\n', brief.indexOf('<!-- agents-handoff:evidence ')) + 1).trim(),
    };
  }));
}

/** One line that cannot end a table's cell or begin anything of Markdown's. */
function cell(text: string, most = 160): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const cut = [...line].length > most ? `${[...line].slice(0, most).join('')}…` : line;
  return cut.replace(/[\\`*_{}[\]<>|#]/g, '\\$&');
}

function code(text: string, most = 100): string {
  const line = text.replace(/\s+/g, ' ').replaceAll('`', "'").trim();
  return `\`${[...line].length > most ? `${[...line].slice(0, most).join('')}…` : line}\``.replaceAll('|', '\\|');
}

function titleOf({ manifest, summary }: Session): string {
  return cell(manifest.title ?? summary.objective, 60);
}

/** The shortest beginning of its id, from 4 characters on, that no other session has. */
function prefixOf(session: Session, all: readonly Session[]): string {
  const id = session.manifest.session;
  for (let length = 4; length < id.length; length++) {
    if (all.every((other) => other === session || !other.manifest.session.startsWith(id.slice(0, length)))) return id.slice(0, length);
  }
  return id;
}

function outcome({ ended, ok, exit }: Summary['commands'][number]): string {
  if (ended !== true) return 'no result';
  return exit !== undefined ? `exit ${exit}` : ok === false ? 'failed' : 'ok';
}

function promotion({ promoted_gate: gate, promoted_revision: at, revisions }: Manifest): string {
  return gate === undefined ? '' : `${gate}${at === revisions ? '' : ` at revision ${at} of ${revisions}`}`;
}

function part(session: Session, all: readonly Session[]): string[] {
  const { folder, manifest, summary, evidence } = session;
  const rows = (head: string, lines: readonly string[]): string[] => (lines.length === 0 ? [] : [head, `|${'---|'.repeat(head.split('|').length - 2)}`, ...lines, '']);
  return [
    `## ${titleOf(session)}`, '',
    `${manifest.harness}${manifest.model === '' ? '' : `, ${manifest.model}`}; ${manifest.turn_count} turns in ${manifest.revisions} ${manifest.revisions === 1 ? 'revision' : 'revisions'}${promotion(manifest) === '' ? '' : `; promoted, ${promotion(manifest)}`}. [The brief](../${folder}/HANDOFF.md), [the timeline](../${folder}/timeline.jsonl), [the manifest](../${folder}/manifest.json).`, '',
    '```sh', `handoff show ${prefixOf(session, all)}`, '```', '',
    ...(summary.inherited === undefined ? [] : [`It began from another handoff, \`${summary.inherited.session ?? 'unnamed'}\`, read at seq ${summary.inherited.seq}; what that one says is second-hand here.`, '']),
    ...rows('| seq | asked |', summary.prompts.map(({ seq, text }) => `| ${seq} | ${cell(text)} |`)),
    ...rows('| seq | file changed | how |', summary.files_changed.map(({ seq, path, how }) => `| ${seq} | ${code(path)} | ${how} |`)),
    ...rows('| seq | command | outcome |', summary.commands.map((one) => `| ${one.seq} | ${code(one.command)} | ${outcome(one)} |`)),
    ...rows('| seq | pending | effect | about |', summary.pending.map(({ seq, kind, tool, effect, target }) => `| ${seq} | ${kind} ${tool ?? ''} | ${effect ?? ''} | ${code(target ?? '')} |`)),
    ...(summary.open_loops.length === 0 ? [] : ['Open at the end:', '', ...summary.open_loops.map((one) => `- ${cell(one, 240)}`), '']),
    ...(evidence === '' ? [] : ['What its author vouches for:', '', '```text', ...evidence.split('\n'), '```', '']),
  ];
}

/** The whole page. */
export function sessionsPage(): string {
  const all = sessions();
  return [
    '<!-- Made by scripts/sessions-page.ts from examples/store. Do not edit: change the samples, then "npm run samples" and "npm run docs". -->',
    '# Sessions, shown', '',
    'A small store that the repository ships: a few made-up sessions, captured as yours would be. This page is made from it, so it shows what a handoff tells, and nothing else.', '',
    'To look around in it, from a checkout:', '',
    '```sh', 'export HANDOFFS_ROOT="$PWD/examples/store"', 'handoff list', 'handoff verify --all', '```', '',
    '| project | session | harness | turns | revisions | promoted |', '|---|---|---|---:|---:|---|',
    ...all.map((one) => `| ${one.manifest.project} | ${titleOf(one)} | ${one.manifest.harness} | ${one.manifest.turn_count} | ${one.manifest.revisions} | ${promotion(one.manifest)} |`), '',
    ...all.flatMap((one) => part(one, all)),
  ].join('\n').trimEnd() + '\n';
}

function main(): number {
  const file = join(REPOSITORY, PAGE);
  const page = sessionsPage();
  const stands = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (!process.argv.includes('--check')) writeFileSync(file, page);
  else if (page !== stands) console.error(`sessions-page: ${PAGE} is not what ${STORE} gives; run "npm run docs"`);
  return process.argv.includes('--check') && page !== stands ? 1 : 0;
}

if (process.argv[1] === import.meta.filename) process.exitCode = main();

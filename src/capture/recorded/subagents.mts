/**
 * The sub-agents of a session that have transcripts of their own: found beside the session's, and by what the heads of
 * these files say of whose they are. A name alone makes no file a sub-agent's.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errnoOf } from '../../lib/errors.mts';
import type { SubagentRow } from '../../store/manifest.mts';
import { recordIn, word } from '../../transcript/fields.mts';
import { shapeOf } from '../../transcript/shape.mts';
import { SUBAGENTS } from '../../transcript/places.mts';
import type { Redactor } from '../../transcript/redaction/redactor.mts';
import { walkPlace } from './discover.mts';
import { endsOf, oneLine, peek, titleOf, type Peek } from './peek.mts';

/** Beside an old session of Claude Code lie the sub-agents of all others of that folder. */
const MOST_HEADS = 2_000;
/** What the manifest lists at most. */
const MOST_LISTED = 500;
const WIDEST = 120;

/** In the order of their paths. `file`: the session's transcript; `uuid`: its own id. A file that cannot be read is passed over. */
export async function findSubagents(file: string, uuid: string, redactor: Redactor): Promise<SubagentRow[]> {
  const rows: SubagentRow[] = [];
  for (const candidate of candidatesOf(file).slice(0, MOST_HEADS)) {
    const row = await rowOf(candidate, uuid, redactor);
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

/** What a transcript is about whose harness nothing but its shape tells. */
export async function peekByShape(file: string, ends = endsOf(file)): Promise<Peek> {
  const shape = await shapeOf(ends.start, file);
  const seen = peek(file, ends, shape.kind === 'lines' || shape.kind === 'whole' ? [shape.adapter] : []);
  // Whose a transcript is may stand in any record, not only in those before the first prompt.
  if (shape.kind === 'lines') Object.assign(seen.facts, shape.adapter.identify({ path: file, records: shape.records }));
  return seen;
}

/** What was listed before, brought up to what is found now: a file that is gone was a sub-agent all the same. */
export function mergeSubagents(before: readonly SubagentRow[], now: readonly SubagentRow[]): SubagentRow[] {
  return [...new Map([...before, ...now].map((row) => [row.id, row])).values()].slice(0, MOST_LISTED);
}

function candidatesOf(file: string): string[] {
  const name = path.basename(file).replace(/\.(?:messages\.json|jsonl|json)$/i, '');
  const globs = SUBAGENTS.map((glob) => ({ ...glob, path: glob.path.replace('{name}', () => name) }));
  // A name with a star in it would be one of the glob's own.
  const { found } = name.includes('*') ? { found: [] } : walkPlace({ harness: '', home: '', globs }, path.dirname(file));
  const paths = [...found.map((one) => one.path), ...laterRollouts(file)];
  return [...new Set(paths)].filter((one) => one !== file).sort();
}

async function rowOf(file: string, uuid: string, redactor: Redactor): Promise<SubagentRow | undefined> {
  try {
    const ends = endsOf(file);
    if (!ends.start.includes(uuid)) return undefined;
    const seen = await peekByShape(file, ends);
    if (seen.facts.parent_session !== uuid || seen.facts.uuid === undefined) return undefined;
    const title = descriptionBeside(file) ?? seen.task ?? titleOf(seen);
    return { id: redactor.id(seen.facts.uuid), path: redactor.text(file), title: oneLine(redactor.text(title), WIDEST) };
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

/** What the client noted of a sub-agent in a small file of its own. */
function descriptionBeside(file: string): string | undefined {
  const beside = file.replace(/\.jsonl$/, '.meta.json');
  if (beside === file) return undefined;
  try {
    return word(recordIn(endsOf(beside).start.toString('utf8'))?.description);
  } catch {
    return undefined;
  }
}

const ROLLOUT = /^rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d/;
const DAY = /^(.*)[/\\](\d{4})[/\\](\d\d)[/\\](\d\d)$/;
const DAY_MS = 86_400_000;
/** A thread that goes on for longer has its later sub-agents looked for in the days after its beginning only. */
const MOST_DAYS = 31;

/** Rollouts that began while this one was written: a sub-agent's is one of them. */
function laterRollouts(file: string): string[] {
  const began = ROLLOUT.exec(path.basename(file))?.[0];
  if (began === undefined) return [];
  return daysOf(file).flatMap((dir) => namesIn(dir).filter((name) => (ROLLOUT.exec(name)?.[0] ?? '') >= began && name.endsWith('.jsonl')).map((name) => path.join(dir, name)));
}

/** The folders of the days on which the rollout was written; its own where that is none of a day. */
function daysOf(file: string): string[] {
  const dir = path.dirname(file);
  const [, root = '', ...date] = DAY.exec(dir) ?? [];
  if (date.length === 0) return [dir];
  const first = Date.parse(`${date.join('-')}T00:00:00Z`);
  const last = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? first;
  const days: string[] = [dir];
  // Names are in local time, which may be a day on.
  for (let day = first + DAY_MS; day <= last + DAY_MS && days.length < MOST_DAYS; day += DAY_MS) days.push(path.join(root, ...new Date(day).toISOString().slice(0, 10).split('-')));
  return days;
}

function namesIn(dir: string): string[] {
  try {
    return fs.readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isFile()).map(({ name }) => name);
  } catch {
    return [];
  }
}

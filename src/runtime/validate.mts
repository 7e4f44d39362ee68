/**
 * The twelve checks of a live HANDOFF.md: the file by which one agent passes work to the next (refs/validator.md). They are
 * a table, run in its order; each gives its own verdict.
 */
import type { Git } from '../lib/git.mts';
import { counted } from '../lib/plural.mts';
import { readLive, type LiveHandoff } from './front-matter.mts';

export type Verdict = 'PASS' | 'WARN' | 'FAIL';

export interface CheckResult {
  check: string;
  verdict: Verdict;
  detail: string;
}

export interface Validation {
  valid: 'YES' | 'NO' | 'WARNINGS-ONLY';
  checks: CheckResult[];
}

export const NEXT_AGENTS = ['planner', 'backend', 'frontend', 'auditor', 'validator', 'finalizer', 'user'];
export const STATUSES = ['ready_for_review', 'verified_pass', 'verified_fail', 'blocked_missing_context', 'blocked_implementation_failure', 'escalate_to_user'];
const COMPLETION = ['ready_for_review', 'verified_pass', 'verified_fail'];
export const EVIDENCE_FIELDS = ['Commands run', 'Output summary', 'Commit SHA verified', 'Files changed or reviewed', 'Unresolved concerns'];
export const PACKET_FIELDS = ['Objective', 'Files in scope', 'Files out of bounds', 'Context', 'Verification command', 'Expected next route'];
/** A body of fewer characters cannot tell anybody what to do. */
const ENOUGH = 40;

type Outcome = [Verdict, string];
interface Subject {
  live: LiveHandoff;
  git: Git;
  /** A field's words; '' where it is absent, empty or a list. */
  word(name: string): string;
  has(name: string): boolean;
}

const CHECKS: readonly [string, (subject: Subject) => Outcome][] = [
  ['front-matter', ({ live }) => (live.fields !== undefined || live.problem !== undefined ? ['PASS', 'there'] : ['FAIL', 'the file does not begin with ---'])],
  ['parses', ({ live }) => (live.problem !== undefined ? ['FAIL', live.problem] : live.fields === undefined ? ['FAIL', 'there is nothing to parse'] : ['PASS', `${Object.keys(live.fields).length} fields`])],
  ['next-agent', ({ word }) => oneOf('next_agent', word('next_agent'), NEXT_AGENTS)],
  ['reason', ({ word }) => (word('reason') === '' ? ['FAIL', 'reason is missing or empty'] : ['PASS', 'given'])],
  ['close-type', ({ word, has }) => (has('close_type') ? oneOf('close_type', word('close_type'), ['story', 'epic']) : ['PASS', 'nothing is closed'])],
  ['scope-sha', ({ word, has }) => (has('close_type') && word('scope_sha') === '' ? ['FAIL', 'close_type is given without scope_sha'] : ['PASS', has('scope_sha') ? 'given' : 'not needed'])],
  ['shas', shas],
  ['finalizer', ({ word }) => (word('next_agent') === 'finalizer' && word('close_type') !== 'epic' ? ['FAIL', 'finalizer comes only with close_type: epic'] : ['PASS', 'fits'])],
  ['status', ({ word }) => oneOf('status', word('status'), STATUSES)],
  ['evidence', evidence],
  ['body', body],
  ['git-state', gitState],
];

/** `text`: the file's. Throws nothing: what cannot be told is a verdict. */
export function validate(text: string, git: Git): Validation {
  const live = readLive(text);
  const word = (name: string) => {
    const value = live.fields?.[name];
    return typeof value === 'string' ? value.trim() : '';
  };
  const subject: Subject = { live, git, word, has: (name) => live.fields?.[name] !== undefined };
  const checks = CHECKS.map(([check, judge]) => {
    const [verdict, detail] = judge(subject);
    return { check, verdict, detail };
  });
  const worst = checks.some(({ verdict }) => verdict === 'FAIL') ? 'NO' : checks.some(({ verdict }) => verdict === 'WARN') ? 'WARNINGS-ONLY' : 'YES';
  return { valid: worst, checks };
}

function oneOf(name: string, value: string, known: readonly string[]): Outcome {
  if (value === '') return ['FAIL', `${name} is missing or empty`];
  return known.includes(value) ? ['PASS', value] : ['FAIL', `${name} is ${JSON.stringify(value)}, not one of ${known.join(', ')}`];
}

function shas({ word, has, git }: Subject): Outcome {
  const given = ['scope_sha', 'prior_sha'].filter(has);
  if (given.length === 0) return ['PASS', 'none given'];
  for (const name of given) {
    const sha = word(name);
    if (/^HEAD\b/i.test(sha)) return ['FAIL', `${name} is ${sha}: a moving name, not a commit`];
    if (!/^[0-9a-f]{7,40}$/i.test(sha)) return ['FAIL', `${name} is not 7 to 40 hex digits`];
  }
  if (!git.isRepository()) return ['WARN', 'there is no git repository here that could know them'];
  const strange = given.find((name) => git.commit(word(name)) === undefined);
  return strange === undefined ? ['PASS', 'known to git'] : ['FAIL', `${strange} names no commit of this repository`];
}

function evidence({ live, word }: Subject): Outcome {
  if (!COMPLETION.includes(word('status'))) return ['PASS', 'the status claims no completion'];
  const section = sectionOf(live.body, 'Verification Evidence');
  if (section === undefined) return ['FAIL', 'a completion without a section "Verification Evidence"'];
  return missing(section, EVIDENCE_FIELDS);
}

function body({ live }: Subject): Outcome {
  const packet = sectionOf(live.body, 'Work Packet');
  if (packet !== undefined) return missing(packet, PACKET_FIELDS);
  const said = live.body.replace(/^#.*$/gm, '').trim();
  return said.length >= ENOUGH ? ['PASS', `${said.length} characters`] : ['FAIL', 'the body does not say enough to act on'];
}

function gitState({ git }: Subject): Outcome {
  if (!git.isRepository()) return ['WARN', 'no git repository'];
  const changes = git.changes();
  if (changes === undefined) return ['WARN', 'git does not tell what is uncommitted'];
  return changes.length === 0 ? ['PASS', 'clean'] : ['WARN', counted(changes.length, 'uncommitted change')];
}

interface Line {
  text: string;
  /** In a code fence, or one of its two ends: no heading and no field. */
  fenced: boolean;
  /** An end of a fence, which says nothing itself. */
  end: boolean;
}

function* linesOf(text: string): Generator<Line> {
  let fence = '';
  for (const line of text.split(/\r?\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    const inside = fence !== '';
    const end = inside ? mark.startsWith(fence) : mark !== '';
    if (end) fence = inside ? '' : mark;
    yield { text: line, fenced: inside || end, end };
  }
}

/** What stands under a heading, to the next one of its level or above. */
function sectionOf(text: string, title: string): string | undefined {
  let level = 0;
  const found: string[] = [];
  for (const line of linesOf(text)) {
    const heading = line.fenced ? null : /^(#{1,6})\s(.*)$/s.exec(line.text);
    if (heading !== null) {
      const depth = heading[1]?.length ?? 0;
      if (level > 0 && depth <= level) return found.join('\n');
      if (level === 0 && heading[2]?.replace(/(?<!#)#+$/, '').trim().toLowerCase() === title.toLowerCase()) {
        level = depth;
        continue;
      }
    }
    if (level > 0) found.push(line.text);
  }
  return level > 0 ? found.join('\n') : undefined;
}

/** Each field as `Name: value`, `**Name**: value`, `- Name: value` or a heading of its own; its value may stand in lines below. */
function missing(section: string, names: readonly string[]): Outcome {
  const any = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const asLine = new RegExp(`^[ \\t]*(?:[-*+][ \\t]+)?\\**(${any})\\**[ \\t]*:\\**(.*)$`, 'i');
  const asHeading = new RegExp(`^#{1,6}[ \\t]+(${any})[ \\t]*:?()[ \\t]*#*$`, 'i');
  const said = new Set<string>();
  let open: string | undefined;
  for (const { text, fenced, end } of linesOf(section)) {
    const field = fenced ? null : asLine.exec(text) ?? asHeading.exec(text);
    if (field !== null) open = field[1]?.toLowerCase();
    else if (!fenced && /^#{1,6}\s/.test(text)) open = undefined;
    const value = field !== null ? field[2] ?? '' : end ? '' : text;
    if (open !== undefined && value.trim() !== '') said.add(open);
  }
  const absent = names.filter((name) => !said.has(name.toLowerCase()));
  return absent.length === 0 ? ['PASS', `all ${names.length} fields`] : ['FAIL', `missing: ${absent.join(', ')}`];
}

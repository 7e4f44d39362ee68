/**
 * One self-contained page over a session. Nothing that was said in the session stands in its markup: all of it is JSON
 * in a block that browsers do not run, and the page's own script puts it in place as text. A policy in the page allows that
 * one script and that one style by their hashes and nothing else: no request, no frame, no form, no other script.
 */
import { sha256 } from '../../lib/hash-chain.mts';
import { promotedRevision, promotedWhen } from '../../lib/promotion.mts';
import { clientNote } from '../prompts.mts';
import { changesAfterTest, changingSeqs, claimsTests, unfinished } from '../sections.mts';
import { shown } from '../text.mts';
import { unreadNote } from '../unread.mts';
import type { Digest } from '../digest.mts';
import type { RenderView } from '../view.mts';
import type { Turn } from '../../transcript/turn.mts';
import { createItems, type Limits } from './items.mts';
import { SCRIPT } from './script.mts';
import { STYLE } from './style.mts';

/** A sub-agent whose transcript is a session of its own. */
export interface PageThread {
  id: string;
  title: string;
  turns: Iterable<Turn>;
}

export interface PageInput {
  digest: Digest;
  view: RenderView;
  /** All turns of the session, in order; read once. */
  turns: Iterable<Turn>;
  threads?: readonly PageThread[];
  /** What the author wrote below the marker of HANDOFF.md. */
  evidence?: string;
}

/** Characters of transcript text in a page, as near as can be told before it is read. */
const ALL_TEXT = 48 << 20;
const MOST_TURNS = 50_000;
const MOST_TEXT = 20_000;
const LEAST_TEXT = 1_000;
const MOST_SOURCES = 20;

/** The page, as one string. Never throws, whatever the turns hold; throws what reading them throws. */
export function renderPage({ digest, view, turns, threads = [], evidence = '' }: PageInput): string {
  const items = createItems(limitsFor(view.turn_count), view.turn_count);
  for (const turn of turns) items.add(turn);
  for (const { id, title, turns: theirs } of threads) items.thread(id, title, theirs);
  const timeline = items.result();
  const data = { view: viewFields(view), digest: withoutLists(digest), told: told(digest, view.harness), evidence: evidence.trim(), edits: timeline.edits, turnsLeft: timeline.turnsLeft };
  return document(jsonBlock('data', shownAll(data)), jsonBlock('turns', timeline.items));
}

function limitsFor(turns: number): Limits {
  const share = Math.floor(ALL_TEXT / Math.max(1, Math.min(turns, MOST_TURNS)));
  return { text: Math.max(LEAST_TEXT, Math.min(MOST_TEXT, share)), turns: MOST_TURNS, editRows: 400, allEditRows: 40_000 };
}

function viewFields(view: RenderView): Record<string, unknown> {
  const { session, project, harness, model, title, cwd, git, updated_at, turn_count, revisions, watermark, counts, raw_sha256, manifest_sha256, usage, redaction, parent_session, fork, promoted_gate, bad_lines } = view;
  const sources = view.source_paths.slice(0, MOST_SOURCES);
  return { session, project, harness, model, title, cwd, git, updated_at, turn_count, revisions, watermark, counts, raw_sha256, manifest_sha256, usage, redaction, parent_session, fork, promoted_gate, promoted_when: promoted_gate && promotedWhen(promotedRevision(view), revisions), bad_lines, unread: unreadNote(view), sources };
}

/** The page has every turn itself. */
function withoutLists({ timeline: _timeline, tools: _tools, ...rest }: Digest): Omit<Digest, 'timeline' | 'tools'> {
  return { ...rest, prompts: rest.prompts.map((row) => ({ ...row, note: clientNote(row.text) })) };
}

/** What the brief says of the session besides its rows. */
function told(digest: Digest, harness: string): Record<string, unknown> {
  return { unfinished: unfinished(digest, harness), claims: claimsTests(digest), changedSince: changesAfterTest(digest), changing: changingSeqs(digest.commands) };
}

/** Control and bidi characters are shown, not passed on: a name in a row must not reorder the rest of it. */
function shownAll(value: unknown): unknown {
  if (typeof value === 'string') return shown(value);
  if (Array.isArray(value)) return value.map(shownAll);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [shown(key), shownAll(one)]));
}

/** No character that HTML or an old JavaScript gives a meaning leaves this as itself: the block cannot be ended from inside. */
function jsonBlock(id: string, value: unknown): string {
  const json = JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `<script type="application/json" id="${id}">${json}</script>`;
}

function hashOf(text: string): string {
  return `'sha256-${Buffer.from(sha256(text), 'hex').toString('base64')}'`;
}

function document(...blocks: string[]): string {
  const policy = `default-src 'none'; script-src ${hashOf(SCRIPT)}; style-src ${hashOf(STYLE)}; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>Handoff</title>
<style>${STYLE}</style>
</head>
<body>
<noscript><p class="note warn">This page puts the record in place with a script of its own, and scripts are switched off here. HANDOFF.md has the same facts as text.</p></noscript>
<div id="app"></div>
${blocks.join('\n')}
<script>${SCRIPT}</script>
</body>
</html>
`;
}

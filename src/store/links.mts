/**
 * links/<project>.md: notes that relate a project to a session of another one, found by the words of its objective.
 * Each line carries a marker, so that it stands there once.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errnoOf } from '../lib/errors.mts';
import { readText, replaceFile } from '../lib/fs/files.mts';
import { folders, NEW, unlessRefused } from './index-file.mts';
import { projectPage, storePaths } from './layout.mts';
import { inLine } from './project-page.mts';

/** Words that say nothing about a subject. */
const COMMON = new Set(`about after again also another because been before being between both cannot could does doing done down each
  every file files first from give have here into just like list look make many more most much must need next only other over please
  same should show some such sure take than that their them then there these they thing this those through time under update user using
  very want well were what when where which while will with without work would write your yours agent code project session
  create change check test tests run use`.split(/\s+/));
const FEWEST_WORDS = 3;

function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  // V8 takes milliseconds to make the classes of Unicode.
  const each = /[^\0-\x7f]/.test(text) ? /[\p{L}\p{N}][\p{L}\p{N}_.-]{3,}/gu : /[a-z0-9][a-z0-9_.-]{3,}/g;
  for (const [word] of text.toLowerCase().matchAll(each)) if (!COMMON.has(word)) words.add(word.replace(/(?<![.-])[.-]+$/, ''));
  return words;
}

/** What two sets share, as a part of what they hold together. */
function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of a) if (b.has(word)) shared += 1;
  const all = a.size + b.size - shared;
  return all === 0 ? 0 : shared / all;
}

export interface LinkNote {
  project: string;
  /** The session's folder: a name that cannot close a comment. */
  folder: string;
  objective: string;
  at: string;
}

/** A merged session, the two that it was made of, and the project in whose notes it stands. */
export interface MergeNote {
  project: string;
  folder: string;
  of: [string, string];
  other: string;
  at: string;
}

/** Leaves the note in the file of each other project that shares enough words. Gives how many are new. Call it under the index lock. */
export function writeLinks(root: string, note: LinkNote, minScore: number): number {
  const words = wordsOf(note.objective);
  if (words.size < FEWEST_WORDS) return 0;
  let written = 0;
  for (const project of folders(storePaths(root).projects)) {
    if (project === note.project) continue;
    // Notes are only a help: a page that this user may not read gets none.
    const page = unlessRefused(() => {}, undefined, () => readText(projectPage(root, project)));
    if (page === undefined || !closeEnough(words, page, minScore)) continue;
    if (addNote(root, project, note)) written += 1;
  }
  return written;
}

/** A project is close where one of its sessions is, by the objectives on its page. */
function closeEnough(words: ReadonlySet<string>, page: string, minScore: number): boolean {
  const probes = [...words];
  const lower = page.toLowerCase();
  // Most pages share no word at all, and are not taken apart.
  if (!probes.some((word) => lower.includes(word))) return false;
  return lower.split('\n').some((line) => {
    const at = line.indexOf(' :: ');
    return line.startsWith('- session ') && at > 0 && probes.some((word) => line.includes(word)) && jaccard(words, wordsOf(line.slice(at + 4))) >= minScore;
  });
}

function addNote(root: string, project: string, note: LinkNote): boolean {
  const place = `${note.project}/${note.folder}`;
  return append(root, project, `${note.at.slice(0, 10)} ${place}: ${inLine(note.objective)}`, markerOf(place));
}

/** The note that `merge` leaves in the second one's project; once. `folder` is that of the merged session. Call it under the index lock. */
export function addMergeNote(root: string, note: MergeNote): void {
  append(root, note.other, `${note.at.slice(0, 10)} ${note.project}/${note.folder}: ${note.of[0]} merged with ${note.of[1]}`, mergeMarker(note.folder));
}

/** Puts a note at the end of a project's, unless one with its marker stands there. */
function append(root: string, project: string, text: string, marker: string): boolean {
  const { links } = storePaths(root);
  const file = path.join(links, `${project}.md`);
  const before = readText(file) ?? `# Related work: ${project}\n\n`;
  if (before.includes(marker)) return false;
  fs.mkdirSync(links, { recursive: true, mode: 0o700 });
  replaceFile(file, `${before}${before.endsWith('\n') ? '' : '\n'}- ${text} ${marker}\n`, NEW, 'bytes');
  return true;
}

function mergeMarker(folder: string): string {
  return `<!-- merged:${folder} -->`;
}

function markerOf(place: string): string {
  return `<!-- xlink:${place} -->`;
}

/** Takes the notes of a session that is gone out of every file. */
export function dropLinks(root: string, place: string): void {
  rewriteNotes(root, place, () => undefined);
}

/** Has the notes of a session that moved name the place where it is now. Call it under the index lock. */
export function moveLinks(root: string, from: string, to: string): void {
  const [project] = to.split('/', 1);
  rewriteNotes(root, from, (line, of) => {
    // A project needs no note of its own session.
    if (of === project && line.includes(markerOf(from))) return undefined;
    return line.replace(` ${from}: `, () => ` ${to}: `).replace(markerOf(from), () => markerOf(to)).replace(mergeMarker(folderOf(from)), () => mergeMarker(folderOf(to)));
  });
}

/** Puts what `change` makes of each note of the session at `place`, and of the project it stands with, in its stead; undefined takes it out. */
function rewriteNotes(root: string, place: string, change: (line: string, project: string) => string | undefined): void {
  const { links } = storePaths(root);
  let names: string[];
  try {
    names = fs.readdirSync(links);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return;
    throw error;
  }
  const marker = markerOf(place);
  const merged = mergeMarker(folderOf(place));
  const isOfIt = (line: string): boolean => line.includes(marker) || (line.includes(merged) && line.includes(` ${place}: `));
  for (const name of names.filter((entry) => entry.endsWith('.md'))) {
    const file = path.join(links, name);
    const text = readText(file);
    if (text === undefined || !(text.includes(marker) || text.includes(merged))) continue;
    const kept = text.split('\n').flatMap((line) => (isOfIt(line) ? change(line, name.slice(0, -3)) ?? [] : [line])).join('\n');
    if (kept === text) continue;
    if (/^# Related work: .*\n*$/.test(kept)) fs.unlinkSync(file);
    else replaceFile(file, kept, NEW, 'bytes');
  }
}

function folderOf(place: string): string {
  return place.slice(place.indexOf('/') + 1);
}

/** PROJECT.md: the project's name and one line a session, rewritten in place when the session grows. */
import { readText, replaceFile } from '../lib/fs/files.mts';
import { NEW } from './index-file.mts';
import { projectPage } from './layout.mts';
import { idInLine } from './names.mts';
import { headOf } from './objective.mts';

export interface ProjectLine {
  session: string;
  turns: number;
  revisions: number;
  objective: string;
}

/** Writes the lines of `put`, and takes out that of `remove`. Call it under the index lock. */
export function updateProjectPage(root: string, project: string, change: { put?: ProjectLine | readonly ProjectLine[]; remove?: string }): void {
  const file = projectPage(root, project);
  const text = readText(file);
  if (text === undefined && change.put === undefined) return;
  const lines = (text ?? emptyPage(project)).split('\n');
  if (lines.at(-1) === '') lines.pop();
  if (change.remove !== undefined) drop(lines, change.remove);
  for (const line of change.put === undefined ? [] : [change.put].flat() as ProjectLine[]) {
    const at = find(lines, line.session);
    if (at < 0) lines.push(lineOf(line));
    else lines[at] = lineOf(line);
  }
  const next = `${lines.join('\n')}\n`;
  // A line that came late is written by the session's next build; one that was to go has nobody to take it out again.
  if (next !== text) replaceFile(file, next, NEW, change.remove === undefined ? 'bytes' : true);
}

/**
 * Makes the page's session lines anew, in their order; every other line stays, but for the marks that git leaves where two
 * sides changed the page. Call it under the index lock.
 */
export function rebuildProjectPage(root: string, project: string, sessions: readonly ProjectLine[]): void {
  const file = projectPage(root, project);
  const text = readText(file);
  if (text === undefined && sessions.length === 0) return;
  const others = (text ?? emptyPage(project)).split('\n').filter((line) => !/^(?:- session .* \(turns=\d+, rev=\d+\) :: |<{7} |={7}$|>{7} |\|{7} )/.test(line));
  while (others.at(-1) === '') others.pop();
  const next = `${[...others, ...sessions.map(lineOf)].join('\n')}\n`;
  if (next !== text) replaceFile(file, next, NEW, 'bytes');
}

function emptyPage(project: string): string {
  return `# Project: ${project}\n\n## Sessions\n`;
}

function lineOf({ session, turns, revisions, objective }: ProjectLine): string {
  return `${startOf(session)}turns=${turns}, rev=${revisions}) :: ${inLine(objective)}`;
}

function startOf(session: string): string {
  // As other signs of an id are written that may not stand here: a transcript names its session, and a tag would hide the lines below.
  return `- session ${idInLine(session).replace(/[<>]/g, (sign) => (sign === '<' ? '\\u003c' : '\\u003e')).replaceAll('](', ']\\u0028')} (`;
}

/** One line that cannot become markup: no tag, no comment, no link, no picture that a viewer would fetch. */
export function inLine(text: string): string {
  return headOf(text).replace(/[<>]/g, (sign) => (sign === '<' ? '&lt;' : '&gt;')).replaceAll('](', ']\\(');
}

function find(lines: readonly string[], session: string): number {
  const start = startOf(session);
  return lines.findIndex((line) => line.startsWith(start));
}

function drop(lines: string[], session: string): void {
  const at = find(lines, session);
  if (at >= 0) lines.splice(at, 1);
}

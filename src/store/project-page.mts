/** PROJECT.md: the project's name and one line a session, rewritten in place when the session grows. */
import { readText, replaceFile } from '../lib/fs/files.mts';
import { NEW } from './index-file.mts';
import { projectPage } from './layout.mts';

export interface ProjectLine {
  session: string;
  turns: number;
  revisions: number;
  objective: string;
}

const HEAD_LENGTH = 80;

/** Writes the line of `put`, and takes out that of `remove`. Call it under the index lock. */
export function updateProjectPage(root: string, project: string, change: { put?: ProjectLine; remove?: string }): void {
  const file = projectPage(root, project);
  const text = readText(file);
  if (text === undefined && change.put === undefined) return;
  const lines = (text ?? `# Project: ${project}\n\n## Sessions\n`).split('\n');
  if (lines.at(-1) === '') lines.pop();
  if (change.remove !== undefined) drop(lines, change.remove);
  if (change.put !== undefined) {
    const at = find(lines, change.put.session);
    if (at < 0) lines.push(lineOf(change.put));
    else lines[at] = lineOf(change.put);
  }
  const next = `${lines.join('\n')}\n`;
  if (next !== text) replaceFile(file, next, NEW, false);
}

function lineOf({ session, turns, revisions, objective }: ProjectLine): string {
  return `- session ${session} (turns=${turns}, rev=${revisions}) :: ${head(objective)}`;
}

/** One line that cannot become markup or be cut inside a character. */
function head(text: string): string {
  const flat = text.slice(0, HEAD_LENGTH * 4).replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
  return [...flat].slice(0, HEAD_LENGTH).join('').toWellFormed().replace(/[<>]/g, (sign) => (sign === '<' ? '&lt;' : '&gt;'));
}

function find(lines: readonly string[], session: string): number {
  return lines.findIndex((line) => line.startsWith(`- session ${session} (`));
}

function drop(lines: string[], session: string): void {
  const at = find(lines, session);
  if (at >= 0) lines.splice(at, 1);
}

/** The project's documents as tests read them: headings, tables, links. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from './run.ts';

/** README.md, CHANGELOG.md, SKILL.md where there is one, docs/*.md and refs/*.md, relative to the repository. */
export function documents(): string[] {
  const inside = ['docs', 'refs'].flatMap((folder) => readdirSync(join(REPOSITORY, folder)).filter((name) => name.endsWith('.md')).sort().map((name) => `${folder}/${name}`));
  return ['README.md', 'CHANGELOG.md', 'SKILL.md', ...inside].filter((name) => existsSync(join(REPOSITORY, name)));
}

export function read(document: string): string {
  return readFileSync(join(REPOSITORY, document), 'utf8');
}

/** The text without its code: fenced blocks and spans. */
export function prose(text: string): string {
  return unfenced(text).replace(/`[^`\n]*`/g, '');
}

/** What stands under a heading, up to the next one of its level or above; undefined where there is no such heading. */
export function section(text: string, heading: string): string | undefined {
  const lines = text.split('\n');
  const from = lines.indexOf(heading);
  if (from < 0) return undefined;
  const level = heading.indexOf(' ');
  let fenced = false;
  const length = lines.slice(from + 1).findIndex((line) => {
    if (line.startsWith('```')) fenced = !fenced;
    return !fenced && /^#+ /.test(line) && line.indexOf(' ') <= level;
  });
  return lines.slice(from + 1, length < 0 ? undefined : from + 1 + length).join('\n');
}

/** The rows of the table whose head begins with `first`, cells trimmed; none where there is no such table. */
export function table(text: string, first: string): string[][] {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.startsWith(`| ${first} |`));
  if (from < 0) return [];
  const rows: string[][] = [];
  for (const line of lines.slice(from + 2)) {
    if (!line.startsWith('|')) break;
    rows.push(line.slice(1, line.lastIndexOf('|')).split(' | ').map((cell) => cell.trim()));
  }
  return rows;
}

/** The code spans of the prose, without fenced blocks. */
export function spans(text: string): string[] {
  return [...unfenced(text).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
}

function unfenced(text: string): string {
  return text.replace(/^(`{3,})[^\n]*\n[^]*?^\1[ \t]*$/gm, '');
}

/** The words in code of a table's first column. */
export function named(rows: readonly string[][]): string[] {
  return rows.flatMap(([first = '']) => [...first.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

/** The anchors that headings make, as the usual viewers name them. */
export function anchors(text: string): Set<string> {
  const headings = unfenced(text).match(/^#{1,6} .*$/gm) ?? [];
  return new Set(headings.map((line) => line.replace(/^#+ /, '').toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').trim().replace(/\s/g, '-')));
}

/** Targets of the links that lead to a file here or to a heading. */
export function links(text: string): string[] {
  return [...prose(text).matchAll(/\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g)].map(([, target = '']) => target).filter((target) => !/^[a-z]+:/i.test(target));
}

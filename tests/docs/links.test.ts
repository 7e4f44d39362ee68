/** Links, pictures and navigation of the documents, and the names of files in them: nothing leads into the void. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { navigation } from '../../scripts/docs/nav.ts';
import { anchors, documents, links, read, spans } from '../helpers/markdown.ts';
import { REPOSITORY } from '../helpers/run.ts';

const there = (path: string): boolean => existsSync(join(REPOSITORY, path));

/** Files that a program makes, and that a document may speak of. */
const MADE = ['docs/self-improve-candidates.json'];
/** Files of stores, clients and users that have the same names everywhere. */
const ELSEWHERE = ['HANDOFF.md', 'PROJECT.md', 'TOOLS.md', 'CLAUDE.md', 'AGENTS.md'];
const FOLDERS = /^(?:src|scripts|tests|docs|examples|templates|schemas|refs|install|tools|\.ci|\.github)\/[\w./-]+$/;

const everyFile = (folder: string): string[] => readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
const sources = ['src', 'scripts', 'tests'].flatMap((folder) => everyFile(folder).map((name) => `/${folder}/${name}`));

/** Pages made from sessions of other projects: the files in them are those projects'. */
const OF_OTHERS = ['docs/SESSIONS.md'];

/** Names of the project's own files in code spans that are no file here. */
function missing(text: string): string[] {
  return spans(text).filter((span) => {
    if (/[<*…]|\.\.\./.test(span) || MADE.includes(span)) return false;
    // A module may stand by the end of its path, as ARCHITECTURE.md names them.
    if (/^[\w./-]+\.(?:mts|ts)$/.test(span)) return !sources.some((name) => name.endsWith(`/${span}`)) && !there(span);
    if (FOLDERS.test(span)) return !there(span);
    if (/^[\w.-]+\.md$/.test(span)) return !ELSEWHERE.includes(span) && !['', 'docs/', 'refs/', 'templates/'].some((folder) => there(folder + span));
    return false;
  });
}

describe.each(documents())('%s', (document) => {
  it('has no link into the void', () => {
    const broken = links(read(document)).filter((target) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? document : posix.join(posix.dirname(document), decodeURI(path));
      if (!there(file)) return true;
      return anchor !== undefined && !anchors(read(file)).has(anchor);
    });
    expect(broken).toEqual([]);
  });

  it.skipIf(OF_OTHERS.includes(document))('names no file that does not exist', () => {
    expect(missing(read(document))).toEqual([]);
  });

  it('names no script of package.json that does not exist', () => {
    const scripts = (JSON.parse(read('package.json')) as { scripts: Record<string, string> }).scripts;
    const named = [...read(document).matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});

describe('the navigation', () => {
  const pages = readdirSync(join(REPOSITORY, 'docs')).filter((name) => name.endsWith('.md'));
  const listed = navigation(read('docs/_data/nav.yml')).flatMap((group) => group.pages.map(({ file }) => file));

  it('has every page of docs/, once', () => {
    expect(listed.filter((name) => pages.includes(name)).sort()).toEqual(pages.sort());
  });

  it('has no page that is not there', () => {
    expect(listed.filter((name) => !pages.includes(name))).toEqual([]);
  });
});

describe('the sources', () => {
  it('name no document that does not exist', () => {
    const named = everyFile('src').filter((name) => name.endsWith('.mts')).flatMap((name) => [...read(`src/${name}`).matchAll(/\b(?:docs|refs)\/[\w-]+\.md\b/g)].map(([path]) => path));
    expect(named.length).toBeGreaterThan(0);
    expect([...new Set(named)].filter((path) => !there(path))).toEqual([]);
  });
});

describe('a page for the site', () => {
  // The site's builder reads `{{` and `{%` as its own, unless told not to.
  it.each(documents().filter((name) => dirname(name) === 'docs'))('%s has no words that the builder of the site would take for its own', (document) => {
    const text = read(document).replace(/\{% raw %\}[^]*?\{% endraw %\}/g, '');
    expect(text.match(/\{[{%].*/g) ?? [], basename(document)).toEqual([]);
  });
});

/**
 * npm run site [-- <folder>]
 * Renders docs/ with its own layout into a folder (.build/site), to be looked at from the disk. Development only: the
 * site that is published is built by GitHub Pages from the same files.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fill } from './docs/layout.ts';
import { renderMarkdown } from './docs/markdown.ts';
import { navigation } from './docs/nav.ts';
import { REPOSITORY } from './docs/sandbox.ts';

const DOCS = join(REPOSITORY, 'docs');
const read = (name: string): string => readFileSync(join(DOCS, name), 'utf8');

/** Writes every page and what it needs; gives the names of the pages. */
export function renderSite(folder: string): string[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of ['assets', 'img']) if (existsSync(join(DOCS, name))) cpSync(join(DOCS, name), join(folder, name), { recursive: true });
  const layout = read('_layouts/default.html');
  const config = new Map([...read('_config.yml').matchAll(/^(\w+): (.+)$/gm)].map(([, key = '', value = '']) => [key, value]));
  const site = { title: config.get('title'), description: config.get('description'), baseurl: '', github: { repository_url: 'https://example.com/agents-handoff' }, data: { nav: navigation(read('_data/nav.yml')) } };
  const pages = readdirSync(DOCS).filter((name) => name.endsWith('.md')).sort();
  for (const name of pages) {
    const text = read(name).replace(/\{% (?:end)?raw %\}/g, '');
    const target = name.replace(/\.md$/, '.html');
    // What a plugin of the site does: links to pages of this folder lead to what is made of them.
    const content = renderMarkdown(text).replace(/href="(?!\w+:)([\w-]+)\.md(#[^"]*)?"/g, 'href="$1.html$2"');
    const page = { title: /^# (.*)$/m.exec(text)?.[1] ?? name, url: name === 'index.md' ? '/' : `/${target}` };
    const html = fill(layout, { site, page, content });
    // From a disk there is no root to begin at.
    writeFileSync(join(folder, target), html.replace(/(href|src)="\/(?!\/)([^"]*)"/g, (_, attribute: string, path: string) => `${attribute}="${path === '' ? 'index.html' : path}"`));
  }
  return pages;
}

if (process.argv[1] === import.meta.filename) {
  const folder = resolve(process.argv[2] ?? join(REPOSITORY, '.build/site'));
  console.log(`${renderSite(folder).length} pages in ${folder}`);
}

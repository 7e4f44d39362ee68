/** The site as its own layout and style make it: every page, in a browser where there is one. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderSite } from '../../scripts/site.ts';
import { chromium, openBrowser, type Browser } from '../helpers/chromium.ts';
import { freshFolder } from '../helpers/run.ts';

const name = chromium();
const required = process.env['REQUIRE_TOOLS'] === '1';
const folder = freshFolder('handoff-site-');
const pages = renderSite(folder).map((page) => page.replace(/\.md$/, '.html'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const htmlOf = (page: string): string => readFileSync(join(folder, page), 'utf8');

describe('a page of the site', () => {
  it.each(pages)('%s has a title, all pages beside it, itself marked, and no word of the template', (page) => {
    const html = htmlOf(page);
    expect(html).toMatch(/<title>[^<{]+<\/title>/);
    expect(html.match(/aria-current="page"/g)).toHaveLength(1);
    for (const other of pages) expect(html).toContain(`href="${other}"`);
    expect(html.replace(/<(pre|code)>[^]*?<\/\1>/g, '')).not.toMatch(/\{\{|\{%/);
  });

  it.each(pages)('%s leads only to pages and headings that are there, or into the repository', (page) => {
    const broken = [...htmlOf(page).matchAll(/(?:href|src)="([^"]*)"/g)].map(([, target = '']) => target).filter((target) => {
      if (/^https:\/\//.test(target)) return false;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : path;
      if (!existsSync(join(folder, file))) return true;
      return anchor !== undefined && !htmlOf(file).includes(`id="${anchor}"`);
    });
    expect(broken).toEqual([]);
  });
});

describe.runIf(name !== undefined || required)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser(name ?? 'chromium');
  });
  afterAll(() => browser.close());

  it.each([360, 1200])('no page is wider than a window of %i px, in light and in dark, and its words can be read', async (width) => {
    const { page } = browser;
    await page.size(width);
    const grounds = new Set<string>();
    for (const one of pages) {
      await page.open(pathToFileURL(join(folder, one)).href);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth'), one).toBeLessThanOrEqual(width);
    }
    for (const scheme of ['light', 'dark'] as const) {
      await page.scheme(scheme);
      const [ground = '', contrast = 0] = await page.evaluate<[string, number]>(CONTRAST);
      grounds.add(ground);
      // What the usual guideline asks of text.
      expect(contrast).toBeGreaterThan(4.5);
    }
    expect(grounds.size).toBe(2);
    expect(page.talk()).toEqual([]);
    expect(page.requests().filter((url) => !url.startsWith('file:'))).toEqual([]);
  });
});

/** The ground's colour, and the least contrast of text, quiet text, links and code to what they stand on. */
const CONTRAST = `(() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (colour !== 'rgba(0, 0, 0, 0)') return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const ratios = [...document.querySelectorAll('main p, main a, main code, main th, nav a, nav p, footer p')].map((element) => {
    const [a, b] = [light(getComputedStyle(element).color), light(ground(element))].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  });
  return [getComputedStyle(document.body).backgroundColor, Math.min(...ratios)];
})()`;

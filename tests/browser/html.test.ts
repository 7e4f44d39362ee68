/** The page of `export --html` in a real browser, from a file, as a reader opens it. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderPage } from '../../src/render/html/page.mts';
import { createReducer } from '../../src/render/reduce.mts';
import type { Turn } from '../../src/transcript/turn.mts';
import { chromium, openBrowser, type Browser, type Page } from '../helpers/chromium.ts';
import { freshFolder } from '../helpers/run.ts';

const name = chromium();
const required = process.env['REQUIRE_TOOLS'] === '1';
const title = (text: string): string => (name === undefined && !required ? `${text} (skipped: no Chromium is installed)` : text);

const HOSTILE = [
  '</script><script>window.ran = 1</script>', '<img src="https://evil.invalid/x.png" onerror="window.ran = 2">', '--><svg onload="window.ran = 3">',
  '"onfocus="window.ran = 4" autofocus x="', 'javascript:window.ran = 5', '<iframe src="https://evil.invalid/"></iframe>', '<link rel=stylesheet href=https://evil.invalid/x.css>',
  '<meta http-equiv=refresh content="0;url=https://evil.invalid/">', '\u2028window.ran = 6\u2029', '\u202egnp.exe\u2066', '\u001b]0;title\u0007', '<a href="https://evil.invalid/" ping=x>a</a>',
  '{{constructor.constructor("window.ran = 7")()}}', '<base href="https://evil.invalid/">', '\\u003cscript\\u003ewindow.ran = 8\\u003c/script\\u003e', '__proto__',
].join('\n');

let seq = 0;
const turn = (of: Partial<Turn>): Turn => ({ seq: ++seq, ts: `2026-01-31T09:${String(Math.floor(seq / 60) % 60).padStart(2, '0')}:${String(seq % 60).padStart(2, '0')}Z`, class: 'AGENT', text: `turn ${seq}`, ...of });
function calls(tool: string, input: object, said: string, of: Partial<Turn> = {}): Turn[] {
  const one = turn({ class: 'TOOL', kind: 'call', tool, call: `c${seq}`, effect: 'unknown', text: `tool_use ${tool} ${JSON.stringify(input)}` });
  return [one, turn({ class: 'TOOL', kind: 'result', call: one.call ?? '', text: said, ok: true, ...of })];
}

function pageOf(turns: readonly Turn[], more: { evidence?: string; threads?: { id: string; title: string; turns: Turn[] }[]; session?: string } = {}): string {
  const reducer = createReducer();
  for (const one of turns) reducer.add(one);
  const { session = 'a-session', ...rest } = more;
  return renderPage({
    digest: reducer.digest(),
    view: {
      session, project: session === 'a-session' ? 'shop' : session, harness: 'claude-code', model: 'a-model', updated_at: '2026-01-31T10:00:00Z', turn_count: turns.length, revisions: 2, watermark: seq,
      counts: {}, source_paths: ['/home/dev/session.jsonl'], raw_sha256: 'a'.repeat(64), manifest_sha256: 'b'.repeat(64), usage: { input: 1_000, output: 200 }, git: { branch: 'main' }, cwd: '/home/dev/shop',
    },
    turns,
    ...rest,
  });
}

/** Every kind of thing that a page can show. */
function everything(): string {
  seq = 0;
  const wide = 'w'.repeat(3_000);
  const turns = [
    turn({ class: 'USER', text: 'Fix the discount, please' }),
    turn({ class: 'THOUGHT', text: `Look first.\n${wide}` }),
    ...calls('Bash', { command: `npm test -- ${wide}` }, `1 failed\n${wide}`, { ok: false, exit: 1 }),
    ...calls('Edit', { file_path: `/home/dev/shop/src/${wide}.js`, old_string: `a\n${wide}`, new_string: 'b\nc' }, 'done'),
    ...calls('Write', { file_path: '/home/dev/shop/new.js', content: 'x\n'.repeat(30) }, 'created'),
    ...calls('TodoWrite', { todos: [{ content: 'Fix it', status: 'completed' }, { content: 'Say so', status: 'pending' }] }, 'ok'),
    turn({ class: 'OTHER', text: wide, meta: 'reminder' }),
    turn({ class: 'USER', text: 'No, do it the other way instead' }),
    turn({ side: 'helper', text: 'I am looking' }),
    turn({ side: 'helper', class: 'TOOL', kind: 'call', tool: 'Read', call: 'r', effect: 'read', text: 'tool_use Read {"file_path":"a"}' }),
    turn({ text: `Done. ${'A long answer. '.repeat(400)}` }),
    turn({ class: 'TOOL', kind: 'call', tool: 'Bash', call: 'open', effect: 'unknown', text: 'tool_use Bash {"command":"npm publish"}' }),
  ];
  return pageOf(turns, { evidence: 'RESULT: DONE\n', threads: [{ id: 'child', title: 'Look around', turns: [{ seq: 1, ts: '2026-01-31T09:00:05Z', class: 'AGENT', text: 'from a session of its own' }] }] });
}

/** The same with markup that an attacker might have brought into it. */
function everythingWith(markup: string): string {
  return everything().replace('<div id="app">', () => `${markup}<div id="app">`);
}

function longPage(): string {
  seq = 0;
  const words = 'the cart total is rounded before the discount is applied and so the price is wrong '.repeat(6);
  const turns: Turn[] = [];
  while (turns.length < 10_000) turns.push(...(seq % 5 === 0 ? [turn({ class: 'USER', text: `please look at number ${seq}` })] : seq % 5 === 1 ? [turn({ text: `${words} ${seq}` })] : calls('Bash', { command: `echo ${seq}` }, `${words}${words}${seq}`)));
  return pageOf(turns);
}

describe.skipIf(name === undefined && !required)(title('the page in a browser'), () => {
  const folder = freshFolder();
  let browser: Browser;
  let page: Page;
  const show = async (html: string): Promise<void> => {
    const file = join(folder, 'page.html');
    writeFileSync(file, html);
    await page.open('about:blank');
    page.talk();
    page.requests();
    await page.open(pathToFileURL(file).href);
  };
  const type = (text: string) => page.evaluate<void>(`(() => { const box = document.querySelector('input[type=search]'); box.value = ${JSON.stringify(text)}; box.dispatchEvent(new Event('input')); })()`);
  const answer = () => page.evaluate<string>('document.querySelector("output").textContent');
  const chip = (text: string) => page.evaluate<void>(`[...document.querySelectorAll('.tools button')].find((one) => one.textContent.startsWith(${JSON.stringify(text)})).click()`);
  const settled = () => page.evaluate<void>('new Promise((resolve) => setTimeout(resolve, 150))');
  /** Rows are in the page only near the view. */
  const toTimeline = async () => {
    await page.evaluate('document.querySelector("#timeline").scrollIntoView()');
    await settled();
  };
  const unfold = () => page.evaluate<void>('new Promise((resolve) => { for (const one of document.querySelectorAll("details")) one.open = true; setTimeout(resolve, 200); })');

  beforeAll(async () => {
    expect(name, 'REQUIRE_TOOLS is set and no Chromium is installed').toBeDefined();
    browser = await openBrowser(name ?? '');
    page = browser.page;
    await page.size(1_000);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('runs nothing of a hostile transcript, asks for nothing, and has nothing to say in the console', async () => {
    seq = 0;
    const hostile = [turn({ class: 'USER', text: HOSTILE }), ...calls('Edit', { file_path: HOSTILE, old_string: HOSTILE, new_string: `${HOSTILE}x` }, HOSTILE), ...calls(HOSTILE, { [HOSTILE]: HOSTILE }, HOSTILE, { ok: false }), turn({ text: HOSTILE, side: HOSTILE, meta: HOSTILE }), turn({ class: 'THOUGHT', text: HOSTILE }), turn({ text: HOSTILE })];
    await show(pageOf(hostile, { session: HOSTILE, evidence: HOSTILE, threads: [{ id: HOSTILE, title: HOSTILE, turns: [turn({ text: HOSTILE })] }] }));
    await page.evaluate('for (const one of document.querySelectorAll(".SUB button, .more")) one.click()');
    await unfold();
    await type('script');
    await settled();
    expect(await page.evaluate('window.ran ?? "nothing ran"')).toBe('nothing ran');
    expect(await page.evaluate('document.querySelectorAll("img, svg, iframe, link, base, object, embed, form, #app script, #app style, [onload], [onerror], [onfocus], [style*=url]").length')).toBe(0);
    expect(await page.evaluate('[...document.querySelectorAll("a")].filter((one) => !one.getAttribute("href").startsWith("#")).length')).toBe(0);
    expect(await page.evaluate('document.body.textContent.includes("window.ran = 1")')).toBe(true);
    expect(page.requests().filter((url) => !/^file:.*page\.html$/.test(url))).toEqual([]);
    expect(page.talk()).toEqual([]);
  });

  it('has a policy that blocks a script, a handler, a style and a request, each told by the browser', async () => {
    const blocked = everythingWith('<script>window.ran = 1</script><img src="https://evil.invalid/x.png" onerror="window.ran = 2"><p style="color: red">x</p>');
    await show(blocked);
    await settled();
    expect(await page.evaluate('window.ran ?? "nothing ran"')).toBe('nothing ran');
    expect(page.talk().filter((said) => said.includes('Content Security Policy')).length).toBeGreaterThanOrEqual(3);
    expect(await page.evaluate('(() => { try { document.body.innerHTML = "<b>x</b>"; return "taken"; } catch { return "refused"; } })()')).toBe('refused');
  });
  it('shows what the session comes down to, with edits as differences', async () => {
    await show(everything());
    await unfold();
    const text = (selector: string) => page.evaluate<string>(`document.querySelector(${JSON.stringify(selector)}).innerText`);
    expect(await text('#summary')).toContain('Fix the discount, please');
    expect(await text('#summary')).toMatch(/Unverified.*RESULT: DONE/s);
    expect(await text('#pending')).toMatch(/npm publish/);
    expect(await text('#pending')).toContain('Outcome unknown: look first');
    expect(await page.evaluate('[...document.querySelectorAll("#files .diff")].at(-1).innerText')).toMatch(/^ ?-a\n/);
    expect(await page.evaluate('document.querySelectorAll("#files .diff .add").length')).toBe(32);
    expect(await text('#commands')).toContain('exit 1');
  });

  it('shows as pending what the brief shows: calls that were stopped, and the prompt without an answer', async () => {
    await show(pageOf([turn({ class: 'USER', text: 'Import all' }), ...calls('Bash', { command: 'import.sh' }, 'aborted by user', { ok: false }), turn({ class: 'USER', text: 'Is it there?' })]));
    const text = (selector: string) => page.evaluate<string>(`document.querySelector(${JSON.stringify(selector)}).innerText`);
    expect(await text('#pending')).toMatch(/Pending\s*2[^]*Stopped Bash\s+Outcome unknown: look first\s+import\.sh[^]*Prompt, not answered\s+Answer it\s+Is it there\?/);
    expect(await text('#commands')).toMatch(/failed, stopped/);
  });

  it('marks what came from another handoff as second-hand', async () => {
    seq = 0;
    const brief = '# Handoff: older\n\n## Objective (verbatim)\n\n```text\nThe older goal\n```\n\n## State right now (verbatim tail)\n\n```text\nAll is well\n```\n';
    await show(pageOf([turn({ class: 'USER', text: 'Go on from the handoff' }), ...calls('Read', { file_path: 'HANDOFF.md' }, brief), turn({ text: 'Read.' })]));
    expect(await page.evaluate('[...document.querySelectorAll("#summary .card")].map((one) => one.innerText).find((text) => text.startsWith("Second-hand"))')).toMatch(/older.*unverified.*The older goal.*All is well/s);
  });

  it('filters by class, shows only failures, and nests sub-agents', async () => {
    await show(everything());
    await toTimeline();
    const rows = () => page.evaluate<string[]>('[...document.querySelectorAll("#list .turn")].map((one) => one.classList[1])');
    expect(new Set(await rows())).toEqual(new Set(['USER', 'THOUGHT', 'TOOL', 'SUB', 'AGENT']));
    for (const kind of ['Prompts', 'Agent', 'Thoughts']) await chip(kind);
    expect(new Set(await rows())).toEqual(new Set(['TOOL', 'SUB']));
    await chip('Only failed');
    expect(await rows()).toEqual(['TOOL', 'SUB', 'TOOL', 'TOOL']);
    await chip('Only failed');
    await chip('Agent');
    await page.evaluate('for (const one of [...document.querySelectorAll(".SUB button")]) one.isConnected && one.click()');
    await settled();
    expect(await page.evaluate('document.querySelector(".SUB + .d1").innerText')).toContain('from a session of its own');
  });

  it('finds words wherever they stand, and says when nothing fits', async () => {
    await show(everything());
    await toTimeline();
    await type('PUBLISH npm');
    expect([await answer(), await page.evaluate('document.querySelectorAll("#list .turn").length')]).toEqual(['1 of 13 entries', 1]);
    await type('looking');
    expect(await page.evaluate('[...document.querySelectorAll("#list .turn")].map((one) => one.classList[1])')).toEqual(['SUB', 'AGENT']);
    await type('no such words');
    expect(await page.evaluate('document.querySelector("#list").innerText')).toContain('No turn fits');
    await type('');
    expect(await answer()).toBe('12 of 13 entries');
  });

  it('searches 10,000 turns within 200 ms, with only what is in view in the page', async () => {
    await show(longPage());
    expect(await page.evaluate('JSON.parse(document.getElementById("data").textContent).view.turn_count')).toBeGreaterThanOrEqual(10_000);
    expect(await page.evaluate('document.querySelectorAll("#list .turn").length')).toBeLessThan(400);
    // The first search comes before the idle work is done, as a quick reader's would.
    const times = await page.evaluate<number[]>(`(async () => {
      const box = document.querySelector('input[type=search]');
      const times = [];
      for (const text of ['discount 4321', 'd', 'echo', 'number 9', 'nowhere', '']) {
        const began = performance.now();
        box.value = text;
        box.dispatchEvent(new Event('input'));
        document.querySelector('#list').getBoundingClientRect();
        times.push(performance.now() - began);
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      }
      return times;
    })()`);
    expect(Math.max(...times), `${times.map((time) => time.toFixed(0)).join(', ')} ms`).toBeLessThan(200);
  });

  it('shows the turns in the middle of 10,000 when it is scrolled there, and leads a link to its turn', async () => {
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight / 2)');
    await settled();
    await settled();
    expect(await page.evaluate('document.elementFromPoint(500, 450).closest(".turn") !== null')).toBe(true);
    expect(await page.evaluate('document.querySelectorAll("#list .turn").length')).toBeLessThan(400);
    await page.evaluate('location.hash = "#t8006"');
    await settled();
    await settled();
    const where = await page.evaluate<{ text: string; top: number }>('(() => { const row = document.activeElement; return { text: row.querySelector(".at").textContent, top: row.getBoundingClientRect().top }; })()');
    // A result stands in the row of its call.
    expect(where.text).toBe('8005');
    expect(where.top).toBeGreaterThanOrEqual(0);
    expect(where.top).toBeLessThan(900);
  });

  it('has every control within reach of the Tab key, in the order of the page, with a visible focus', async () => {
    // So high that all rows are near the view: what is counted must not come and go.
    await page.size(1_000, 4_000);
    await show(everything());
    const controls = `[...document.querySelectorAll('a[href], button, input, summary')].filter((one) => one.checkVisibility())`;
    const wanted = await page.evaluate<number>(`${controls}.length`);
    const seen: number[] = [];
    const unseen: string[] = [];
    for (let at = 0; at < wanted; at += 1) {
      await page.key('Tab');
      const { nth, outline, html } = await page.evaluate<{ nth: number; outline: string; html: string }>(`(() => { const one = document.activeElement; const style = getComputedStyle(one); return { nth: ${controls}.indexOf(one), outline: style.outlineStyle + style.outlineWidth, html: one.outerHTML.slice(0, 80) }; })()`);
      seen.push(nth);
      if (!/^(?:solid|auto)[1-9]/.test(outline)) unseen.push(html);
    }
    expect(seen).toEqual(Array.from({ length: wanted }, (_, at) => at));
    await page.size(1_000);
    expect(unseen).toEqual([]);
  });

  it('answers its keys, and leaves them alone where words are typed', async () => {
    await show(everything());
    const focus = () => page.evaluate<string>('document.activeElement.dataset.row ?? document.activeElement.tagName');
    await page.key('/', '/');
    expect(await focus()).toBe('INPUT');
    await page.key('j', 'j');
    expect(await page.evaluate('document.activeElement.value')).toBe('j');
    await page.key('Escape');
    expect([await answer(), await focus()]).toEqual(['12 of 13 entries', 'BODY']);
    await toTimeline();
    await page.evaluate('document.querySelector("#list .turn").focus()');
    await page.key('j', 'j');
    await page.key('j', 'j');
    await page.key('j', 'j');
    expect(await focus()).toBe('3');
    await page.key('o', 'o');
    expect(await page.evaluate('document.activeElement.querySelector("details").open')).toBe(true);
    await page.key('k', 'k');
    expect(await focus()).toBe('2');
    await page.key('t', 't');
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('light');
    await page.key('t', 't');
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(20, 23, 26)');
    await page.evaluate('localStorage.clear()');
  });

  describe.each([360, 800, 1_600])('at %i px', (width) => {
    it.each(['light', 'dark'] as const)('has no horizontal scroll and enough contrast, %s', async (scheme) => {
      await page.size(width);
      await page.scheme(scheme);
      await show(everything());
      await chip('Other');
      await page.evaluate('for (const one of [...document.querySelectorAll(".SUB button, .more")]) one.isConnected && one.click()');
      await unfold();
      expect(await page.evaluate('[document.documentElement.scrollWidth, document.body.scrollWidth].map((wide) => wide <= innerWidth)')).toEqual([true, true]);
      expect(await page.evaluate('[...document.querySelectorAll("#app *")].filter((one) => one.checkVisibility() && !one.classList.contains("skip") && !one.closest(".about") && one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 80))')).toEqual([]);
      const weak = await page.evaluate<string[]>(WEAK);
      expect(weak).toEqual([]);
      expect(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')).toBe(scheme === 'dark' ? 'rgb(20, 23, 26)' : 'rgb(250, 249, 247)');
    });
  });

  it('prints what is listed, on white', async () => {
    await page.send('Emulation.setEmulatedMedia', { media: 'print', features: [{ name: 'prefers-color-scheme', value: 'dark' }] });
    expect(await page.evaluate('[getComputedStyle(document.body).backgroundColor, document.querySelector(".tools").checkVisibility()]')).toEqual(['rgb(255, 255, 255)', false]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.send('Emulation.setEmulatedMedia', { media: '' });
  });
});

/** Texts with less contrast to what is behind them than 4.5 to 1, as WCAG computes it. */
const WEAK = `(() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => { const [r, g, b] = parts(colour).slice(0, 3).map((one) => { const part = one / 255; return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = (element) => { for (let one = element; one !== null; one = one.parentElement) { const colour = getComputedStyle(one).backgroundColor; const alpha = parts(colour)[3]; if (alpha === undefined) return colour; if (alpha > 0) return 'rgb(128, 128, 128)'; } return 'rgb(255, 255, 255)'; };
  const weak = new Set();
  let looked = 0;
  for (const element of document.querySelectorAll('#app *')) {
    if (!element.checkVisibility() || ![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '')) continue;
    looked += 1;
    const [a, b] = [light(getComputedStyle(element).color), light(behind(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) weak.add(element.tagName + '.' + element.className + ' ' + ratio.toFixed(2));
  }
  if (looked < 100) weak.add('only ' + looked + ' texts were found');
  return [...weak];
})()`;

import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { updateProjectPage } from '../../../src/store/project-page.mts';
import { freshFolder } from '../../helpers/run.ts';

const root = freshFolder('handoff-page-');
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('a line of PROJECT.md', () => {
  it('holds no tag, no comment, no link and no picture, whatever a transcript calls its session and asks for', () => {
    mkdirSync(join(root, 'projects', 'p'), { recursive: true });
    const put = { session: 'a<!-- <b>\n## x ![](http://tracker.example/1)', turns: 1, revisions: 1, objective: '![](http://tracker.example/2) <!-- <script>' };
    const page = (): string => readFileSync(join(root, 'projects', 'p', 'PROJECT.md'), 'utf8');
    updateProjectPage(root, 'p', { put });
    expect(page()).toBe('# Project: p\n\n## Sessions\n- session a\\u003c!-- \\u003cb\\u003e\\u000a## x ![]\\u0028http://tracker.example/1) (turns=1, rev=1) :: ![]\\(http://tracker.example/2) &lt;!-- &lt;script&gt;\n');
    updateProjectPage(root, 'p', { put: { ...put, turns: 2 } });
    expect(page().match(/^- session /gm)).toHaveLength(1);
    updateProjectPage(root, 'p', { remove: put.session });
    expect(page()).not.toContain('- session');
  });
});

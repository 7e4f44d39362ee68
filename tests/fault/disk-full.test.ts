import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { explains, listing, manifests, records, Workshop } from './workshop.ts';

const KB = 1024;

function mount(root: string, kilobytes: number, ...flags: string[]): boolean {
  fs.mkdirSync(root, { recursive: true });
  return spawnSync('mount', ['-t', 'tmpfs', '-o', [...flags, `size=${kilobytes}k`].join(','), 'tmpfs', root]).status === 0;
}

function unmount(root: string): void {
  spawnSync('umount', [root]);
}

/** A tmpfs needs the right to mount; where that is refused there is nothing to test, unless REQUIRE_TOOLS=1 wants it. */
function mayMount(): boolean {
  if (process.platform !== 'linux') return false;
  const workshop = new Workshop();
  const may = mount(workshop.root, 64);
  if (may) unmount(workshop.root);
  workshop.remove();
  return may;
}

const skip = !mayMount() && process.env['REQUIRE_TOOLS'] !== '1';

describe.skipIf(skip)('a disk that fills up during a build (skipped where a tmpfs may not be mounted)', () => {
  const workshop = new Workshop();
  const { root } = workshop;
  const transcript = workshop.transcript('subject', 0);
  const grow = (count: number, padding = 0): void => fs.writeFileSync(transcript, records('subject', count, padding));
  const used = (): number => {
    const { blocks, bfree, bsize } = fs.statfsSync(root);
    return ((blocks - bfree) * bsize) / KB;
  };

  afterEach(() => unmount(root));
  afterAll(() => workshop.remove());

  it.each([
    { kind: 'a build', padding: 0 },
    { kind: 'a build whose renders have a thread of their own', padding: 8 },
  ])('$kind leaves the old revision whole wherever it happens, and a build with room again completes it', ({ padding }) => {
    expect(mount(root, 64 * KB)).toBe(true);
    grow(40);
    workshop.must('build', transcript);
    const small = used();
    grow(2500, padding);
    workshop.must('build', transcript);
    const whole = fs.readFileSync(`${root}/${manifests(root)[0]!.folder}/timeline.jsonl`, 'utf8');
    const large = used();
    unmount(root);

    const steps = 10;
    let refused = 0;
    for (let step = 0; step < steps; step++) {
      const room = Math.ceil(small + ((large - small) * (step + 0.3)) / steps);
      expect(mount(root, room + 64)).toBe(true);
      grow(40);
      workshop.must('build', transcript);
      const before = listing(root);
      const timeline = fs.readFileSync(`${root}/${manifests(root)[0]!.folder}/timeline.jsonl`, 'utf8');
      grow(2500, padding);
      const full = workshop.handoff('build', transcript);
      const where = `${room} KB of ${Math.round(large)} KB: ${full.stderr}`;
      if (full.status !== 0) {
        refused++;
        expect(full.status, where).toBe(1);
        expect(explains(full.stderr), where).toBe(true);
        expect(full.stderr, where).toMatch(/space|full|ENOSPC/i);
        expect(listing(root), where).toEqual(before);
        expect(fs.readFileSync(`${root}/${manifests(root)[0]!.folder}/timeline.jsonl`, 'utf8'), where).toBe(timeline);
      }
      expect(workshop.handoff('verify', '--all').status, where).toBe(0);
      expect(mount(root, 64 * KB, 'remount'), where).toBe(true);
      workshop.must('build', transcript);
      workshop.must('verify', '--all', '--strict');
      expect(fs.readFileSync(`${root}/${manifests(root)[0]!.folder}/timeline.jsonl`, 'utf8') === whole, where).toBe(true);
      unmount(root);
    }
    console.log(`disk full, ${padding} MB of text more: ${steps} sizes from ${Math.round(small)} to ${Math.round(large)} KB, ${refused} refused`);
    expect(refused).toBeGreaterThan(steps / 2);
  });
});

/** Lives of sessions, of 30 steps each: what was said is in the timeline as the rules have it, whatever becomes of the sources. */
import fs from 'node:fs';
import { freshFolder } from '../../helpers/run.ts';
import type { Target } from '../fuzz.ts';
import { live } from '../life/lives.ts';
import type { Random } from '../mutate.ts';

const STEPS = 30;

async function run(random: Random): Promise<string> {
  const dir = freshFolder('handoff-fuzz-life-');
  const life = live(random, dir);
  try {
    for (let step = 0; step < STEPS; step += 1) await life.step();
    return 'lived';
  } catch (error) {
    throw new Error(`${life.steps.join('; ')}: ${error instanceof Error ? error.stack ?? error.message : String(error)}`, { cause: error });
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

export const lives: Target = { name: 'lives', share: 0.4, run };

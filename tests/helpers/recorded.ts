/** Suites over recorded sessions, which not every machine has. */
import { it } from 'vitest';

/** Shows, as a skipped test with its reason, that there are none. */
export function skipWithout(entries: readonly unknown[]): void {
  if (entries.length === 0) it.skip('are not on this machine (HANDOFF_TRANSCRIPTS names their folder)', () => {});
}

/** At which revision a session was promoted, as its manifest tells. */
export interface Promotion {
  readonly revisions: number;
  readonly updated_at: string;
  readonly promoted_gate?: string;
  readonly promoted_at?: string;
  readonly promoted_revision?: number;
}

/**
 * The revision that was promoted. 2.0.x stamps no number, and leaves ours as it was: it is the last one, as long as nothing was
 * written after the stamp. Undefined where that cannot be told, and where nothing was promoted.
 */
export function promotedRevision({ revisions, updated_at, promoted_gate, promoted_at, promoted_revision }: Promotion): number | undefined {
  if (promoted_gate === undefined) return undefined;
  const since = Date.parse(promoted_at ?? '') - Date.parse(updated_at);
  if (since >= 0) return revisions;
  return promoted_revision ?? (since < 0 ? undefined : revisions);
}

/** Behind `promoted` or the gate's word: `at revision 3 of 5`. */
export function promotedWhen(revision: number | undefined, revisions: number): string {
  return revision === undefined ? `before revision ${revisions}` : `at revision ${revision} of ${revisions}`;
}

/** The last instant that a Date can hold. */
const LAST_MS = 8.64e15;

/**
 * When a revision is written that follows `old`, ISO 8601: now, or right behind its promotion where the clock of the machine that
 * promoted goes ahead. The order of the two times is what tells that a promotion is old.
 */
export function revisionTime(old: Partial<Promotion> | undefined): string {
  const now = Date.now();
  const promoted = Date.parse(old?.promoted_at ?? '');
  return new Date(promoted >= now && promoted < LAST_MS ? promoted + 1 : now).toISOString();
}

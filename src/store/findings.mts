/**
 * What can be found wrong with a session, each with an id and a level. `fail`: verify fails; `note`: told, and a failure
 * only with --strict. docs/CLI.md lists them; a test holds the two together.
 */
export const FINDINGS = {
  unreadable: 'fail',
  'manifest-unreadable': 'fail',
  'manifest-tampered': 'fail',
  'seal-newer': 'fail',
  'timeline-missing': 'fail',
  'timeline-length': 'fail',
  'turn-drift': 'fail',
  'line-ends': 'fail',
  'chain-broken': 'fail',
  'chain-segment': 'fail',
  'chain-length': 'fail',
  'payload-missing': 'fail',
  'payload-differs': 'fail',
  'payload-unreadable': 'fail',
  'no-brief': 'fail',
  'build-at-work': 'note',
  interrupted: 'note',
  'summary-differs': 'note',
  'tools-differ': 'note',
  'brief-missing': 'note',
  'brief-edited': 'note',
  'evidence-edited': 'note',
  'source-gone': 'note',
  'source-grown': 'note',
  'promotion-old': 'note',
} as const satisfies Record<string, 'fail' | 'note'>;

export type FindingId = keyof typeof FINDINGS;

export interface Finding {
  id: FindingId;
  level: 'fail' | 'note';
  text: string;
  expected?: string | number;
  found?: string | number;
  /** False for what is no fault even under --strict: a build that is at work. */
  counts: boolean;
}

type Value = string | number | undefined;

/** A finding of level `fail`; `expected` and `found` stand behind its sentence. */
export function fail(id: FindingId, text: string, expected?: Value, found?: Value): Finding {
  return make(id, text, expected, found, true);
}

/** A finding of level `note`. */
export function note(id: FindingId, text: string, expected?: Value, found?: Value, counts = id !== 'build-at-work'): Finding {
  return make(id, text, expected, found, counts);
}

function make(id: FindingId, text: string, expected: Value, found: Value, counts: boolean): Finding {
  return { id, level: FINDINGS[id], text, ...(expected === undefined ? {} : { expected }), ...(found === undefined ? {} : { found }), counts };
}

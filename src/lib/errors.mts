/**
 * The errors that a person may meet. Three kinds are kept apart: a user's mistake (one sentence),
 * a refusal by policy or gate, and a bug (everything that is not a HandoffError: stack and a request to report it).
 * Code branches on `code`, never on a message; exit-codes.mts alone turns a code into an exit status.
 */
export type ErrorCode =
  | 'USAGE' // wrong words on the command line
  | 'CONFIG' // a configuration that is present but invalid
  | 'SOURCE' // a source that is missing, unreadable or a folder that no adapter reads
  | 'MODE' // redaction mode differs from the one the session was captured with
  | 'HELD' // a lock is held by a living process
  | 'AMBIGUOUS' // a prefix that matches several sessions
  | 'CHANGING' // a session that changed each time it was read
  | 'NO_MATCH' // a prefix that matches nothing, or an empty store
  | 'EXISTS' // a target that is there already
  | 'NO_TURNS' // a transcript without one usable turn
  | 'SHAPE' // a file of a kind that no adapter reads
  | 'BAD_LINES' // lines that are not JSON
  | 'DAMAGED' // a session that does not agree with its own record
  | 'FINDINGS' // a check that found something
  | 'DECLINED' // an act that needs a confirmation which was not given
  | 'NEWER' // a store written by a newer format
  | 'IO' // the file system refused
  | 'REJECTED' // the evidence gate said no
  | 'DENIED' // a policy said no
  | 'NEEDS_AUTH'; // a policy wants a person to say yes

export class HandoffError extends Error {
  readonly code: ErrorCode;
  /** Facts for `--json`, beside code and message. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; data?: Record<string, unknown> } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'HandoffError';
    this.code = code;
    this.data = options.data ?? {};
  }
}

/** The system's own word for a failed file operation (`ENOSPC`), or undefined for any other error. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = (error as NodeJS.ErrnoException).code;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}

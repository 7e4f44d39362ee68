/** How an error is told: a sentence for a person, one document for `--json`, and the stack only for a bug. */
import { HandoffError, errnoOf } from '../errors.mts';
import { VERSION } from '../version.mts';
import type { Program } from './command.mts';
import { EXIT_BUG, exitCodeOf } from './exit-codes.mts';
import { programListing, shortListing } from './help.mts';
import { oneLine, writeErr, writeOut, type Host } from './io.mts';

/** Prints the error and gives its exit status. Never throws. */
export async function report(error: unknown, program: Program, json: boolean, host: Host): Promise<number> {
  const known = asHandoffError(error);
  const code = known?.code ?? 'BUG';
  const message = known?.message ?? (error instanceof Error ? error.message : String(error));
  if (json) {
    const facts = Object.assign({ code, message }, known?.data, { code, message });
    // Where stdout is what failed, stderr still tells it.
    await writeOut(host, JSON.stringify({ error: facts }, null, 2)).catch(() => {});
  }
  const prefix = inColour(host) ? `\u001b[31m${program.name}:\u001b[39m ` : `${program.name}: `;
  if (known === undefined) {
    writeErr(host, error instanceof Error && error.stack ? error.stack : message);
    writeErr(host, `this is a bug in agents-handoff ${VERSION}, not a mistake of yours: please report it, with the lines above, in the project's issue tracker.`, prefix);
    return EXIT_BUG;
  }
  writeErr(host, oneLine(message), prefix);
  // All verbs of several programs are more than a screen: the sentence above them would be out of sight.
  if ('verbs' in known.data) writeErr(host, `\n${'unknown' in known.data && program.groups !== undefined ? shortListing(program) : programListing(program)}`);
  return exitCodeOf(known.code, program.layer);
}

/** A HandoffError as it is; a file operation that the system refused as one; undefined for a bug. */
function asHandoffError(error: unknown): HandoffError | undefined {
  if (error instanceof HandoffError) return error;
  const errno = errnoOf(error);
  return errno === undefined ? undefined : new HandoffError('IO', (error as Error).message, { cause: error, data: { errno } });
}

function inColour(host: Host): boolean {
  return host.stderr.isTTY === true && !host.env['NO_COLOR'] && host.env['TERM'] !== 'dumb';
}

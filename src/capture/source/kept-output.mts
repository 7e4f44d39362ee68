/**
 * A tool's output that its client kept in a file of its own and named in the transcript: read where the file lies inside
 * the session's own folder, and named as missing everywhere else. No link on the way to it is followed.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { LineAdapter } from '../../transcript/adapter.mts';
import type { Redactor } from '../../transcript/redaction/redactor.mts';
import type { TurnDraft } from '../../transcript/turn.mts';

/** Read as one text, and shown by nobody in a whole beyond this. */
const LARGEST = 8 << 20;

/** Gives, for a result whose output was kept so, the turn that stands behind it. `file`: the transcript. Never throws. */
export function createKeptOutput(file: string, adapter: LineAdapter, redactor: Redactor): ((result: TurnDraft) => TurnDraft | undefined) | undefined {
  if (adapter.keptOutput === undefined || !path.isAbsolute(file)) return undefined;
  const find = adapter.keptOutput;
  return (result) => {
    const kept = result.kind === 'result' ? find(result.text, file) : undefined;
    if (kept === undefined) return undefined;
    const read = kept.file === undefined ? { why: 'it does not lie in the folder of this session' } : readPlain(kept.file);
    const text = 'text' in read ? redactor.text(read.text) : `[the whole output is not included, ${read.why}: ${redactor.text(kept.named)}]`;
    const { id, parent, record, call, side, ts } = result;
    const turn: TurnDraft = { class: 'OTHER', ts, text, meta: 'kept-output' };
    for (const [key, value] of Object.entries({ id, parent, record, call, side })) if (value !== undefined) Object.assign(turn, { [key]: value });
    return turn;
  };
}

function readPlain(file: string): { text: string } | { why: string } {
  let fd: number | undefined;
  try {
    // Two folders and a file below the transcript's own: each must be what its name says.
    const session = path.dirname(path.dirname(file));
    const real = path.join(fs.realpathSync(path.dirname(session)), ...file.split(path.sep).slice(-3));
    if (fs.realpathSync(file) !== real) return { why: 'there is a link on the way to it' };
    fd = fs.openSync(real, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0));
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) return { why: 'it is no plain file' };
    if (stat.size > LARGEST) return { why: `it has ${stat.size} bytes and ${LARGEST} are the most` };
    return { text: fs.readFileSync(fd, 'utf8') };
  } catch {
    return { why: 'it cannot be read' };
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

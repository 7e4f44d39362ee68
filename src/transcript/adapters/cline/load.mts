/** Reads a session's document, and the file about the session that lies beside it. */
import fs from 'node:fs';
import path from 'node:path';
import { HandoffError } from '../../../lib/errors.mts';
import { sha256 } from '../../../lib/hash-chain.mts';
import type { Loaded } from '../../adapter.mts';
import type { Json, JsonObject } from '../../turn.mts';
import { object, word } from '../../fields.mts';

const LARGEST = 256 * 1024 * 1024;
const LARGEST_SESSION = 4 * 1024 * 1024;
const ENDING = '.messages.json';
/** The name comes out of the document: no separator and no dots that lead out of the folder. */
const SAFE_NAME = /^[\w-][\w.-]{0,200}$/;

/**
 * `{document, session}`; `session` is absent where there is no such file. The hash is the document's alone: it changes
 * with every message, while the other file changes when nothing was said. Throws SHAPE or BAD_LINES.
 */
export function loadCline(file: string): Loaded {
  const { size } = fs.statSync(file);
  if (size > LARGEST) throw new HandoffError('SHAPE', `${file} is one document of ${size} bytes; documents are read whole, up to ${LARGEST} bytes`);
  const bytes = fs.readFileSync(file);
  const document = parsed(bytes);
  if (document === undefined) throw new HandoffError('BAD_LINES', `${file} is a JSON document that does not parse; nothing was written (is the client writing it now?)`);
  const session = sessionBeside(file, object(document) ?? {});
  return { value: session === undefined ? { document } : { document, session }, raw_sha256: sha256(bytes), bytes: bytes.length, path: file };
}

/** A sub-agent's document lies in the folder of the session that spawned it. */
function sessionBeside(file: string, document: JsonObject): Json | undefined {
  const own = path.basename(file).endsWith(ENDING) ? path.basename(file).slice(0, -ENDING.length) : undefined;
  for (const name of [own, word(object(document.origin)?.parentThreadId), path.basename(path.dirname(file))]) {
    if (name === undefined || !SAFE_NAME.test(name)) continue;
    const value = readSession(path.join(path.dirname(file), `${name}.json`));
    if (value !== undefined) return value;
  }
  return undefined;
}

function readSession(file: string): Json | undefined {
  try {
    // A link could lead anywhere, and a pipe would never end.
    const stat = fs.lstatSync(file);
    if (!stat.isFile() || stat.size > LARGEST_SESSION) return undefined;
    const value = object(parsed(fs.readFileSync(file)));
    return typeof value?.session_id === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

function parsed(bytes: Buffer): Json | undefined {
  try {
    return JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, '')) as Json;
  } catch {
    return undefined;
  }
}

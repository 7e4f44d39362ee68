/** Puts the pieces that a store keeps apart (a session, its messages, their parts) into one document, and hashes them. */
import { HandoffError } from '../../../lib/errors.mts';
import { hasher } from '../../../lib/hash-chain.mts';
import type { BadRecord, Loaded } from '../../adapter.mts';
import type { Json, JsonObject } from '../../turn.mts';
import { object } from '../../fields.mts';

/** A session is read as one value: what a machine with little memory still takes. */
const LARGEST_SESSION = 256 * 1024 * 1024;

export interface Gathered {
  /** `raw`: the record's bytes as they are stored, which `name` tells apart from all others of the session. */
  session(name: string, raw: string): JsonObject | undefined;
  message(name: string, id: string, raw: string): void;
  part(name: string, id: string, message: string, raw: string): void;
  loaded(path: string, info: JsonObject): Loaded;
}

/** Messages must come before their parts. Throws SHAPE where the session is too large to be read whole. */
export function gather(file: string): Gathered {
  const hash = hasher();
  let bytes = 0;
  let count = 0;
  const bad: BadRecord[] = [];
  const messages = new Map<string, { info: JsonObject; parts: Json[] }>();

  function take(name: string, raw: string): JsonObject | undefined {
    hash.update(`${name}\0${raw}\n`);
    bytes += Buffer.byteLength(raw);
    count += 1;
    if (bytes > LARGEST_SESSION) throw new HandoffError('SHAPE', `${file} holds more than ${LARGEST_SESSION} bytes of this session; a session is read whole, up to that size`);
    let value: JsonObject | undefined;
    try {
      value = object(JSON.parse(raw) as Json);
    } catch {
      value = undefined;
    }
    if (value === undefined) bad.push({ line: count, offset: 0, reason: `${name} is not valid JSON` });
    return value;
  }

  return {
    session: take,
    message(name, id, raw) {
      const info = take(name, raw);
      if (info !== undefined) messages.set(id, { info: { ...info, id }, parts: [] });
    },
    part(name, id, message, raw) {
      const part = take(name, raw);
      if (part !== undefined) messages.get(message)?.parts.push({ ...part, id });
    },
    loaded: (path, info) => ({ value: { info, messages: [...messages.values()] }, raw_sha256: hash.digest('hex'), bytes, path, bad }),
  };
}

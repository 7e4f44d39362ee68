/** What a child wrote: all of it hashed and counted, the beginning and the end of it kept, in bounded memory. */
import { redactText } from '../transcript/redaction/create.mts';
import { hasher } from '../lib/hash-chain.mts';

export interface Output {
  readonly bytes: number;
  readonly sha256: string;
  /** Secrets taken out; where it was too long, without its middle. */
  readonly text: string;
  readonly left_out_bytes: number;
}

const KEPT = 32 << 10;

export interface Capture {
  add(chunk: Buffer): void;
  result(): Output;
}

export function createCapture(): Capture {
  const hash = hasher();
  let bytes = 0;
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  return {
    add(chunk) {
      hash.update(chunk);
      bytes += chunk.length;
      const room = KEPT - head.length;
      if (room > 0) head = Buffer.concat([head, chunk.subarray(0, room)]);
      const rest = chunk.subarray(Math.max(0, room));
      if (rest.length > 0) tail = Buffer.concat([tail, rest]).subarray(-KEPT);
    },
    result() {
      const left = bytes - head.length - tail.length;
      const text = left === 0 ? Buffer.concat([head, tail]).toString('utf8') : `${head.toString('utf8')}\n[${left} bytes left out]\n${tail.toString('utf8')}`;
      return { bytes, sha256: hash.digest('hex'), text: redactText(text), left_out_bytes: left };
    },
  };
}

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
      const cut = bytes > head.length + tail.length;
      const [first, last] = cut ? [head.subarray(0, lastEdge(head)), tail.subarray(firstEdge(tail))] : [head, tail];
      const left = bytes - first.length - last.length;
      const text = cut ? `${redactText(first.toString('utf8'))}\n[${left} bytes left out]\n${redactText(last.toString('utf8'))}` : redactText(Buffer.concat([first, last]).toString('utf8'));
      return { bytes, sha256: hash.digest('hex'), text, left_out_bytes: left };
    },
  };
}

/** Bytes in which the end of a line, or else of a word, is looked for; no key is longer. */
const NEAR = 4 << 10;
const NO_WORD = /[^\w+/=.~%-]/;

/** Half of a secret is known by nothing and is half given away: a cut is made where a line or at least a word ends. */
function lastEdge(head: Buffer): number {
  const near = head.length - NEAR;
  const line = head.lastIndexOf(0x0a);
  if (line >= near) return line + 1;
  const text = head.toString('latin1');
  for (let at = text.length; at > near; at -= 1) if (NO_WORD.test(text[at - 1] ?? '')) return at;
  return head.length;
}

function firstEdge(tail: Buffer): number {
  const line = tail.indexOf(0x0a);
  if (line !== -1 && line < NEAR) return line + 1;
  return Math.max(0, tail.toString('latin1', 0, NEAR).search(NO_WORD));
}

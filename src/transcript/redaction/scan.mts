/**
 * The first look: where in a text a secret may begin. A hit is a position and the groups of windows that agree there;
 * what is no hit holds no secret of a known kind.
 */
import { simdScan, TEXT_AT, TEXT_MAX, type SimdScan } from './simd.mts';
import { asExpression, places } from './windows.mts';

/** How far behind its position a window looks. */
const AHEAD = 8;
const ALL_GROUPS = 255;

export interface Scan {
  /** Position and groups of the last hit. */
  at: number;
  groups: number;
  /** `ascii`: the text's bytes, where all of it is ASCII; they are copied faster than the string. */
  open(text: string, ascii?: Uint8Array): void;
  /** Looks for the next hit at `from` or later; `from` never goes back within a text. */
  next(from: number): boolean;
}

/** With vectors where they are to be had, else with an expression: the same answers, five times slower. */
export function createScan(vectors = true): Scan {
  const simd = vectors ? simdScan(places()) : undefined;
  return simd === undefined ? new ExpressionScan() : new VectorScan(simd);
}

class VectorScan implements Scan {
  at = 0;
  groups = 0;
  #text = '';
  #ascii: Uint8Array | undefined;
  /** The block of the text that is in the scan's memory: where it begins, how long it is, where its hits end. */
  #base = 0;
  #length = 0;
  #stop = 0;
  readonly #simd: SimdScan;

  constructor(simd: SimdScan) {
    this.#simd = simd;
  }

  open(text: string, ascii?: Uint8Array): void {
    this.#text = text;
    this.#ascii = ascii;
    this.#load(0);
  }

  #load(base: number): void {
    const rest = this.#text.length - base;
    this.#base = base;
    this.#length = Math.min(rest, TEXT_MAX);
    // Windows of the last positions reach into the next block, which therefore begins with them.
    this.#stop = rest > TEXT_MAX ? TEXT_MAX - AHEAD : rest;
    if (this.#ascii !== undefined) {
      this.#simd.bytes.set(rest === this.#length && base === 0 ? this.#ascii : this.#ascii.subarray(base, base + this.#length), TEXT_AT);
      return;
    }
    const block = rest === this.#length && base === 0 ? this.#text : this.#text.slice(base, base + this.#length);
    // A character over U+00FF loses its high byte, which can make a false hit and never hides one.
    this.#simd.bytes.latin1Write(block, TEXT_AT, this.#length);
  }

  next(from: number): boolean {
    for (;;) {
      if (from < this.#base + this.#stop) {
        const hit = this.#simd.find(TEXT_AT + from - this.#base, TEXT_AT + this.#stop, TEXT_AT + this.#length);
        if (hit >= 0) {
          this.at = (hit >>> 8) - TEXT_AT + this.#base;
          this.groups = hit & ALL_GROUPS;
          return true;
        }
      }
      const next = this.#base + this.#stop;
      if (next >= this.#text.length) return false;
      this.#load(next);
      from = Math.max(from, next);
    }
  }
}

class ExpressionScan implements Scan {
  at = 0;
  readonly groups = ALL_GROUPS;
  readonly #expression = asExpression();
  #text = '';

  open(text: string): void {
    this.#text = text;
  }

  next(from: number): boolean {
    this.#expression.lastIndex = from;
    const match = this.#expression.exec(this.#text);
    if (match === null) return false;
    this.at = match.index;
    return true;
  }
}

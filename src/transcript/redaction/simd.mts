/**
 * The inner loop of the first look, as a WebAssembly function of some 300 bytes that is put together here.
 * Why not a regular expression: one with all beginnings of secrets in it runs at 130 to 300 MB/s, twenty calls of
 * `includes` no faster, while a build parses and writes at 130 MB/s and may lose a tenth to this. With 16 bytes an
 * instruction the same question costs a twentieth of that.
 *
 * A window is a set of allowed characters for each place after a position. Windows are put into eight groups, one bit
 * each. For a place there are two tables of 16 bytes: which groups allow a character with this low half byte, and which
 * with this high one. What remains after "and" over all places is the groups that may match here. The halves are judged
 * apart, so what remains is looked up once more, in a table of the pairs of places 0 and 1 and one of 2 and 3. Groups
 * still mix their windows: a hit is a "perhaps", and whoever asks must look again.
 */

/** The character codes (0 to 255) that are allowed in one place; undefined allows any. */
export type Place = readonly number[] | undefined;
const EVERY: readonly number[] = Array.from({ length: 256 }, (_, code) => code);
/** Place 3 is left to the tables of pairs: with it no hit is less, and every block costs more. */
const PLACES = [0, 1, 2, 4, 7] as const;

/** Gives `position << 8 | groups` of the first hit that begins in [from, stop), or -1; the text ends at `end`. */
export type Find = (from: number, stop: number, end: number) => number;

export interface SimdScan {
  /** Text goes to bytes[TEXT_AT...], at most TEXT_MAX of it, one byte a character. */
  readonly bytes: Buffer & { latin1Write(text: string, at: number, length: number): number };
  readonly find: Find;
}

const SCRATCH_AT = 512;
const LEAD_AT = 65_536;
const TAIL_AT = 2 * 65_536;
export const TEXT_AT = 3 * 65_536;
export const TEXT_MAX = 4 * 65_536;
const PAGES = (TEXT_AT + TEXT_MAX) / 65_536 + 1;

interface Engine {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: { memory: { buffer: ArrayBuffer }; find: Find } };
}

/** undefined where this Node or this processor has no WebAssembly with 128-bit vectors. */
export function simdScan(groups: readonly (readonly (readonly Place[])[])[]): SimdScan | undefined {
  const engine = (globalThis as { WebAssembly?: Engine }).WebAssembly;
  if (engine === undefined) return undefined;
  try {
    const { memory, find } = new engine.Instance(new engine.Module(moduleBytes())).exports;
    // What `write(..., 'latin1')` calls, without its checks: lines are short, and there are many.
    const bytes = Buffer.from(memory.buffer) as SimdScan['bytes'];
    fillTables(bytes, groups);
    return { bytes, find };
  } catch {
    return undefined;
  }
}

function fillTables(bytes: Buffer, groups: readonly (readonly (readonly Place[])[])[]): void {
  groups.forEach((windows, group) => {
    const bit = 1 << group;
    for (const window of windows) {
      PLACES.forEach((place, k) => {
        const allowed = window[place];
        // Most places of most windows allow any: all halves, said once.
        if (allowed === undefined) for (let half = 0; half < 32; half++) bytes[k * 32 + half]! |= bit;
        else for (const code of allowed) {
          bytes[k * 32 + (code & 15)]! |= bit;
          bytes[k * 32 + 16 + (code >> 4)]! |= bit;
        }
      });
      fillPairs(bytes, LEAD_AT, window[0], window[1], bit);
      fillPairs(bytes, TAIL_AT, window[2], window[3], bit);
    }
  });
}

/** Each build pays for this once, before V8 has compiled it: loops of the plainest kind. */
function fillPairs(bytes: Buffer, at: number, first: Place = EVERY, second: Place = EVERY, bit: number): void {
  for (let j = 0; j < second.length; j++) {
    const row = at + (second[j] as number) * 256;
    for (let i = 0; i < first.length; i++) bytes[row + (first[i] as number)]! |= bit;
  }
}

/** Unsigned LEB128, the way numbers are written in a module. */
function number(value: number): number[] {
  const out: number[] = [];
  for (; value > 127; value >>>= 7) out.push((value & 127) | 128);
  return [...out, value];
}

function signed(value: number): number[] {
  const out: number[] = [];
  for (;;) {
    const low = value & 127;
    value >>= 7;
    if ((value === 0 && low < 64) || (value === -1 && low >= 64)) return [...out, low];
    out.push(low | 128);
  }
}

const section = (id: number, body: number[]): number[] => [id, ...number(body.length), ...body];
const text = (word: string): number[] => [word.length, ...Buffer.from(word)];
const get = (local: number): number[] => [0x20, ...number(local)];
const set = (local: number): number[] => [0x21, ...number(local)];
const int = (value: number): number[] => [0x41, ...signed(value)];
const load = (offset: number): number[] => [0xfd, 0x00, 0, ...number(offset)];
const store = (offset: number): number[] => [0xfd, 0x0b, 0, ...number(offset)];
const loadByte = (offset: number): number[] => [0x2d, 0, ...number(offset)];
const loadPair = (offset: number): number[] => [0x2f, 0, ...number(offset)];
const tee = (local: number): number[] => [0x22, ...number(local)];
const LOOP = [0x03, 0x40];
const IF = [0x04, 0x40];
const AGAIN = [0x0d, 0];
const SPLAT = [0xfd, 0x0f];
const SWIZZLE = [0xfd, 0x0e];
const DIFFER = [0xfd, 0x24];
const AND = [0xfd, 0x4e];
const ANY = [0xfd, 0x53];
const BITS = [0xfd, 0x64];
const SHIFT_RIGHT = [0xfd, 0x8d, 0x01]; // of 16-bit lanes, which is one instruction where that of bytes is four
const CTZ = 0x68;
const ADD = 0x6a;
const SUBTRACT = 0x6b;
const EITHER = 0x72;
const SHIFT_LEFT = 0x74;
const LESS = 0x48;
const NOT_LESS = 0x4e;
const BOTH = 0x71;
const RETURN = 0x0f;
const END = 0x0b;
const INT = 0x7f;
const VECTOR = 0x7b;

function moduleBytes(): Uint8Array {
  const [AT, STOP, TEXT_END, LANES, LANE, HIT, GROUPS, LEFT, CHARS, MASK, TABLES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const;
  const code: number[] = [...int(15), ...SPLAT, ...set(MASK)];
  for (let k = 0; k < PLACES.length * 2; k++) code.push(...int(0), ...load(k * 16), ...set(TABLES + k));
  for (const offset of [0, 16]) code.push(...get(TEXT_END), ...int(0), ...SPLAT, ...store(offset)); // nothing of an older text
  code.push(...LOOP);
  PLACES.forEach((place, k) => {
    code.push(...get(AT), ...load(place), ...set(CHARS));
    code.push(...get(TABLES + k * 2), ...get(CHARS), ...get(MASK), ...AND, ...SWIZZLE);
    code.push(...get(TABLES + k * 2 + 1), ...get(CHARS), ...int(4), ...SHIFT_RIGHT, ...get(MASK), ...AND, ...SWIZZLE, ...AND);
    if (k > 0) code.push(...get(LEFT), ...AND);
    code.push(...set(LEFT));
  });
  code.push(...get(LEFT), ...ANY, ...IF); // if any group is left
  code.push(...get(LEFT), ...int(0), ...SPLAT, ...DIFFER, ...BITS, ...set(LANES));
  code.push(...int(0), ...get(LEFT), ...store(SCRATCH_AT));
  code.push(...LOOP); // over the places with a hit
  code.push(...get(LANES), CTZ, ...tee(LANE), ...get(AT), ADD, ...set(HIT));
  code.push(...get(LANE), ...loadByte(SCRATCH_AT), ...get(HIT), ...loadPair(0), ...loadByte(LEAD_AT), BOTH);
  code.push(...get(HIT), ...loadPair(2), ...loadByte(TAIL_AT), BOTH, ...tee(GROUPS), ...IF); // if the pairs agree
  code.push(...get(HIT), ...get(STOP), NOT_LESS, ...IF, ...int(-1), RETURN, END); // past the end
  code.push(...get(HIT), ...int(8), SHIFT_LEFT, ...get(GROUPS), EITHER, RETURN, END);
  code.push(...get(LANES), ...get(LANES), ...int(1), SUBTRACT, BOTH, ...tee(LANES), ...AGAIN, END, END); // the next place
  code.push(...get(AT), ...int(16), ADD, ...tee(AT), ...get(STOP), LESS, ...AGAIN, END); // on while before the end
  code.push(...int(-1), END);
  const locals = [2, 4, INT, ...number(3 + PLACES.length * 2), VECTOR];
  const body = [...locals, ...code];
  return Uint8Array.from([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, [1, 0x60, 3, INT, INT, INT, 1, INT]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, ...number(PAGES)]),
    ...section(7, [2, ...text('memory'), 2, 0, ...text('find'), 0, 0]),
    ...section(10, [1, ...number(body.length), ...body]),
  ]);
}

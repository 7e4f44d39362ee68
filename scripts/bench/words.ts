/**
 * The text that a made transcript is cut from: prose, code and command output, the same for the same seed.
 * Slices of prepared pools cost nothing, so a transcript of a gigabyte is written at the speed of the disk.
 */

/** Marsaglia's xorshift on 32 bits: every run of the bench measures the same bytes. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  }

  bits(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x >>> 0;
    return this.#state;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + (this.bits() % (high - low + 1));
  }

  chance(perMille: number): boolean {
    return this.bits() % 1000 < perMille;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.bits() % from.length] as T;
  }

  hex(digits: number): string {
    let out = '';
    while (out.length < digits) out += this.bits().toString(16).padStart(8, '0');
    return out.slice(0, digits);
  }

  uuid(): string {
    const h = this.hex(32);
    return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-a${h.slice(17, 20)}-${h.slice(20)}`;
  }

  /** Base 62, as clients write the ids of messages and calls. */
  id(length: number): string {
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    let out = '';
    for (let i = 0; i < length; i++) out += digits[this.bits() % 62];
    return out;
  }
}

const NOUNS = ['cart', 'coupon', 'parser', 'timeline', 'request', 'session', 'discount', 'invoice', 'migration', 'handler',
  'cache', 'queue', 'schema', 'fixture', 'stream', 'report', 'config', 'index', 'worker', 'payment', 'address', 'order'];
const VERBS = ['reads', 'writes', 'rejects', 'rounds', 'retries', 'splits', 'returns', 'sorts', 'drops', 'merges', 'checks', 'keeps'];
const FILL = ['the', 'a', 'before', 'after', 'only', 'so', 'that', 'because', 'each', 'when', 'without', 'again', 'and', 'then'];
/** Not in Latin-1: a line with one of these is held in two bytes a character, as many real lines are. */
const MARKS = ['→', '✓', '—', '“done”', '✅', 'größer', '漢字'];

function sentence(random: Random): string {
  const words: string[] = [];
  for (let i = random.between(6, 18); i > 0; i--) words.push(random.pick(random.chance(450) ? FILL : random.chance(600) ? NOUNS : VERBS));
  return `${words.join(' ')}.`;
}

/**
 * Lines with words that a search for secrets has to look at, and no secret in them. One line in a thousand: then about one
 * record in a hundred is looked at closely, which lies between what was recorded of Claude Code (0.4 %) and Codex (5 %).
 */
const TOUCHY = [
  "const token = request.headers.get('authorization');",
  'password: process.env.DB_PASSWORD,',
  'expect(tokens.length).toBe(3); // one token a line',
  'secretName: payment-api-credentials',
  '"integrity": "sha512-2yTgeWTWzMWEsSnHhQ3t7vO1ZzZqQ0b4rWmHhVYxV3Qm0cA7i8m4b2JmW3bq6Yt5",',
];

function codeLine(random: Random): string {
  if (random.chance(1)) return random.pick(TOUCHY);
  const a = random.pick(NOUNS);
  const b = random.pick(NOUNS);
  const indent = '  '.repeat(random.between(0, 4));
  switch (random.between(0, 7)) {
    case 0: return `${indent}const ${a} = await ${b}.find((row) => row.id === "${random.hex(6)}");`;
    case 1: return `${indent}if (!${a}) throw new RangeError('${a} must be at least ${random.between(1, 99)}');`;
    case 2: return `${indent}// ${sentence(random)}`;
    case 3: return `${indent}expect(${a}.total({ ${b}: ${random.between(1, 5000)} })).toEqual("${b}");`;
    case 4: return '';
    case 5: return `${indent}return { ...${a}, ${b}: ${a}.${b} ?? [], path: "/srv/work/shop/src/${a}/${b}.ts" };`;
    case 6: return `${indent}import { ${a} } from '../${b}/${a}.js';`;
    default: return `${indent}for (const ${a} of ${b}s) { total += ${a}.cents * ${random.between(2, 9)}; }`;
  }
}

function outputLine(random: Random): string {
  if (random.chance(1)) return random.pick(TOUCHY);
  const a = random.pick(NOUNS);
  switch (random.between(0, 6)) {
    case 0: return `ok ${random.between(1, 900)} - ${sentence(random)}`;
    case 1: return `src/${a}.ts:${random.between(1, 400)}:  ${codeLine(random).trim()}`;
    case 2: return `\u001b[32m✓\u001b[39m ${a} ${random.pick(VERBS)} (${random.between(1, 90)} ms)`;
    case 3: return `-rw-r--r-- 1 dev dev ${random.between(10, 90000)} Nov 30 07:4${random.between(0, 9)} ${a}.json`;
    case 4: return random.chance(150) ? `commit ${random.hex(40)}` : `    ${sentence(random)}`;
    case 5: return `2026-11-30T07:${random.between(10, 59)}:11.${random.between(100, 999)}Z INFO ${a} request=${random.hex(8)} took=${random.between(1, 999)}ms`;
    default: return `{"level":"info","${a}":{"id":${random.between(1, 1e6)},"tags":["${random.pick(NOUNS)}","${random.pick(NOUNS)}"]}}`;
  }
}

/** A text of about `size` characters made of whole lines; slices begin at a line. */
class Pool {
  readonly #text: string;
  readonly #starts: number[] = [];

  constructor(size: number, line: () => string) {
    const lines: string[] = [];
    let length = 0;
    while (length < size) {
      this.#starts.push(length);
      const next = `${line()}\n`;
      lines.push(next);
      length += next.length;
    }
    this.#text = lines.join('');
  }

  cut(random: Random, size: number): string {
    const usable = Math.max(1, Math.floor(this.#starts.length * (1 - size / this.#text.length)));
    const from = this.#starts[random.bits() % usable] as number;
    return this.#text.slice(from, from + size);
  }
}

export class Words {
  readonly #random: Random;
  readonly #prose: Pool;
  readonly #code: Pool;
  readonly #output: Pool;

  constructor(random: Random) {
    this.#random = random;
    this.#prose = new Pool(600_000, () => sentence(random));
    this.#code = new Pool(800_000, () => codeLine(random));
    this.#output = new Pool(800_000, () => outputLine(random));
  }

  prose(size: number): string {
    const text = this.#prose.cut(this.#random, size);
    return this.#random.chance(150) ? `${text} ${this.#random.pick(MARKS)}` : text;
  }

  code(size: number): string {
    return this.#code.cut(this.#random, size);
  }

  output(size: number): string {
    const text = this.#output.cut(this.#random, size);
    return this.#random.chance(3) ? `${text}\n${this.#secret()}` : text;
  }

  /** Looks like a secret, so that redaction has something to find. Put together here, lest this file look like a leak. */
  #secret(): string {
    const random = this.#random;
    return random.pick([
      () => `export DEPLOY_TOKEN=${random.id(32)}`,
      () => `AWS_ACCESS_KEY_ID=${'AK'}${'IA'}${random.id(16).toUpperCase()}`,
      () => `Authorization: ${'Bear'}er ${random.id(40)}`,
      () => `postgres://shop:${random.id(14)}@db.internal:5432/shop`,
    ])();
  }

  word(): string {
    return this.#random.pick(NOUNS);
  }
}

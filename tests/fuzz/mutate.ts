/** Damage to bytes, lines and JSON, drawn from a random source: what crashes, editors, disks and ill will do to files. */

export type Random = () => number;

export const pick = <T>(random: Random, of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
export const below = (random: Random, end: number): number => Math.floor(random() * end);

const NASTY_BYTES = ['\0', '\ufeff', '\r', '\u2028', '\n\n\n', '"', '\\', '{', '[', '}', '\\ud800', '\u001b[2J', '<!--', '```', '../', '�'].map((text) => Buffer.from(text))
  .concat([Buffer.from([0xff]), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('['.repeat(3000)), Buffer.from('9'.repeat(400))]);

/** One change of the bytes. */
export function mutateBytes(random: Random, bytes: Buffer): Buffer {
  const at = below(random, bytes.length + 1);
  const length = 1 + below(random, Math.min(64, bytes.length + 1));
  const cut = (middle: Buffer, end: number) => Buffer.concat([bytes.subarray(0, at), middle, bytes.subarray(end)]);
  switch (below(random, 6)) {
    case 0: return cut(Buffer.from([(bytes[at] ?? 0) ^ (1 << below(random, 8))]), at + 1);
    case 1: return cut(Buffer.from([below(random, 256)]), at + 1);
    case 2: return cut(Buffer.alloc(0), at + length);
    case 3: return bytes.subarray(0, at);
    case 4: return cut(bytes.subarray(Math.max(0, at - length), at), at);
    default: return cut(pick(random, NASTY_BYTES), at);
  }
}

/** One change of whole lines; `others` are lines of other files. */
export function mutateLines(random: Random, bytes: Buffer, others: readonly string[]): Buffer {
  const lines = bytes.toString('latin1').split('\n');
  const at = below(random, lines.length);
  const other = below(random, lines.length);
  const line = lines[at] ?? '';
  switch (below(random, 7)) {
    case 0: lines.splice(at, 1); break;
    case 1: lines.splice(at, 0, line); break;
    case 2: [lines[at], lines[other]] = [lines[other] ?? '', line]; break;
    case 3: lines[at] = line.slice(0, below(random, line.length + 1)); break;
    case 4: lines.splice(at, 2, line + (lines[at + 1] ?? '')); break;
    case 5: lines.splice(at, 0, ''); break;
    default: lines.splice(at, 0, pick(random, others));
  }
  return Buffer.from(lines.join('\n'), 'latin1');
}

const deep = (depth: number): unknown => {
  let value: unknown = 'end';
  for (let at = 0; at < depth; at += 1) value = at % 2 === 0 ? [value] : { content: value };
  return value;
};

const NASTY_VALUES: readonly (() => unknown)[] = [
  () => null, () => true, () => 0, () => -1, () => 1e308, () => 2 ** 53, () => '', () => 'x'.repeat(5000), () => [], () => ({}), () => [[]], () => [null], () => ({ type: null }),
  () => '../../../etc/passwd', () => '__proto__', () => '\u0000', () => '\ud800', () => '2026-13-45T99:99:99Z', () => '<script>alert(1)</script>', () => deep(400),
  () => ({ __proto__x: 1, constructor: 1, toString: 1, length: -1 }), () => ({ text: { text: 'x' } }), () => Array.from({ length: 300 }, (_, at) => at),
];

type Json = Record<string, unknown> | unknown[];

/** One change somewhere inside a JSON value, which is changed in place; gives the value to use. */
export function mutateJson(random: Random, value: unknown): unknown {
  const inside: { parent: Json; key: string }[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null || inside.length > 5000) return;
    for (const [key, child] of Object.entries(node)) {
      inside.push({ parent: node as Json, key });
      visit(child);
    }
  };
  visit(value);
  if (inside.length === 0) return pick(random, NASTY_VALUES)();
  const { parent, key } = pick(random, inside);
  const all = parent as Record<string, unknown>;
  const other = pick(random, inside);
  switch (below(random, 5)) {
    case 0: if (Array.isArray(parent)) parent.splice(Number(key), 1); else delete all[key]; break;
    case 1: all[key] = structuredClone((other.parent as Record<string, unknown>)[other.key]); break;
    case 2: if (!Array.isArray(parent)) { all[other.key] = all[key]; delete all[key]; } break;
    case 3: if (Array.isArray(parent)) parent.push(all[key]); else all[key] = [all[key]]; break;
    default: all[key] = pick(random, NASTY_VALUES)();
  }
  return value;
}

/** One change of one JSON line, or of the document where the whole is one. */
export function mutateJsonText(random: Random, bytes: Buffer): Buffer {
  const text = bytes.toString('utf8');
  const document = parsed(text);
  if (document !== undefined) return Buffer.from(JSON.stringify(mutateJson(random, document)));
  const lines = text.split('\n');
  const at = below(random, lines.length);
  const record = parsed(lines[at] ?? '');
  if (record !== undefined) lines[at] = JSON.stringify(mutateJson(random, record));
  return Buffer.from(lines.join('\n'));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One to four changes of any kind. */
export function mutate(random: Random, bytes: Buffer, others: readonly string[] = ['{}', 'null', '[]', '{"type":"user"}']): Buffer {
  let changed = bytes;
  for (let left = 1 + below(random, 4); left > 0; left -= 1) {
    const kind = below(random, 4);
    changed = kind === 0 ? mutateBytes(random, changed) : kind === 1 ? mutateLines(random, changed, others) : mutateJsonText(random, changed);
  }
  return changed;
}

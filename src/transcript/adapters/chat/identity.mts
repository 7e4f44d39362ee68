/** The ids by which messages of a document are known again when it has changed. */
import type { Json } from '../../turn.mts';
import { word } from '../../fields.mts';

/**
 * Gives each message in turn its id: its own, else its position. Some writers give several messages one id (that of the
 * request): the later ones get their number behind it, so that none is taken for another one's new text.
 */
export function createIds(): (own: Json | undefined, position: number) => string {
  const uses = new Map<string, number>();
  return (own, position) => {
    const id = typeof own === 'number' ? String(own) : word(own);
    if (id === undefined) return `#${position}`;
    const before = uses.get(id) ?? 0;
    uses.set(id, before + 1);
    return before === 0 ? id : `${id}#${before}`;
  };
}

/** Pieces of one block: an envelope and what was typed behind it. The first has the block's number, the others one far above all blocks. */
export function partOf(block: number, piece: number): number {
  return piece === 0 ? block : piece * 100_000 + block;
}

/** A time as ISO 8601: text stays as it was written, numbers are seconds or milliseconds since 1970. '' where there is none. */
export function timeOf(...values: (Json | undefined)[]): string {
  for (const value of values) {
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) continue;
    const time = new Date(value < 1e11 ? value * 1000 : value);
    if (!Number.isNaN(time.getTime())) return time.toISOString();
  }
  return '';
}

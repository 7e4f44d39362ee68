/** Records of types that the adapter does not know: counted in the manifest, and told to a reader once they are many. */
import { counted } from '../lib/plural.mts';
import { inline } from './text.mts';
import type { RenderView } from './view.mts';

/** The share of all records from which on a reader must know that part of the session may be missing. */
const TELLING_SHARE = 0.1;
const NAMED = 5;

/** A sentence about them, as Markdown; undefined where they are few. */
export function unreadNote({ unknown = {}, sources = [], turn_count }: Pick<RenderView, 'unknown' | 'sources' | 'turn_count'>): string | undefined {
  const types = Object.entries(unknown).sort(([, a], [, b]) => b - a);
  const count = types.reduce((sum, [, one]) => sum + one, 0);
  const lines = sources.reduce((sum, row) => sum + row.lines, 0);
  // What is read whole has no lines to count.
  const all = Math.max(lines, count, lines === 0 ? turn_count + count : 0);
  if (count === 0 || count < all * TELLING_SHARE) return undefined;
  const named = types.slice(0, NAMED).map(([type, one]) => `${inline(type, 60)} (${one})`).join(', ');
  const more = types.length > NAMED ? `, and ${counted(types.length - NAMED, 'more type')}` : '';
  return `${count} of ${counted(all, 'record')} ${count === 1 ? 'is' : 'are'} of types that are not known here, and what they say is missing: ${named}${more}`;
}

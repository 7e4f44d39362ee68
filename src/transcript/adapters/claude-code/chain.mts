/** What every record of the chain says about its turns, and the text of its blocks. */
import { object, text } from '../../fields.mts';
import { mediaPlaceholder, referencePlaceholder, withoutDataUrls } from '../../media.mts';
import type { Json, JsonObject, TurnClass, TurnDraft } from '../../turn.mts';

/** The keys that all turns of one record share. */
export type Base = Pick<TurnDraft, 'ts' | 'id' | 'parent' | 'record' | 'side'>;

/** The sub-agent of records that do not name theirs. */
export const UNNAMED_SIDE = 'sidechain';

/** The id that the record has in the chain, what it hangs on, and the sub-agent that it ran in. */
export function baseOf(record: JsonObject): Base {
  const base: Base = { ts: text(record.timestamp) };
  const uuid = text(record.uuid);
  if (uuid !== '') base.id = uuid;
  // After a compaction the chain starts anew; what it goes on from stands in another key.
  const parent = text(record.parentUuid) || text(record.logicalParentUuid);
  if (parent !== '') base.parent = parent;
  const side = sideOf(record);
  if (side !== undefined) base.side = side;
  return base;
}

/** The sub-agent that wrote the record; 1.0.x keeps such records in the main file and gives them no id. */
export function sideOf(record: JsonObject): string | undefined {
  return record.isSidechain === true ? text(record.agentId) || UNNAMED_SIDE : undefined;
}

/**
 * A turn of the record. Keys are set one after the other and not spread: this runs for every turn, and objects of
 * few shapes made so cost a third of cloned ones.
 */
export function turnOf(base: Base, name: TurnClass, text: string, meta?: string): TurnDraft {
  const turn: TurnDraft = { class: name, ts: base.ts, text };
  if (base.id !== undefined) turn.id = base.id;
  if (base.parent !== undefined) turn.parent = base.parent;
  if (base.record !== undefined) turn.record = base.record;
  if (base.side !== undefined) turn.side = base.side;
  if (meta !== undefined) turn.meta = meta;
  return turn;
}

/** The text of one content block that is neither a tool call nor thinking: its words, or a line that says what it is. */
export function blockText(block: Json | undefined): string {
  if (typeof block === 'string') return withoutDataUrls(block);
  const part = object(block);
  if (part === undefined) return '';
  const type = text(part.type);
  if (typeof part.text === 'string') return withoutDataUrls(part.text);
  if (type === 'tool_reference') return `[tool_reference ${text(part.tool_name)}]`;
  const source = object(part.source);
  if (source !== undefined) {
    if (typeof source.data === 'string') {
      if (source.type === 'text') return withoutDataUrls(source.data);
      return mediaPlaceholder(type, text(source.media_type), source.data);
    }
    return referencePlaceholder(type, text(source.url) || text(source.file_id));
  }
  if (typeof part.content === 'string' || Array.isArray(part.content)) return contentText(part.content);
  return `[${type === '' ? 'block' : type}]`;
}

/** A content value as text: a string as it is, blocks joined with a line feed; '' where there is none. */
export function contentText(content: Json | undefined): string {
  if (typeof content === 'string') return withoutDataUrls(content);
  if (!Array.isArray(content)) return content === undefined || content === null ? '' : blockText(content);
  return content.length === 1 ? blockText(content[0]) : content.map(blockText).join('\n');
}

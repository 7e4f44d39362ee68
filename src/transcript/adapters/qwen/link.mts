/** What every record of a Qwen Code session says about its turns: it is a link of a chain, by `uuid` and `parentUuid`. */
import type { JsonObject, TurnClass, TurnDraft } from '../../turn.mts';
import { text, word } from '../../fields.mts';

export type Link = Pick<TurnDraft, 'ts' | 'id' | 'parent' | 'side'>;

export function linkOf(record: JsonObject): Link {
  const link: Link = { ts: text(record.timestamp) };
  const id = word(record.uuid);
  if (id !== undefined) link.id = id;
  const parent = word(record.parentUuid);
  if (parent !== undefined) link.parent = parent;
  const side = sideOf(record);
  if (side !== undefined) link.side = side;
  return link;
}

/** The sub-agent that wrote the record; it has a file of its own. */
export function sideOf(record: JsonObject): string | undefined {
  return word(record.agentId);
}

export function turnOf(link: Link, name: TurnClass, said: string, meta?: string): TurnDraft {
  const turn: TurnDraft = { class: name, text: said, ...link };
  if (meta !== undefined) turn.meta = meta;
  return turn;
}

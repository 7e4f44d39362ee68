/**
 * Messages in the user's role. `content` is what was typed; `transformedContent`, which adds the time, is what the
 * model got. `source` names who wrote one that no person typed.
 */
import type { RecordSink } from '../../adapter.mts';
import { splitInjected } from '../../injected.mts';
import { mediaPlaceholder, withoutDataUrls } from '../../media.mts';
import type { Json, JsonObject, TurnDraft } from '../../turn.mts';
import { list, object, text, word } from '../../fields.mts';

/** Who wrote it, up to the first hyphen -> why nobody typed it. */
const SOURCES = new Map([['skill', 'expanded'], ['command', 'expanded'], ['agent', 'notification'], ['system', 'reminder']]);

export function readUser(data: JsonObject, base: Pick<TurnDraft, 'ts' | 'id' | 'side'>, to: RecordSink): void {
  const said = withoutDataUrls(text(data.content));
  const source = text(data.source);
  // Nobody types into a sub-agent: its user is the agent that called it.
  if (base.side !== undefined) to.turn({ ...base, class: 'OTHER', text: said, meta: 'task' });
  else if (source !== '' && source !== 'user') to.turn({ ...base, class: 'OTHER', text: said, meta: SOURCES.get(source.split('-')[0] ?? '') ?? 'injected' });
  else for (const piece of splitInjected(said)) to.turn({ ...base, ...(piece.meta === undefined ? { class: 'USER', text: piece.text } : { class: 'OTHER', text: piece.text, meta: piece.meta }) });
  for (const attachment of list(data.attachments)) to.turn({ ...base, class: 'OTHER', text: attached(attachment), meta: 'attachment' });
}

function attached(attachment: Json): string {
  const value = object(attachment) ?? {};
  if (typeof value.data === 'string') return mediaPlaceholder('attachment', word(value.mimeType), value.data);
  const where = text(value.path) || text(value.filePath) || text(value.displayName) || text(value.url) || text(value.title);
  const line = `[attachment ${text(value.type)} ${where}`.trimEnd() + ']';
  return typeof value.text === 'string' ? `${line}\n${withoutDataUrls(value.text)}` : line;
}

/** Assistant records: one content block each in newer clients, but an array all the same. */
import type { RecordSink } from '../../adapter.mts';
import { effectOf } from '../../effects.mts';
import { object, text } from '../../fields.mts';
import { withoutDataUrls } from '../../media.mts';
import type { Json, JsonObject, Tokens } from '../../turn.mts';
import type { Base } from './chain.mts';
import { UNNAMED_SIDE, blockText, contentText, turnOf } from './chain.mts';

/** Turns, model and tokens of one assistant record. */
export function readAssistant(record: JsonObject, base: Base, to: RecordSink): void {
  const message = object(record.message) ?? {};
  const id = text(message.id);
  // A message is written as one record a block: the turns share its id, while the chain runs over the records.
  if (id !== '' && base.id !== undefined) {
    base.record = base.id;
    base.id = id;
  }
  const synthetic = message.model === '<synthetic>' || record.isApiErrorMessage === true;
  if (synthetic) {
    const said = contentText(message.content) || '[empty message of the client]';
    to.turn(turnOf(base, 'OTHER', said, record.isApiErrorMessage === true ? 'api-error' : 'placeholder'));
    return;
  }
  const model = text(message.model);
  // 1.0.x writes sub-agents into the main file, without an id of theirs: their model is not the session's.
  if (model !== '' && base.side !== UNNAMED_SIDE) to.facts({ model });
  const usage = object(message.usage);
  if (usage !== undefined && id !== '') to.usage(id, tokensOf(usage));

  const content = message.content;
  const blocks: Json[] = Array.isArray(content) ? content : typeof content === 'string' ? [{ type: 'text', text: content }] : [];
  let turns = 0;
  for (const block of blocks) {
    const part = object(block);
    if (part !== undefined && readBlock(part, base, to)) turns++;
  }
  // A record without a turn would be a hole in the chain of parents.
  if (turns === 0 && base.id !== undefined) {
    to.turn(turnOf(base, 'OTHER', '[assistant record without text]', 'placeholder'));
  }
}

function readBlock(block: JsonObject, base: Base, to: RecordSink): boolean {
  const type = text(block.type);
  switch (type) {
    case 'text': {
      const said = withoutDataUrls(text(block.text));
      if (said === '') return false;
      to.turn(turnOf(base, 'AGENT', said));
      return true;
    }
    case 'thinking':
      to.turn(turnOf(base, 'THOUGHT', text(block.thinking) || '[thinking not shown]'));
      return true;
    case 'redacted_thinking':
      to.turn(turnOf(base, 'THOUGHT', '[redacted thinking]'));
      return true;
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      readCall(block, base, to);
      return true;
  }
  if (typeof block.tool_use_id === 'string') {
    const turn = turnOf(base, 'TOOL', contentText(block.content) || '[no content]');
    turn.kind = 'result';
    turn.call = block.tool_use_id;
    to.turn(turn);
    return true;
  }
  to.turn(turnOf(base, 'OTHER', blockText(block), 'block'));
  return true;
}

function readCall(block: JsonObject, base: Base, to: RecordSink): void {
  const tool = text(block.name);
  const call = text(block.id);
  const turn = turnOf(base, 'TOOL', withoutDataUrls(`tool_use ${tool} ${JSON.stringify(block.input ?? {})}`));
  turn.kind = 'call';
  turn.tool = tool;
  if (call !== '') turn.call = call;
  turn.effect = effectOf(tool);
  to.turn(turn);
}

function tokensOf(usage: JsonObject): Tokens {
  const tokens: Tokens = {};
  if (typeof usage.input_tokens === 'number') tokens.input = usage.input_tokens;
  if (typeof usage.output_tokens === 'number') tokens.output = usage.output_tokens;
  if (typeof usage.cache_read_input_tokens === 'number') tokens.cache_read = usage.cache_read_input_tokens;
  if (typeof usage.cache_creation_input_tokens === 'number') tokens.cache_write = usage.cache_creation_input_tokens;
  return tokens;
}

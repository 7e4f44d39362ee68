/** The blocks of one message, in the shape of Anthropic's API but for results (results.mts). */
import type { RecordSink } from '../../adapter.mts';
import { effectOf } from '../../effects.mts';
import { splitInjected, type Piece } from '../../injected.mts';
import { withoutDataUrls } from '../../media.mts';
import type { Json, TurnDraft } from '../../turn.mts';
import { partOf } from '../chat/identity.mts';
import { blockText } from '../claude-code/chain.mts';
import { defined, object, text, word } from '../../fields.mts';
import { pictureText, resultOf } from './results.mts';

/** The client puts what was typed into an envelope, and what it adds itself behind it. */
const OPEN = /^\s{0,100}<user_input(?: mode="[^"\n]{0,40}")?>/;
const CLOSE = '</user_input>';

/** Turns of the blocks, in order; the part of each is its block's number. */
export function readBlocks(blocks: readonly Json[], role: string, isSubagent: boolean, base: Pick<TurnDraft, 'ts' | 'id'>, to: RecordSink): void {
  blocks.forEach((item, block) => {
    const value = typeof item === 'string' ? { type: 'text', text: item } : (object(item) ?? {});
    const at = { ...base, part: block };
    switch (value.type) {
      case 'text':
        return role === 'user' ? readTyped(text(value.text), block, isSubagent, base, to) : to.turn({ ...at, class: 'AGENT', text: withoutDataUrls(text(value.text)) });
      case 'thinking':
        return to.turn({ ...at, class: 'THOUGHT', text: text(value.thinking) });
      case 'redacted_thinking':
        return to.turn({ ...at, class: 'THOUGHT', text: '[redacted thinking]' });
      case 'tool_use': {
        const tool = text(value.name);
        return to.turn(defined<TurnDraft>({
          ...at, class: 'TOOL', text: withoutDataUrls(`tool_use ${tool} ${JSON.stringify(value.input ?? {})}`), kind: 'call', tool: word(tool), call: word(value.id), effect: effectOf(tool),
        }));
      }
      case 'tool_result':
        return to.turn(defined<TurnDraft>({ ...at, class: 'TOOL', kind: 'result', tool: word(value.name), call: word(value.tool_use_id), ...resultOf(value) }));
      case 'image':
        return to.turn({ ...at, class: 'OTHER', text: pictureText(value) ?? blockText(value), meta: 'attachment' });
      default:
        to.unknown(`block/${text(value.type)}`);
        return to.turn({ ...at, class: 'OTHER', text: blockText(value), meta: 'block' });
    }
  });
}

function readTyped(said: string, block: number, isSubagent: boolean, base: Pick<TurnDraft, 'ts' | 'id'>, to: RecordSink): void {
  const pieces = isSubagent ? [{ text: said, meta: 'task' }] : typedPieces(withoutDataUrls(said));
  pieces.forEach((piece, at) => {
    const part = partOf(block, at);
    to.turn({ ...base, part, ...(piece.meta === undefined ? { class: 'USER', text: piece.text } : { class: 'OTHER', text: piece.text, meta: piece.meta }) });
  });
}

function typedPieces(said: string): Piece[] {
  const open = OPEN.exec(said);
  const end = open === null ? -1 : said.lastIndexOf(CLOSE);
  if (open === null || end < open[0].length) return splitInjected(said);
  const rest = said.slice(end + CLOSE.length).trim();
  return [{ text: said.slice(open[0].length, end) }, ...(rest === '' ? [] : [{ text: rest, meta: 'environment' }])];
}

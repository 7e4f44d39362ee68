/** What an adapter says of one record, held back until it is known to be clean. */
import type { RecordSink } from '../../transcript/adapter.mts';
import type { SessionFacts, Tokens, TurnDraft } from '../../transcript/turn.mts';

export interface Holding {
  readonly sink: RecordSink;
  /** Every text in it: those of turns one by one, all that is short in one piece. */
  texts(): readonly string[];
  clear(): void;
  /** Gives all of it on, in its order, and is empty then. */
  giveTo(sink: RecordSink): void;
}

export function createHolding(): Holding {
  const turns: TurnDraft[] = [];
  const facts: SessionFacts[] = [];
  const usage: [string, Tokens][] = [];
  const totals: Tokens[] = [];
  const unknown: string[] = [];

  const clear = () => {
    turns.length = 0;
    facts.length = 0;
    usage.length = 0;
    totals.length = 0;
    unknown.length = 0;
  };
  return {
    sink: {
      turn: (draft) => void turns.push(draft),
      facts: (more) => void facts.push(more),
      usage: (id, tokens) => void usage.push([id, tokens]),
      usageTotal: (tokens) => void totals.push(tokens),
      unknown: (type) => void unknown.push(type),
    },
    texts() {
      const texts: string[] = [];
      let short = '';
      for (const turn of turns) {
        texts.push(turn.text);
        short += `${turn.ts}\n${turn.id ?? ''}\n${turn.record ?? ''}\n${turn.parent ?? ''}\n${turn.tool ?? ''}\n${turn.call ?? ''}\n${turn.side ?? ''}\n`;
      }
      for (const one of facts) for (const value of Object.values(one)) short += `${typeof value === 'object' ? Object.values(value).join('\n') : value}\n`;
      for (const [id] of usage) short += `${id}\n`;
      for (const type of unknown) short += `${type}\n`;
      texts.push(short);
      return texts;
    },
    clear,
    giveTo(sink) {
      for (const turn of turns) sink.turn(turn);
      for (const one of facts) sink.facts(one);
      for (const [id, tokens] of usage) sink.usage(id, tokens);
      for (const tokens of totals) sink.usageTotal(tokens);
      for (const type of unknown) sink.unknown(type);
      clear();
    },
  };
}

/** Open loops: what the agent itself said is still to be done. Never from tool output or from injected text. */
import { head, own } from './text.mts';
import type { LoopRow } from './digest.mts';
import type { Turn } from '../transcript/turn.mts';

const WORDS = /next step|todo|blocked|open loop|remaining work|still to do|(?:not|nothing (?:is|was|has been)|nothing) (?:yet )?committed|uncommitted/i;
/** A label before what is left, in the agents' usual words, at the head of a line or a sentence, or in bold. */
const LABEL = /(?:^[\s>*_#-]*|\*\*|[.;] )(?:open|left|left to do|remaining|still open|still to do|not done(?: yet)?)[\s*_]*:/i;
const ANY = /next step|todo|blocked|open loop|remaining work|still to do|committed|(?:open|left|to do|remaining|not done(?: yet)?)[\s*_]*:/i;
const KEEP = 20;
const LINE_LENGTH = 300;
/** A longer answer is looked at from its end: what is left to do stands there. */
const LOOK = 32 * 1024;

type Said = Pick<Turn, 'seq' | 'text' | 'id' | 'part'>;

export interface Loops {
  /** `user`: the number of the prompt that it answers. `again`: the source gave this very turn before, in other words. */
  said(turn: Said, user: number, again?: boolean): void;
  /** Latest first, each once, 20 at most; nothing that was said behind a prompt which was taken back. */
  rows(abandoned: (user: number) => boolean): LoopRow[];
}

export function createLoops(): Loops {
  /** Text → the turn that said it last; insertion order is the order of saying. */
  const open = new Map<string, Pick<Said, 'seq' | 'id' | 'part'> & { user: number }>();
  return {
    said({ seq, text, id, part }, user, again = false) {
      if (again) for (const [line, by] of open) if (by.id === id && by.part === part) open.delete(line);
      const looked = text.length > LOOK ? text.slice(-LOOK) : text;
      if (!ANY.test(looked)) return;
      let fenced = false;
      for (const line of looked.split('\n')) {
        if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
        if (fenced || !(WORDS.test(line) || LABEL.test(line))) continue;
        const said = own(head(line.trim(), LINE_LENGTH));
        open.delete(said);
        open.set(said, { seq, user, ...(id === undefined ? {} : { id }), ...(part === undefined ? {} : { part }) });
      }
      for (const oldest of open.keys()) {
        if (open.size <= 4 * KEEP) break;
        open.delete(oldest);
      }
    },
    rows: (abandoned) => [...open].reverse().filter(([, { user }]) => !abandoned(user)).slice(0, KEEP).map(([text, { seq }]) => ({ seq, text })),
  };
}

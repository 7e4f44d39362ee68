/**
 * What a person typed and what the client put beside it, in the parts of one user message: files that `@path` named,
 * context of hooks and editors, the output of a `!command`.
 */
import type { Piece } from '../../injected.mts';
import { splitInjected } from '../../injected.mts';
import type { JsonObject } from '../../turn.mts';
import { mediaText, partText } from './parts.mts';

const FILES_START = '--- Content from referenced files ---';
const FILES_END = '--- End of content ---';
const SHELL = /^I ran the following shell command:\n```sh\n([^]{1,4000}?)\n```\n\nThis produced the following result:\n/;
const HOOK = '<qwen:user-prompt-submit-context>';

/** A text that begins so was written by the client as a whole. */
const CLIENT: readonly (readonly [string, string])[] = [
  ["Here is the user's editor context as a JSON object", 'environment'],
  ["Here is a summary of changes in the user's editor context", 'environment'],
  ['System: Please continue.', 'continue'],
  ['System: Potential loop detected.', 'reminder'],
  ['<state_snapshot>', 'compaction-summary'],
  ['<scratchpad>', 'compaction-summary'],
  [HOOK, 'hook'],
];

/** Whether the text is the summary that stands for a compressed history. */
export function isSnapshot(text: string): boolean {
  const body = text.trimStart();
  return body.startsWith('<state_snapshot>') || (body.startsWith('<scratchpad>') && body.includes('<state_snapshot>'));
}

/**
 * The pieces of a user message, in order; one that a person typed has no `meta`. `shown` is what the client says it
 * showed as the prompt: then that was typed, and every other text is what the client made of it.
 */
export function typedPieces(parts: readonly JsonObject[], shown?: string): Piece[] {
  const pieces: Piece[] = [];
  const media: string[] = [];
  let inFiles = false;
  for (const part of parts) {
    const text = partText(part);
    if (text === '') continue;
    const start = inFiles ? 0 : fileStart(text);
    if (start >= 0) {
      typed(text.slice(0, start).trimEnd(), pieces);
      const end = text.indexOf(FILES_END, start);
      inFiles = end < 0;
      const stop = inFiles ? text.length : end + FILES_END.length;
      expanded(text.slice(start, stop), pieces);
      typed(text.slice(stop).trimStart(), pieces);
    } else if (mediaText(part) !== undefined) {
      media.push(text);
      if (shown === undefined) add({ text }, pieces);
    } else {
      typed(text, pieces);
    }
  }
  if (shown === undefined || shown.trim() === '') return pieces;
  const rest = pieces.filter((piece) => piece.meta !== undefined || piece.text.trim() !== shown.trim());
  return [{ text: [shown, ...media].join('\n') }, ...rest.map((piece) => ({ text: piece.text, meta: piece.meta ?? 'expanded' }))];
}

/** Where the block of referenced files begins: at the start of a line. */
function fileStart(text: string): number {
  for (let at = text.indexOf(FILES_START); at >= 0; at = text.indexOf(FILES_START, at + 1)) {
    if (at === 0 || text[at - 1] === '\n') return at;
  }
  return -1;
}

function typed(text: string, pieces: Piece[]): void {
  if (text.trim() === '') return;
  const shell = SHELL.exec(text.slice(0, 4200));
  if (shell?.[1] !== undefined) {
    pieces.push({ text: `!${shell[1]}` }, { text: text.slice(shell[0].length), meta: 'command-output' });
    return;
  }
  const body = text.trimStart();
  const client = CLIENT.find(([head]) => body.startsWith(head));
  if (client !== undefined && (client[1] !== 'compaction-summary' || isSnapshot(text))) {
    pieces.push({ text, meta: client[1] });
    return;
  }
  for (const piece of splitInjected(text)) add(piece, pieces);
}

/** Text and images of one prompt are one turn. */
function add(piece: Piece, pieces: Piece[]): void {
  const last = pieces.at(-1);
  if (piece.meta === undefined && last !== undefined && last.meta === undefined) last.text += `\n${piece.text}`;
  else pieces.push({ ...piece });
}

function expanded(text: string, pieces: Piece[]): void {
  const last = pieces.at(-1);
  if (last?.meta === 'expanded') last.text += text;
  else pieces.push({ text, meta: 'expanded' });
}

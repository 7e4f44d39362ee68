/**
 * User records: what a person typed, tool results, and all that the client says in the user's name. The client's
 * own flags decide first; only a record without them is looked at for envelopes.
 */
import type { RecordSink } from '../../adapter.mts';
import type { Piece } from '../../injected.mts';
import { injectedAs, splitInjected, typedCommand } from '../../injected.mts';
import type { Json, JsonObject } from '../../turn.mts';
import type { Base } from './chain.mts';
import { blockText, contentText, obj, str, turnOf } from './chain.mts';

const EXIT_CODE = /^(?:Error: )?Exit code (\d{1,3})(?!\d)/;

/** Turns of one user record, in the order of its blocks. */
export function readUser(record: JsonObject, base: Base, to: RecordSink): void {
  const content = obj(record.message)?.content;
  const pieces: Piece[] = [];
  let turns = 0;
  const say = (): void => {
    turns += pieces.length;
    putPieces(pieces, base, to);
    pieces.length = 0;
  };
  const flag = flaggedAs(record);
  for (const block of Array.isArray(content) ? content : [content]) {
    const part = obj(block);
    if (part !== undefined && typeof part.tool_use_id === 'string') {
      say();
      readResult(record, part, base, to);
      turns++;
    } else {
      addText(record, flag, block, pieces);
    }
  }
  say();
  if (turns === 0 && base.id !== undefined) to.turn(turnOf(base, 'OTHER', '[user record without text]', 'placeholder'));
}

/** What a person said while the agent worked: it reached the agent as an attachment and never as a user record. */
export function readQueuedCommand(attachment: JsonObject, base: Base, to: RecordSink): void {
  const text = contentText(attachment.prompt);
  const mode = str(attachment.commandMode);
  const kind = str(obj(attachment.origin)?.kind);
  if (mode === 'task-notification' || kind === 'task-notification' || (mode !== 'prompt' && injectedAs(text) === 'notification')) {
    to.turn(turnOf(base, 'OTHER', text || '[attachment queued_command]', 'notification'));
  } else if (attachment.isMeta === true || text === '') {
    to.turn(turnOf(base, 'OTHER', text || '[attachment queued_command]', 'reminder'));
  } else {
    putPieces([{ text: mode === 'bash' ? `!${text}` : (typedCommand(text)?.text ?? text) }], base, to);
  }
}

/** Why the client itself says that nobody typed the record; '' where it says that a person did; undefined where it is silent. */
function flaggedAs(record: JsonObject): string | undefined {
  if (record.isCompactSummary === true) return 'compaction-summary';
  if (record.turnOrigin === 'task_notification' || obj(record.origin)?.kind === 'task-notification') return 'notification';
  if (record.isMeta === true) return 'meta';
  if (typeof record.sourceToolUseID === 'string') return 'expanded';
  if (record.rowSource === 'hook') return 'hook';
  if (record.promptSource === 'system') return 'reminder';
  if (record.promptSource === 'typed' || record.promptSource === 'sdk' || obj(record.origin)?.kind === 'human') return '';
  return undefined;
}

function addText(record: JsonObject, flag: string | undefined, block: Json | undefined, pieces: Piece[]): void {
  const text = blockText(block);
  if (text === '') return;
  if (flag === 'meta') {
    pieces.push({ text, meta: metaOf(record, text) });
    return;
  }
  if (flag !== undefined && flag !== '') {
    pieces.push({ text, meta: flag });
    return;
  }
  const command = typedCommand(text);
  if (command !== undefined) {
    addTyped(pieces, commandPiece(record, command.text));
    if (command.rest !== '') pieces.push({ text: command.rest, meta: 'command-output' });
    return;
  }
  // Where the client says that a person sent it, only a block of its own can still be the client's.
  const split = flag === '' && typeof obj(record.message)?.content === 'string' ? [{ text }] : splitInjected(text);
  for (const piece of split) {
    if (piece.meta !== undefined) pieces.push(piece);
    else if (record.isVisibleInTranscriptOnly === true) pieces.push({ ...piece, meta: 'reminder' });
    else addTyped(pieces, piece);
  }
}

/** Text and images of one prompt are one turn. */
function addTyped(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1);
  if (piece.meta === undefined && last !== undefined && last.meta === undefined) last.text += `\n${piece.text}`;
  else pieces.push(piece);
}

/**
 * The client stores `/cost` under its main name `/usage`. What was typed is only in the queue of a run without a
 * terminal, so there the queued line is the USER turn (queue.mts) and the stored one is the client's.
 */
function commandPiece(record: JsonObject, text: string): Piece {
  const renamed = text === '/usage' && record.entrypoint === 'sdk-cli' && !/^(?:1|2\.0)\./.test(str(record.version));
  return renamed ? { text, meta: 'command' } : { text };
}

/** Why an isMeta text is there, as a word. */
function metaOf(record: JsonObject, text: string): string {
  if (typeof record.sourceToolUseID === 'string' || record.turnCompanion === true) return 'expanded';
  const known = injectedAs(text);
  if (known !== undefined) return known;
  if (text.startsWith('Continue from where you left off') || text.startsWith('[Your previous response had no visible output')) return 'continue';
  if (text.startsWith('Stop hook feedback:')) return 'hook';
  if (text.startsWith('[Image: ')) return 'attachment';
  // A command's body comes as a block, the client's other remarks as a plain string.
  return Array.isArray(obj(record.message)?.content) ? 'expanded' : 'reminder';
}

function putPieces(pieces: readonly Piece[], base: Base, to: RecordSink): void {
  for (const piece of pieces) {
    if (piece.meta !== undefined) to.turn(turnOf(base, 'OTHER', piece.text, piece.meta));
    // Nobody types into a sub-agent: its user is the agent that called it.
    else if (base.side !== undefined) to.turn(turnOf(base, 'OTHER', piece.text, 'task'));
    else to.turn(turnOf(base, 'USER', piece.text));
  }
}

function readResult(record: JsonObject, block: JsonObject, base: Base, to: RecordSink): void {
  const text = contentText(block.content) || (block.content === '' ? '[empty result]' : '[no content]');
  const extra = record.toolUseResult;
  const failed = block.is_error === true || (typeof extra === 'string' && extra.startsWith('Error: ')) || obj(extra)?.interrupted === true;
  const synthetic = record.toolDenialKind === 'interrupted' && text.startsWith('[Tool call interrupted: the session ended before');
  const exit = failed ? EXIT_CODE.exec(text.slice(0, 40))?.[1] : undefined;
  const turn = turnOf(base, 'TOOL', text, synthetic ? 'synthetic' : undefined);
  turn.kind = 'result';
  turn.call = str(block.tool_use_id);
  if (failed || synthetic) turn.ok = false;
  else if (block.is_error === false) turn.ok = true;
  if (exit !== undefined) turn.exit = Number(exit);
  to.turn(turn);
}

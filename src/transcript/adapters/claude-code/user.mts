/**
 * User records: what a person typed, tool results, and all that the client says in the user's name. The client's
 * own flags decide first; only a record without them is looked at for envelopes.
 */
import type { RecordSink } from '../../adapter.mts';
import { object, text } from '../../fields.mts';
import type { Piece } from '../../injected.mts';
import { injectedAs, splitInjected, typedCommand } from '../../injected.mts';
import type { Json, JsonObject } from '../../turn.mts';
import type { Base } from './chain.mts';
import { blockText, contentText, turnOf } from './chain.mts';

const EXIT_CODE = /^(?:Error: )?Exit code (\d{1,3})(?!\d)/;

/** Turns of one user record, in the order of its blocks. */
export function readUser(record: JsonObject, base: Base, to: RecordSink): void {
  const content = object(record.message)?.content;
  const pieces: Piece[] = [];
  let turns = 0;
  const say = (): void => {
    turns += pieces.length;
    putPieces(pieces, base, to);
    pieces.length = 0;
  };
  const flag = flaggedAs(record);
  for (const block of Array.isArray(content) ? content : [content]) {
    const part = object(block);
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
  const said = contentText(attachment.prompt);
  const mode = text(attachment.commandMode);
  const kind = text(object(attachment.origin)?.kind);
  if (mode === 'task-notification' || kind === 'task-notification' || (mode !== 'prompt' && injectedAs(said) === 'notification')) {
    to.turn(turnOf(base, 'OTHER', said || '[attachment queued_command]', 'notification'));
  } else if (attachment.isMeta === true || said === '') {
    to.turn(turnOf(base, 'OTHER', said || '[attachment queued_command]', 'reminder'));
  } else {
    putPieces([{ text: mode === 'bash' ? `!${said}` : (typedCommand(said)?.text ?? said) }], base, to);
  }
}

/** Why the client itself says that nobody typed the record; '' where it says that a person did; undefined where it is silent. */
function flaggedAs(record: JsonObject): string | undefined {
  if (record.isCompactSummary === true) return 'compaction-summary';
  if (record.turnOrigin === 'task_notification' || object(record.origin)?.kind === 'task-notification') return 'notification';
  if (record.isMeta === true) return 'meta';
  if (typeof record.sourceToolUseID === 'string') return 'expanded';
  if (record.rowSource === 'hook') return 'hook';
  if (record.promptSource === 'system') return 'reminder';
  if (record.promptSource === 'typed' || record.promptSource === 'sdk' || object(record.origin)?.kind === 'human') return '';
  return undefined;
}

function addText(record: JsonObject, flag: string | undefined, block: Json | undefined, pieces: Piece[]): void {
  const said = blockText(block);
  if (said === '') return;
  if (flag === 'meta') {
    pieces.push({ text: said, meta: metaOf(record, said) });
    return;
  }
  if (flag !== undefined && flag !== '') {
    pieces.push({ text: said, meta: flag });
    return;
  }
  const command = typedCommand(said);
  if (command !== undefined) {
    addTyped(pieces, commandPiece(record, command.text));
    if (command.rest !== '') pieces.push({ text: command.rest, meta: 'command-output' });
    return;
  }
  // Where the client says that a person sent it, only a block of its own can still be the client's.
  const split = flag === '' && typeof object(record.message)?.content === 'string' ? [{ text: said }] : splitInjected(said);
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
function commandPiece(record: JsonObject, command: string): Piece {
  const renamed = command === '/usage' && record.entrypoint === 'sdk-cli' && !/^(?:1|2\.0)\./.test(text(record.version));
  return renamed ? { text: command, meta: 'command' } : { text: command };
}

/** Why an isMeta text is there, as a word. */
function metaOf(record: JsonObject, said: string): string {
  if (typeof record.sourceToolUseID === 'string' || record.turnCompanion === true) return 'expanded';
  const known = injectedAs(said);
  if (known !== undefined) return known;
  if (said.startsWith('Continue from where you left off') || said.startsWith('[Your previous response had no visible output')) return 'continue';
  if (said.startsWith('Stop hook feedback:')) return 'hook';
  if (said.startsWith('[Image: ')) return 'attachment';
  // A command's body comes as a block, the client's other remarks as a plain string.
  return Array.isArray(object(record.message)?.content) ? 'expanded' : 'reminder';
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
  const said = contentText(block.content) || (block.content === '' ? '[empty result]' : '[no content]');
  const extra = record.toolUseResult;
  const failed = block.is_error === true || (typeof extra === 'string' && extra.startsWith('Error: ')) || object(extra)?.interrupted === true;
  const synthetic = record.toolDenialKind === 'interrupted' && said.startsWith('[Tool call interrupted: the session ended before');
  const refused = failed && (record.toolDenialBeforeRun === true || record.toolDenialKind === 'permission-rule' || object(record.permissionDecision)?.decision === 'reject');
  const exit = failed ? EXIT_CODE.exec(said.slice(0, 40))?.[1] : undefined;
  const turn = turnOf(base, 'TOOL', said, synthetic ? 'synthetic' : refused ? 'refused' : undefined);
  turn.kind = 'result';
  turn.call = text(block.tool_use_id);
  if (failed || synthetic) turn.ok = false;
  else if (block.is_error === false) turn.ok = true;
  if (exit !== undefined) turn.exit = Number(exit);
  to.turn(turn);
}

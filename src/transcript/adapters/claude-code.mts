/**
 * Claude Code: append-only JSONL under ~/.claude/projects, clients 1.0 to 2.1. Three families of records: links of
 * a chain (they have a uuid, and each gives at least one turn, so that parents resolve), state that is written
 * again and again (no turn), and the queue of prompts. Requests as they were sent repeat messages: no turn.
 */
import { basename } from 'node:path';
import type { LineAdapter, RecordSink, SourceHead } from '../adapter.mts';
import { object, text } from '../fields.mts';
import type { JsonObject, SessionFacts } from '../turn.mts';
import { readAssistant } from './claude-code/assistant.mts';
import { readAttachment } from './claude-code/attachment.mts';
import { baseOf, contentText, sideOf, turnOf } from './claude-code/chain.mts';
import { keptOutput } from './claude-code/persisted.mts';
import { readQueue } from './claude-code/queue.mts';
import { replayOf } from './claude-code/replay.mts';
import { readSystem } from './claude-code/system.mts';
import { readUser } from './claude-code/user.mts';

/** Records that are state or log: known, and nothing to say. `summary` lines describe other sessions. */
const SILENT = new Set([
  'mode', 'permission-mode', 'last-prompt', 'tools-used', 'cost-state', 'atis-latch', 'file-history-snapshot', 'summary',
  'api-request', 'api-request-shape', 'api-request-blob', 'agent-color', 'agent-setting', 'tag', 'pr-link', 'worktree-state',
  'content-replacement', 'attribution-snapshot', 'speculation-accept', 'file-history-delta', 'task-summary',
]);
const TITLES = new Map([['custom-title', 'customTitle'], ['agent-name', 'agentName'], ['ai-title', 'aiTitle']]);
const AGENT_FILE = /^agent-./;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const claudeCode: LineAdapter = {
  kind: 'lines',
  id: 'claude-code',
  harness: 'claude-code',
  version: 1,
  keepsNames: true,
  ownSide,
  keptOutput,
  replay: (head) => replayOf(head, claudeCode.identify(head).uuid),

  recognises(record: JsonObject): boolean {
    const type = text(record.type);
    if (type === 'user' || type === 'assistant') {
      const content = object(record.message)?.content;
      return isLink(record) && (typeof content === 'string' || Array.isArray(content));
    }
    if (type === 'system' || type === 'attachment' || type === 'progress') return isLink(record) && 'isSidechain' in record;
    if (type === 'summary') return typeof record.leafUuid === 'string';
    if (type === 'file-history-snapshot') return object(record.snapshot) !== undefined;
    return (type === 'queue-operation' || SILENT.has(type) || TITLES.has(type)) && typeof record.sessionId === 'string';
  },

  identify(head: SourceHead): SessionFacts {
    const name = basename(head.path).replace(/\.jsonl$/, '');
    const first = text(head.records.find((record) => typeof record.sessionId === 'string')?.sessionId);
    const own = ownSide(head);
    if (own !== undefined) {
      const session = first || name;
      return { uuid: `${session}.agent-${own}`, ...(first === '' ? {} : { parent_session: first }) };
    }
    const uuid = UUID.test(name) ? name : first;
    const facts: SessionFacts = uuid === '' ? {} : { uuid };
    // 2.0.x leaves the parent's session id on the user records that a fork copies.
    const copied = head.records.find((record) => record.type === 'user' && typeof record.sessionId === 'string' && record.sessionId !== uuid);
    if (copied !== undefined) facts.fork = { of: text(copied.sessionId), by: 'sessionId of the copied records' };
    return facts;
  },

  read(record: JsonObject, to: RecordSink): void {
    const type = text(record.type);
    if (type === 'queue-operation') {
      readQueue(record, to);
      return;
    }
    const link = typeof record.uuid === 'string';
    if (!link && SILENT.has(type)) return;
    const title = TITLES.get(type);
    if (title !== undefined) {
      const named = text(record[title]);
      if (named !== '') to.facts({ title: named });
      return;
    }
    const facts = factsOf(record);
    if (facts !== undefined) to.facts(facts);
    const base = baseOf(record);
    switch (type) {
      case 'user':
        readUser(record, base, to);
        return;
      case 'assistant':
        readAssistant(record, base, to);
        return;
      case 'attachment':
        readAttachment(record, base, to);
        return;
      case 'system':
        readSystem(record, base, to);
        return;
      case 'progress':
        to.turn(turnOf(base, 'OTHER', `[progress ${text(object(record.data)?.type)}]`, 'progress'));
        return;
    }
    if (!SILENT.has(type)) to.unknown(type);
    if (!link) return;
    const said = contentText(record.content) || contentText(object(record.message)?.content) || `[record ${type}]`;
    to.turn(turnOf(base, 'OTHER', said, 'unknown-record'));
  },
};

/**
 * The sub-agent whose own file this is: one with a sub-agent's name and any record that is flagged, or where every link
 * of the head is a sidechain record of the same agent. Undefined for a main file. `read` sees one record and always sets
 * `side`; whoever captures a sub-agent's own file takes this value off its turns.
 */
export function ownSide(head: SourceHead): string | undefined {
  const name = basename(head.path).replace(/\.jsonl$/, '');
  if (AGENT_FILE.test(name)) return head.records.map(sideOf).find((side) => side !== undefined);
  // A main file may begin with sub-agents of 1.0.x; its name is its session's.
  if (UUID.test(name) && head.records.some((record) => record.sessionId === name)) return undefined;
  let own: string | undefined;
  for (const record of head.records) {
    if (typeof record.uuid !== 'string') continue;
    const side = sideOf(record);
    if (side === undefined || (own !== undefined && side !== own)) return undefined;
    own = side;
  }
  return own;
}

function isLink(record: JsonObject): boolean {
  return typeof record.uuid === 'string' && typeof record.sessionId === 'string' && 'parentUuid' in record;
}

function factsOf(record: JsonObject): SessionFacts | undefined {
  if (typeof record.uuid !== 'string') return undefined;
  const facts: SessionFacts = {};
  if (typeof record.cwd === 'string') facts.cwd = record.cwd;
  if (typeof record.gitBranch === 'string' && record.gitBranch !== '') facts.branch = record.gitBranch;
  if (typeof record.version === 'string') facts.clientVersion = record.version;
  const from = record.requestSessionId;
  if (typeof from === 'string' && from !== '' && from !== record.sessionId) facts.fork = { of: from, by: 'requestSessionId of the copied records' };
  return facts;
}

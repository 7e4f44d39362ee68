/**
 * Cline CLI: ~/.cline/data/sessions/<id>/<id>.messages.json, one document that is rewritten as a whole. Where it ran, on
 * which branch and with which model stands in `<id>.json` beside it. A sub-agent has a document of its own there.
 */
import type { RecordSink, WholeAdapter } from '../adapter.mts';
import type { Json, JsonObject, SessionFacts, Tokens } from '../turn.mts';
import { documentHead, holds } from './chat/head.mts';
import { createIds, timeOf } from './chat/identity.mts';
import { loadCline } from './cline/load.mts';
import { readBlocks } from './cline/blocks.mts';
import { defined, finite, list, object, text, word } from '../fields.mts';

export const cline: WholeAdapter = {
  kind: 'whole',
  id: 'cline',
  harness: 'cline',
  version: 1,
  looksLike: (head, path) => path !== '-' && isCline(head),
  form: loadCline,
  read,
};

/** The same document from standard input, where nothing lies beside it. */
export const clineStream: WholeAdapter = { ...cline, looksLike: (head, path) => path === '-' && isCline(head), form: 'document' };

function isCline(head: string): boolean {
  if (!holds(head, '"sessionId"', '"messages"')) return false;
  const value = object(documentHead(head));
  return value !== undefined && typeof value.sessionId === 'string' && Array.isArray(value.messages)
    && (typeof value.agent === 'string' || object(value.origin)?.mode !== undefined);
}

function read(value: Json, _path: string, to: RecordSink): void {
  const loaded = object(value) ?? {};
  const document = object(loaded.document) ?? loaded;
  const origin = object(document.origin) ?? {};
  const isSubagent = document.agent === 'subagent' || origin.mode === 'subagent';
  to.facts(defined<SessionFacts>({
    uuid: word(document.sessionId),
    clientVersion: word(origin.version),
    parent_session: isSubagent ? word(origin.parentThreadId) : undefined,
  }));
  const session = object(loaded.session);
  if (session !== undefined) to.facts(sessionFacts(session, isSubagent));
  const idOf = createIds();
  list(document.messages).forEach((item, position) => {
    const message = object(item);
    if (message === undefined) return;
    const id = idOf(message.id, position);
    const base = { ts: timeOf(message.ts), id };
    to.facts(defined<SessionFacts>({ model: word(object(message.modelInfo)?.id) }));
    const metrics = object(message.metrics);
    if (metrics !== undefined) to.usage(id, tokensOf(metrics));
    const blocks = typeof message.content === 'string' ? [message.content] : list(message.content);
    readBlocks(blocks, text(message.role), isSubagent, base, to);
  });
}

/** A sub-agent's model is told by its own answers, and its task is no title. */
function sessionFacts(session: JsonObject, isSubagent: boolean): SessionFacts {
  const metadata = object(session.metadata);
  const latest = object(object(metadata?.checkpoint)?.latest);
  return defined<SessionFacts>({
    cwd: word(session.cwd) ?? word(session.workspace_root),
    model: isSubagent ? undefined : word(session.model),
    branch: word(object(metadata?.git)?.branch),
    commit: latest?.kind === 'commit' ? word(latest.ref) : undefined,
    title: isSubagent ? undefined : word(metadata?.title),
  });
}

function tokensOf(metrics: JsonObject): Tokens {
  return defined<Tokens>({
    input: finite(metrics.inputTokens), output: finite(metrics.outputTokens), cache_read: finite(metrics.cacheReadTokens), cache_write: finite(metrics.cacheWriteTokens),
  });
}

/** What the client says of the session: where it runs, with which model, its tokens, its errors. */
import type { RecordSink } from '../../adapter.mts';
import type { JsonObject, SessionFacts, Tokens, TurnDraft } from '../../turn.mts';
import { defined, finite, object, text, word } from '../../fields.mts';

/** State of the client. `session.shutdown` adds up the tokens that the usage records told one by one. */
const SILENT = new Set([
  'session.shutdown', 'session.idle', 'session.mode_changed', 'session.plan_changed', 'session.workspace_file_changed', 'session.truncation', 'session.snapshot_rewind',
  'session.usage_info', 'session.compaction_start', 'session.handoff', 'session.skills_loaded', 'session.mcp_servers_loaded', 'session.tools_updated',
]);

export function readSession(type: string, data: JsonObject, base: Pick<TurnDraft, 'ts' | 'id' | 'side'>, to: RecordSink): void {
  if (SILENT.has(type)) return;
  switch (type) {
    case 'session.start':
    case 'session.resume':
      return to.facts({ ...placeOf(object(data.context) ?? {}), ...defined<SessionFacts>({ model: word(data.selectedModel), clientVersion: word(data.copilotVersion) }) });
    case 'session.context_changed':
      return to.facts(placeOf(data));
    case 'session.model_change':
      // A sub-agent's model is not the session's.
      return base.side === undefined ? to.facts(defined<SessionFacts>({ model: word(data.newModel) })) : undefined;
    case 'session.title_changed':
      return to.facts(defined<SessionFacts>({ title: word(data.title) }));
    case 'session.usage_record': {
      const usage = object(data.usage) ?? {};
      return to.usage(word(usage.apiCallId) ?? base.id ?? base.ts, defined<Tokens>({
        input: finite(usage.inputTokens), output: finite(usage.outputTokens), cache_read: finite(usage.cacheReadTokens),
        cache_write: finite(usage.cacheWriteTokens), reasoning: finite(usage.reasoningTokens),
      }));
    }
    case 'session.error':
      return to.turn({ ...base, class: 'OTHER', text: text(data.message) || `[error ${text(data.errorType)}]`, meta: 'api-error' });
    case 'session.compaction_complete':
      return to.turn({ ...base, class: 'OTHER', text: text(data.summaryContent) || '[compaction]', meta: 'compaction-summary' });
    case 'session.warning':
    case 'session.info':
    case 'session.task_complete':
      return to.turn({ ...base, class: 'OTHER', text: text(data.message) || text(data.summary), meta: 'notice' });
    default:
      to.unknown(type);
  }
}

function placeOf(context: JsonObject): SessionFacts {
  return defined<SessionFacts>({ cwd: word(context.cwd), branch: word(context.branch), commit: word(context.headCommit) });
}

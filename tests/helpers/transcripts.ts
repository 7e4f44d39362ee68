/** Small transcripts, record by record, in the shapes of Claude Code, Codex and the canonical line. */

export type TranscriptRecord = Record<string, unknown>;

/** Records as lines, each ended; a string stands as it is. */
export function lines(...records: readonly (TranscriptRecord | string)[]): string {
  return records.map((record) => (typeof record === 'string' ? record : `${JSON.stringify(record)}\n`)).join('');
}

const START = Date.UTC(2026, 0, 1);
const time = (n: number): string => new Date(START + n * 1000).toISOString();

export interface ClaudeWriter {
  user(content: unknown, more?: TranscriptRecord): TranscriptRecord;
  /** A text, or blocks of content. */
  agent(content: unknown, more?: TranscriptRecord): TranscriptRecord;
  call(id: string, tool: string, input: TranscriptRecord): TranscriptRecord;
  result(id: string, content: unknown, more?: TranscriptRecord): TranscriptRecord;
}

/** Writes records of a Claude Code session; each hangs on the one before, with a time one second later. */
export function claude(session = 's', cwd = '/w'): ClaudeWriter {
  let n = 0;
  const record = (type: string, message: TranscriptRecord, more: TranscriptRecord): TranscriptRecord => {
    n += 1;
    return {
      type, uuid: `${session}-${n}`, parentUuid: n === 1 ? null : `${session}-${n - 1}`, isSidechain: false, sessionId: session, cwd, timestamp: time(n),
      message, ...more,
    };
  };
  const agent: ClaudeWriter['agent'] = (content, more = {}) => record('assistant', {
    id: `m-${session}-${n + 1}`, role: 'assistant', content: typeof content === 'string' ? [{ type: 'text', text: content }] : content, usage: { input_tokens: 1, output_tokens: 2 },
  }, more);
  return {
    user: (content, more = {}) => record('user', { role: 'user', content }, more),
    agent,
    call: (id, name, input) => agent([{ type: 'tool_use', id, name, input }]),
    result: (id, content, more = {}) => record('user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, ...more }] }, {}),
  };
}

/** `count` records of a plain talk: a prompt, an answer, a prompt ... */
export function talk(count: number, session = 's', cwd = '/w'): TranscriptRecord[] {
  const writer = claude(session, cwd);
  return Array.from({ length: count }, (_, n) => (n % 2 === 0 ? writer.user(`prompt ${n} of ${session}`) : writer.agent(`answer ${n} of ${session}`)));
}

/** A canonical line; `seq` undefined leaves it without one. */
export function canonical(seq: number | undefined, role: string, text: string, more: TranscriptRecord = {}): TranscriptRecord {
  return { ...(seq === undefined ? {} : { seq }), ts: time(seq ?? 0), session: 'c', role, text, ...more };
}

export interface CodexWriter {
  meta(): TranscriptRecord;
  message(role: 'user' | 'assistant', text: string): TranscriptRecord;
  call(id: string, name: string, argument: TranscriptRecord): TranscriptRecord;
  output(id: string, output: string): TranscriptRecord;
}

/** Writes records of a Codex rollout. */
export function codex(id: string, cwd = '/w'): CodexWriter {
  let n = 0;
  const record = (type: string, payload: TranscriptRecord): TranscriptRecord => ({ timestamp: time((n += 1)), type, payload });
  return {
    meta: () => record('session_meta', { id, timestamp: time(0), cwd, originator: 'codex_cli_rs', cli_version: '0.130.0', instructions: null }),
    message: (role, text) => record('response_item', { type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] }),
    call: (call_id, name, argument) => record('response_item', { type: 'function_call', name, arguments: JSON.stringify(argument), call_id }),
    output: (call_id, output) => record('response_item', { type: 'function_call_output', call_id, output }),
  };
}

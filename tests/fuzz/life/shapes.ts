/**
 * The shapes of transcripts that lives.ts lets grow, each with a writer of records and a reader of its own that shares
 * nothing with the product's adapters: what a line says, as its class and the one word in it that no other record has.
 */
import { below, pick, type Random } from '../mutate.ts';

export interface LineShape {
  name: string;
  ending: string;
  /** Lines at the head of each file of the session. */
  head(session: string, next: () => string): string[];
  record(random: Random, session: string, next: () => string): string;
  /** What a whole line says, in the timeline's words; `own`: the number that the record gives itself. */
  read(line: string): { said: string; own?: number }[];
}

type Json = Record<string, unknown>;

const CLOCK = ['2026-01-01T10:00:00.000Z', '2026-01-01T10:00:00.000Z', '2026-01-01T09:00:00.000Z', '2026-01-02T00:00:00.000Z'];

export const wordIn = (text: string): string => /tok\d+x/.exec(text)?.[0] ?? '-';
const said = (name: string, value: unknown): { said: string } => ({ said: `${name} ${wordIn(JSON.stringify(value))}` });

const claude: LineShape = {
  name: 'claude',
  ending: '.jsonl',
  head: (session, next) => [JSON.stringify({ type: 'user', uuid: next(), parentUuid: null, sessionId: session, cwd: '/w/shop', timestamp: CLOCK[0], message: { role: 'user', content: `do ${next()}` } })],
  record(random, session, next) {
    const record = (type: string, content: unknown) => JSON.stringify({ type, uuid: random() < 0.1 ? 'same-id' : next(), parentUuid: 'p', sessionId: session, cwd: '/w/shop', timestamp: pick(random, CLOCK), message: { id: next(), role: type, content } });
    switch (below(random, 6)) {
      case 0: return record('user', `please ${next()}`);
      case 1: return record('assistant', [{ type: 'thinking', thinking: `hm ${next()}` }, { type: 'text', text: `so ${next()}` }, { type: 'tool_use', id: next(), name: 'Bash', input: { command: `echo ${next()}` } }]);
      case 2: return record('user', [{ type: 'tool_result', tool_use_id: 'other', content: `out ${next()}` }]);
      case 3: return JSON.stringify({ type: 'ai-title', aiTitle: 'a title', sessionId: session });
      default: return record('assistant', [{ type: 'text', text: `done ${next()}` }]);
    }
  },
  read(line) {
    const { type, message } = JSON.parse(line) as { type: string; message?: { content: string | Json[] } };
    if (message === undefined) return [];
    const { content } = message;
    if (typeof content === 'string') return [said('USER', content)];
    return content.map((block) => {
      switch (block['type']) {
        case 'thinking': return said('THOUGHT', block['thinking']);
        case 'tool_use': return said('TOOL', block['input']);
        case 'tool_result': return said('TOOL', block['content']);
        default: return said(type === 'user' ? 'USER' : 'AGENT', block['text']);
      }
    });
  },
};

const codex: LineShape = {
  name: 'codex',
  ending: '.jsonl',
  head: (session, next) => [
    JSON.stringify({ timestamp: CLOCK[0], type: 'session_meta', payload: { id: session, timestamp: CLOCK[0], cwd: '/w/shop', originator: 'codex_exec', cli_version: '0.171.0', source: 'exec' } }),
    JSON.stringify({ timestamp: CLOCK[0], type: 'response_item', payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: `do ${next()}` }] } }),
  ],
  record(random, _session, next) {
    const item = (payload: Json) => JSON.stringify({ timestamp: pick(random, CLOCK), type: 'response_item', payload });
    switch (below(random, 5)) {
      case 0: return item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: `please ${next()}` }] });
      case 1: return item({ type: 'function_call', name: 'shell', arguments: JSON.stringify({ command: ['echo', next()] }), call_id: random() < 0.1 ? 'same-call' : `c-${next()}` });
      case 2: return item({ type: 'function_call_output', call_id: 'other', output: `out ${next()}` });
      case 3: return JSON.stringify({ timestamp: pick(random, CLOCK), type: 'event_msg', payload: { type: 'token_count', info: null } });
      default: return item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: `done ${next()}` }] });
    }
  },
  read(line) {
    const { type, payload } = JSON.parse(line) as { type: string; payload: Json };
    if (type !== 'response_item') return [];
    if (payload['type'] === 'function_call') return [said('TOOL', payload['arguments'])];
    if (payload['type'] === 'function_call_output') return [said('TOOL', payload['output'])];
    return [said(payload['role'] === 'user' ? 'USER' : 'AGENT', payload['content'])];
  },
};

const ROLES = { user: 'USER', assistant: 'AGENT', tool: 'TOOL' } as const;

function canonical(name: string, isNumbered: boolean): LineShape {
  const line = (role: string, seq: number | undefined, session: string, ts: string, text: string) => JSON.stringify({ session, harness: 'x', ...(seq === undefined ? {} : { seq }), ts, role, text });
  let last = 0;
  return {
    name,
    ending: '.jsonl',
    head: (session, next) => {
      last = 0;
      return [line('user', isNumbered ? 0 : undefined, session, CLOCK[0] as string, `do ${next()}`)];
    },
    record(random, session, next) {
      if (random() < 0.15) last = below(random, last + 2);
      else last += 1 + below(random, 2);
      return line(pick(random, ['user', 'assistant', 'assistant', 'tool']), isNumbered && random() < 0.9 ? last : undefined, session, pick(random, CLOCK), `say ${next()}`);
    },
    read(text) {
      const { role, seq, text: content } = JSON.parse(text) as { role: keyof typeof ROLES; seq?: number; text: string };
      return [{ ...said(ROLES[role], content), ...(seq === undefined ? {} : { own: seq }) }];
    },
  };
}

/** Role-marked text is no sequence of records: lives.ts reads it itself. */
export const text: LineShape = {
  name: 'text',
  ending: '.md',
  head: (_session, next) => [`## User: do ${next()}`],
  record: (random, _session, next) => pick(random, [`## User: please ${next()}`, `## Assistant: done ${next()}`, `## Tool: ran ${next()}`, `and ${next()}`, `more ${next()}`, '']),
  read: () => [],
};

export const LINE_SHAPES: readonly LineShape[] = [claude, codex, canonical('canonical', false), canonical('numbered', true), text];

export interface Message {
  id: string;
  role: 'user' | 'assistant';
  text: string;
}

export interface DocumentShape {
  name: string;
  /** Whether a message has an id of its own there, or only its position. */
  hasIds: boolean;
  write(session: string, messages: readonly Message[]): string;
}

export const DOCUMENT_SHAPES: readonly DocumentShape[] = [
  {
    name: 'gemini',
    hasIds: true,
    write: (session, messages) => JSON.stringify({
      sessionId: session, projectHash: 'f2', startTime: CLOCK[0], lastUpdated: CLOCK[0],
      messages: messages.map(({ id, role, text: content }) => ({ id, timestamp: CLOCK[0], type: role === 'user' ? 'user' : 'gemini', content })),
    }),
  },
  {
    name: 'opencode',
    hasIds: true,
    write: (session, messages) => JSON.stringify({
      info: { id: `ses_${session}`, projectID: 'p', directory: '/w/shop', title: 't', version: '1.18.33', time: { created: 1796024773575, updated: 1796024773930 } },
      messages: messages.map(({ id, role, text: content }) => ({
        info: { id, role, sessionID: `ses_${session}`, time: { created: 1796024773583, completed: 1796024773584 }, agent: 'general', ...(role === 'assistant' ? { modelID: 'm', providerID: 'p', finish: 'stop' } : {}) },
        parts: [{ id: `part-${id}`, type: 'text', text: content, time: { start: 1796024773583, end: 1796024773584 } }],
      })),
    }),
  },
  {
    name: 'chat',
    hasIds: true,
    write: (session, messages) => JSON.stringify({ session_id: session, messages: messages.map(({ id, role, text: content }) => ({ id, role, content })) }),
  },
  {
    name: 'list',
    hasIds: false,
    write: (session, messages) => JSON.stringify({ session_id: session, messages: messages.map(({ role, text: content }) => ({ role, content })) }),
  },
  {
    name: 'continue',
    hasIds: false,
    write: (session, messages) => JSON.stringify({ sessionId: session, title: 't', workspaceDirectory: '/w/shop', history: messages.map(({ role, text: content }) => ({ message: { role, content }, contextItems: [] })) }),
  },
];

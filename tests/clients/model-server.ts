/**
 * A model on loopback that says what a test tells it to, for real clients: the Messages API of Anthropic (Claude Code) and
 * the Responses API of OpenAI (Codex), both as a stream of events. It keeps every request, since what a client shows its
 * model can be seen nowhere else.
 */
import { randomUUID } from 'node:crypto';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One answer: words, a call of one of the client's tools, or both. */
export interface Say {
  text?: string;
  call?: { name: string; input: Record<string, unknown> };
}

export class ModelServer {
  /** Bodies of the requests that got an answer of the script. */
  readonly requests: string[] = [];
  #script: Say[] = [];
  readonly #server = http.createServer((request, response) => void this.#answer(request, response));

  async start(): Promise<this> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    return this;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What is said to the next requests, in order; after that, that it is done. */
  next(...script: Say[]): void {
    this.#script = script;
    this.requests.length = 0;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const path = new URL(request.url ?? '/', this.url).pathname;
    const plain = (status: number, value: object): void => void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (path.endsWith('/count_tokens')) return plain(200, { input_tokens: 1 });
    if (path.endsWith('/models')) return plain(200, { data: [], models: [] });
    const speak = path.endsWith('/messages') ? anthropic : path.endsWith('/responses') ? openai : undefined;
    if (request.method !== 'POST' || speak === undefined) return plain(404, { error: { message: 'not here' } });
    const { tools = [], model = 'model' } = JSON.parse(text) as { tools?: unknown[]; model?: string };
    // Clients ask for titles and the like without tools: that is no step of the script.
    const say = tools.length === 0 ? { text: 'ok' } : this.#script.shift() ?? { text: 'Done.' };
    if (tools.length > 0) this.requests.push(text);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of speak(say, model)) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  }
}

type Event = { type: string; [field: string]: unknown };

const idOf = (kind: string): string => `${kind}_${randomUUID().replaceAll('-', '')}`;

function* anthropic({ text, call }: Say, model: string): Generator<Event> {
  const usage = { input_tokens: 10, output_tokens: 5 };
  yield { type: 'message_start', message: { id: idOf('msg'), type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null, usage } };
  const blocks: [object, object][] = [];
  if (text !== undefined) blocks.push([{ type: 'text', text: '' }, { type: 'text_delta', text }]);
  if (call !== undefined) blocks.push([{ type: 'tool_use', id: idOf('toolu'), name: call.name, input: {} }, { type: 'input_json_delta', partial_json: JSON.stringify(call.input) }]);
  for (const [index, [content_block, delta]] of blocks.entries()) {
    yield { type: 'content_block_start', index, content_block };
    yield { type: 'content_block_delta', index, delta };
    yield { type: 'content_block_stop', index };
  }
  yield { type: 'message_delta', delta: { stop_reason: call === undefined ? 'end_turn' : 'tool_use', stop_sequence: null }, usage };
  yield { type: 'message_stop' };
}

function* openai({ text, call }: Say, model: string): Generator<Event> {
  const response = { id: idOf('resp'), object: 'response', model, output: [] };
  yield { type: 'response.created', response: { ...response, status: 'in_progress' } };
  const items: object[] = [];
  if (text !== undefined) items.push({ type: 'message', id: idOf('msg'), role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] });
  if (call !== undefined) items.push({ type: 'function_call', id: idOf('fc'), call_id: idOf('call'), name: call.name, arguments: JSON.stringify(call.input) });
  for (const [output_index, item] of items.entries()) {
    yield { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress' } };
    yield { type: 'response.output_item.done', output_index, item: { ...item, status: 'completed' } };
  }
  const usage = { input_tokens: 10, input_tokens_details: { cached_tokens: 0 }, output_tokens: 5, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 15 };
  yield { type: 'response.completed', response: { ...response, status: 'completed', usage } };
}

/**
 * Makes Claude Code transcripts: the record types, fields and sizes that the client writes in a long coding
 * session (prompts, thinking, text and tool calls as records of their own, results with their structured copy,
 * attachments, session state), the same bytes for the same seed and size.
 */
import fs from 'node:fs';
import { Random, Words } from './words.ts';

type Fields = Record<string, unknown>;

const START = Date.UTC(2026, 10, 30, 7, 45);
const CWD = '/srv/work/shop';

export class Transcript {
  readonly session: string;
  readonly #random: Random;
  readonly #words: Words;
  /** Records of the prompt that is being worked on, not yet asked for. */
  #waiting: string[] = [];
  #parent: string | null = null;
  #clock = START;
  #prompts = 0;

  constructor(seed = 1) {
    this.#random = new Random(seed);
    this.#words = new Words(this.#random);
    this.session = this.#random.uuid();
  }

  /** Appends whole records until the file holds at least `bytes`; gives how many there are now. */
  growTo(file: string, bytes: number): number {
    const fd = fs.openSync(file, 'a', 0o600);
    try {
      let size = fs.fstatSync(fd).size;
      let records = 0;
      while (size < bytes) {
        const lines: string[] = [];
        let length = 0;
        while (size + length < bytes && length < 1 << 20) {
          const line = this.#next();
          lines.push(line);
          length += Buffer.byteLength(line);
        }
        fs.writeSync(fd, lines.join(''));
        size += length;
        records += lines.length;
      }
      return records;
    } finally {
      fs.closeSync(fd);
    }
  }

  append(file: string, records: number): void {
    fs.appendFileSync(file, Array.from({ length: records }, () => this.#next()).join(''));
  }

  #next(): string {
    while (this.#waiting.length === 0) this.#prompt();
    return this.#waiting.shift() as string;
  }

  #push(record: Fields): void {
    this.#waiting.push(`${JSON.stringify(record)}\n`);
  }

  /** A record of the chain: it hangs on the one before. */
  #chain(record: Fields): string {
    const random = this.#random;
    const uuid = random.uuid();
    this.#clock += random.between(5, 9000);
    this.#push({
      parentUuid: this.#parent, isSidechain: false, ...record, uuid, timestamp: new Date(this.#clock).toISOString(),
      userType: 'external', entrypoint: 'cli', cwd: CWD, sessionId: this.session, version: '2.1.332', gitBranch: 'main',
    });
    this.#parent = uuid;
    return uuid;
  }

  #prompt(): void {
    const random = this.#random;
    const words = this.#words;
    const promptId = random.uuid();
    const text = random.chance(850) ? words.prose(random.between(30, 400)) : words.prose(random.between(1000, 6000));
    this.#push({ type: 'mode', mode: 'normal', sessionId: this.session });
    this.#push({
      type: 'file-history-snapshot', messageId: random.uuid(), isSnapshotUpdate: false,
      snapshot: { messageId: random.uuid(), trackedFileBackups: {}, timestamp: new Date(this.#clock).toISOString() },
    });
    this.#chain({
      promptId, type: 'user', message: { role: 'user', content: text }, permissionMode: 'default', promptSource: 'typed',
      sentAtMs: this.#clock, rowSource: 'local', turnOrigin: 'human', turnPosition: { promptIndex: this.#prompts, turnIndex: 1 },
    });
    if (this.#prompts++ === 0 || random.chance(120)) this.#attachment();
    for (let steps = random.between(3, 22); steps > 0; steps--) this.#step(promptId);
    this.#message([{ type: 'text', text: words.prose(random.between(200, 2500)) }], 'end_turn');
    this.#push({ type: 'last-prompt', lastPrompt: text.slice(0, 200), leafUuid: this.#parent, sessionId: this.session });
  }

  #attachment(): void {
    const content = this.#words.prose(this.#random.between(300, 3000));
    this.#chain({ attachment: { type: 'task_reminder', content, itemCount: 3 }, type: 'attachment', rendered: [{ content: `<system-reminder>\n${content}\n</system-reminder>` }], renderedRole: 'system' });
  }

  /** One message of the model: some of thinking, text and calls, each a record, then the results. */
  #step(promptId: string): void {
    const random = this.#random;
    const words = this.#words;
    const blocks: Fields[] = [];
    if (random.chance(300)) blocks.push({ type: 'thinking', thinking: words.prose(random.between(60, 1500)), signature: random.id(random.between(200, 900)) });
    if (random.chance(450)) blocks.push({ type: 'text', text: words.prose(random.between(40, 700)) });
    const calls = Array.from({ length: random.chance(250) ? random.between(2, 3) : 1 }, () => this.#call());
    const from = this.#message([...blocks, ...calls.map((call) => call.block)], 'tool_use');
    for (const call of calls) {
      const block = { tool_use_id: call.block.id, type: 'tool_result', content: call.content, ...(call.failed ? { is_error: true } : {}) };
      this.#chain({
        promptId, type: 'user', message: { role: 'user', content: [block] }, toolUseResult: call.failed ? `Error: ${call.content}` : call.structured,
        sourceToolAssistantUUID: from, permissionDecision: { decision: 'accept', source: 'config', reasonType: 'mode' },
      });
    }
  }

  #message(blocks: Fields[], stop: string): string {
    const random = this.#random;
    const id = `msg_01${random.id(22)}`;
    const requestId = `req_011${random.id(21)}`;
    const output = random.between(20, 3000);
    let uuid = '';
    blocks.forEach((block, at) => {
      uuid = this.#chain({
        message: {
          id, type: 'message', role: 'assistant', model: 'claude-opus-5-5', content: [block], stop_reason: stop, stop_sequence: null,
          usage: {
            input_tokens: 8, cache_creation_input_tokens: 1048, cache_read_input_tokens: 11597 + this.#prompts, output_tokens: output,
            server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 }, service_tier: 'standard',
            cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 1048 }, inference_geo: '', iterations: [], speed: 'standard',
          },
          stop_details: null,
        },
        apiBlockIndex: at, requestId, requestedModel: 'claude-opus-5-5', type: 'assistant', effort: 'medium', madeBy: 'model',
      });
    });
    return uuid;
  }

  #call(): { block: Fields; content: string; structured: unknown; failed: boolean } {
    const random = this.#random;
    const words = this.#words;
    const file = `${CWD}/src/${words.word()}/${words.word()}.ts`;
    const use = (name: string, input: Fields): Fields => ({ type: 'tool_use', id: `toolu_01${random.id(22)}`, name, input });
    const kind = random.between(0, 99);
    if (kind < 40) {
      const output = words.output(this.#outputSize());
      const failed = random.chance(90);
      return {
        block: use('Bash', { command: `npx vitest run ${words.word()} 2>&1 | tail -${random.between(5, 60)}`, description: 'Run the tests' }),
        content: failed ? `Exit code 1\n${output}` : output, structured: { stdout: output, stderr: '', interrupted: false, isImage: false, noOutputExpected: false }, failed,
      };
    }
    if (kind < 70) {
      const text = words.code(this.#outputSize());
      const content = text.split('\n').map((line, at) => `${at + 1}\t${line}`).join('\n');
      return { block: use('Read', { file_path: file }), content, structured: { type: 'text', file: { filePath: file, content: text, numLines: 1, startLine: 1, totalLines: 1 } }, failed: false };
    }
    if (kind < 88) {
      const before = words.code(random.between(60, 1200));
      const after = words.code(random.between(60, 1500));
      const patch = [{ oldStart: 18, oldLines: 9, newStart: 18, newLines: 8, lines: [...before.split('\n').map((l) => `-${l}`), ...after.split('\n').map((l) => `+${l}`)] }];
      return {
        block: use('Edit', { replace_all: false, file_path: file, old_string: before, new_string: after }), content: `The file ${file} has been updated successfully.`,
        structured: { filePath: file, oldString: before, newString: after, originalFile: words.code(random.between(500, 4000)), structuredPatch: patch, userModified: false, replaceAll: false }, failed: false,
      };
    }
    const found = words.output(random.between(100, 2000));
    return { block: use('Grep', { pattern: words.word(), path: `${CWD}/src`, output_mode: 'content' }), content: found, structured: { mode: 'content', numFiles: 3, filenames: [file], content: found, numLines: 40 }, failed: false };
  }

  /** Most results are short, a few fill the window: 50 to 200 KB as one line. */
  #outputSize(): number {
    const random = this.#random;
    const share = random.between(0, 999);
    if (share < 700) return random.between(40, 900);
    if (share < 950) return random.between(900, 4000);
    if (share < 998) return random.between(4000, 20_000);
    return random.between(50_000, 200_000);
  }
}

/** Writes a new transcript of at least `bytes`; what it gives can make the file grow. */
export function makeTranscript(file: string, bytes: number, seed = 1): Transcript {
  fs.rmSync(file, { force: true });
  const transcript = new Transcript(seed);
  transcript.growTo(file, bytes);
  return transcript;
}

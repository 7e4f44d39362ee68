/**
 * A headless Chromium, driven over its pipe with what Node has: messages of its DevTools protocol, each ended by a NUL.
 * It gets a folder of its own for its profile, and no network.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { freshFolder } from './run.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const FLAGS = `--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update
  --disable-sync --disable-dev-shm-usage --hide-scrollbars --remote-debugging-pipe`.split(/\s+/);
const ANSWER_MS = 60_000;

/** The browser's name on this machine, or undefined where there is none. */
export function chromium(): string | undefined {
  return NAMES.find((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);
}

interface Message { id?: number; method?: string; params?: Record<string, unknown>; result?: Record<string, unknown>; error?: { message: string } }

export interface Page {
  send(method: string, params?: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** What `expression` comes to in the page, as plain data; a promise is waited for. Throws what it throws. */
  evaluate<T>(expression: string): Promise<T>;
  /** Opens the file, or goes to it again. Waits until it is loaded. */
  open(url: string): Promise<void>;
  size(width: number, height?: number): Promise<void>;
  scheme(name: 'light' | 'dark'): Promise<void>;
  key(key: string, text?: string): Promise<void>;
  screenshot(): Promise<Buffer>;
  /** Messages of the console, of the log (what a policy blocked stands there), exceptions and dialogs, since the last call. */
  talk(): string[];
  /** URLs that were asked for since the last call. */
  requests(): string[];
}

export interface Browser {
  page: Page;
  close(): Promise<void>;
}

export async function openBrowser(name: string): Promise<Browser> {
  const profile = freshFolder('handoff-chromium-');
  const child = spawn(name, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true });
  const wire = createWire(child);
  const { targetInfos } = await wire.send('Target.getTargets') as { targetInfos: { type: string; targetId: string }[] };
  const target = targetInfos.find(({ type }) => type === 'page')?.targetId ?? ((await wire.send('Target.createTarget', { url: 'about:blank' }))['targetId'] as string);
  const { sessionId } = await wire.send('Target.attachToTarget', { targetId: target, flatten: true }) as { sessionId: string };
  const page = await createPage(wire, sessionId);
  return {
    page,
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      // With its group: processes of its own would go on writing into the profile.
      process.kill(-(child.pid as number), 'SIGKILL');
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

interface Wire {
  send(method: string, params?: Record<string, unknown>, sessionId?: string): Promise<Record<string, unknown>>;
  listeners: ((method: string, params: Record<string, unknown>) => void)[];
}

function createWire(child: ChildProcess): Wire {
  const to = child.stdio[3] as Writable;
  const from = child.stdio[4] as Readable;
  const waiting = new Map<number, { resolve: (value: Record<string, unknown>) => void; reject: (error: Error) => void }>();
  const wire: Wire = {
    listeners: [],
    send(method, params = {}, sessionId) {
      const id = ++last;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`Chromium did not answer ${method}`)), ANSWER_MS);
        waiting.set(id, {
          resolve: (value) => { clearTimeout(timer); resolve(value); },
          reject: (error) => { clearTimeout(timer); reject(error); },
        });
        to.write(`${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`);
      });
    },
  };
  let last = 0;
  let pieces: Buffer[] = [];
  from.on('data', (piece: Buffer) => {
    for (let end = piece.indexOf(0); end >= 0; end = piece.indexOf(0)) {
      const text = Buffer.concat([...pieces, piece.subarray(0, end)]).toString('utf8');
      pieces = [];
      piece = piece.subarray(end + 1);
      take(JSON.parse(text) as Message);
    }
    pieces.push(piece);
  });
  const fail = () => {
    for (const { reject } of waiting.values()) reject(new Error('Chromium ended'));
  };
  child.on('exit', fail);
  child.on('error', fail);
  to.on('error', () => {});

  function take({ id, method, params = {}, result = {}, error }: Message): void {
    if (id === undefined) {
      for (const listener of wire.listeners) listener(method ?? '', params);
      return;
    }
    const call = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) call?.resolve(result);
    else call?.reject(new Error(error.message));
  }
  return wire;
}

const KEYS: Record<string, number> = { Tab: 9, Enter: 13, Escape: 27 };

async function createPage(wire: Wire, sessionId: string): Promise<Page> {
  const send: Page['send'] = (method, params) => wire.send(method, params, sessionId);
  let talk: string[] = [];
  let requests: string[] = [];
  let loaded = () => {};
  wire.listeners.push((method, params) => {
    if (method === 'Page.loadEventFired') loaded();
    else if (method === 'Network.requestWillBeSent') requests.push((params['request'] as { url: string }).url);
    else if (method === 'Page.javascriptDialogOpening') {
      talk.push(`dialog: ${String(params['message'])}`);
      void send('Page.handleJavaScriptDialog', { accept: false });
    } else if (['Runtime.consoleAPICalled', 'Runtime.exceptionThrown', 'Log.entryAdded'].includes(method)) talk.push(`${method}: ${JSON.stringify(params).slice(0, 600)}`);
  });
  for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await send(`${domain}.enable`);

  return {
    send,
    async evaluate<T>(expression: string) {
      const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true }) as { result: { value: T }; exceptionDetails?: { text: string; exception?: { description?: string } } };
      if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    },
    async open(url) {
      const done = new Promise<void>((resolve) => { loaded = resolve; });
      await send('Page.navigate', { url });
      await done;
    },
    async size(width, height = 900) {
      await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    },
    async scheme(name) {
      await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: name }] });
    },
    async key(key, text) {
      const which = { key, code: key, windowsVirtualKeyCode: KEYS[key] ?? key.toUpperCase().charCodeAt(0), ...(text === undefined ? {} : { text }) };
      await send('Input.dispatchKeyEvent', { type: text === undefined ? 'rawKeyDown' : 'keyDown', ...which });
      await send('Input.dispatchKeyEvent', { type: 'keyUp', ...which });
    },
    async screenshot() {
      return Buffer.from((await send('Page.captureScreenshot', { format: 'png' }))['data'] as string, 'base64');
    },
    talk: () => talk.splice(0),
    requests: () => requests.splice(0),
  };
}

/**
 * One GET, in bounded time and into bounded memory. It stays on the protocol that it began with, sends no name and no
 * password, and takes no answer for whole that is not.
 */
import http from 'node:http';
import https from 'node:https';
import { HandoffError } from '../lib/errors.mts';
import { VERSION } from '../lib/version.mts';

export interface DownloadLimits {
  /** The most that an answer may hold. */
  bytes: number;
  /** Time without a byte, and for everything, in ms. */
  idleMs: number;
  totalMs: number;
}

const MOST_REDIRECTS = 5;

/** What a server answered: its body, or the status that says why there is none. */
export type Answer = { status: 200; bytes: Buffer } | { status: number; bytes?: undefined };

/** Throws HandoffError IO where there is no answer, or none within the limits. */
export async function download(url: URL, limits: DownloadLimits, accept = '*/*'): Promise<Answer> {
  const until = Date.now() + limits.totalMs;
  let at = url;
  for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
    const answer = await get(at, limits, until, accept);
    if (!('location' in answer)) return answer;
    at = targetOf(answer.location, at);
  }
  throw failed(url, `it sends from place to place more than ${MOST_REDIRECTS} times`);
}

/** Where `to` leads from `from`. A registry that is asked over TLS must not lead to one that is not. */
export function targetOf(to: string, from: URL): URL {
  let target: URL;
  try {
    target = new URL(to, from);
  } catch (cause) {
    throw failed(from, `it names "${to}", which is no address`, cause);
  }
  if (target.protocol !== from.protocol) throw failed(from, `it leads to ${target.protocol}//${target.host}, and only ${from.protocol} is followed`);
  if (target.username !== '' || target.password !== '') throw failed(from, 'it leads to an address with a name in it');
  return target;
}

function get(url: URL, limits: DownloadLimits, until: number, accept: string): Promise<Answer | { location: string }> {
  return new Promise((resolve, reject) => {
    const fail = (why: string, cause?: unknown): void => {
      clearTimeout(timer);
      reject(failed(url, why, cause));
      request.destroy();
    };
    const timer = setTimeout(() => fail(`it did not answer within ${Math.ceil(limits.totalMs / 1000)} s`), Math.max(1, until - Date.now()));
    const headers = { accept, 'accept-encoding': 'identity', 'user-agent': `agents-handoff/${VERSION}` };
    const request = (url.protocol === 'https:' ? https : http).get(url, { agent: false, headers }, (response) => {
      const status = response.statusCode ?? 0;
      const { location } = response.headers;
      const done = (answer: Answer | { location: string }): void => {
        clearTimeout(timer);
        resolve(answer);
        request.destroy();
      };
      if ([301, 302, 303, 307, 308].includes(status) && location !== undefined) return done({ location });
      if (status !== 200) return done({ status });
      const encoding = response.headers['content-encoding'] ?? 'identity';
      if (encoding !== 'identity') return fail(`it answered in the encoding ${encoding}, which was not asked for`);
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > limits.bytes) return fail(`it sends more than ${limits.bytes} bytes`);
        chunks.push(chunk);
      });
      // An answer that ends before its announced length comes as an error, not as an end.
      response.on('error', (cause) => fail(`its answer broke off (${cause.message})`, cause));
      response.on('end', () => done({ status: 200, bytes: Buffer.concat(chunks) }));
    });
    request.setTimeout(limits.idleMs, () => fail(`it was silent for ${Math.ceil(limits.idleMs / 1000)} s`));
    request.on('error', (cause) => fail(messageOf(cause), cause));
  });
}

/** A host with several addresses fails with an error for each and no message of its own. */
function messageOf(error: Error): string {
  // Between a company's network and the rest a certificate of its own often stands, of which npm was told and Node was not.
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (/CERT|^UNABLE_TO_/.test(code)) return `${error.message}; where that certificate is to be trusted, NODE_EXTRA_CA_CERTS=<file> says so`;
  return error.message || (error instanceof AggregateError ? (error.errors as Error[]).map(({ message }) => message).join('; ') : error.name);
}

function failed(url: URL, why: string, cause?: unknown): HandoffError {
  return new HandoffError('IO', `${url.origin} could not be asked: ${why}`, { cause, data: { url: url.href } });
}

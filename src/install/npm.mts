/** Which registry npm would ask. npm is put the question, so that this program opens no file in which npm keeps passwords. */
import { execFileSync } from 'node:child_process';
import { platform } from 'node:os';
import { HandoffError } from '../lib/errors.mts';

const TIMEOUT_MS = 30_000;
const QUESTION = ['config', 'get', 'registry'];

/**
 * The registry's address, with a slash at its end: `flag` where it is given, else what `npm config get registry` prints.
 * Throws HandoffError USAGE for a flag that is no address, SOURCE where npm has no answer.
 */
export function npmRegistry(flag?: string): string {
  if (flag !== undefined) return addressOf(flag, (why) => new HandoffError('USAGE', `--registry ${why}`));
  const noRegistry = (why: string, cause?: unknown): HandoffError =>
    new HandoffError('SOURCE', `npm ${why}, so no registry is known: name one with --registry <url>`, { cause });
  return addressOf(ask(noRegistry), (why) => noRegistry(`has a registry that ${why}`));
}

function ask(noRegistry: (why: string, cause: unknown) => HandoffError): string {
  // On Windows npm is a script for its shell; the words are fixed, so the shell has nothing to misread.
  const [program, args] = platform() === 'win32' ? ['cmd.exe', ['/d', '/s', '/c', `npm ${QUESTION.join(' ')}`]] as const : ['npm', QUESTION] as const;
  try {
    return execFileSync(program, args, { encoding: 'utf8', timeout: TIMEOUT_MS, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 16 }).trim();
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw noRegistry(missing ? 'is not on the PATH' : 'did not answer "npm config get registry"', cause);
  }
}

function addressOf(text: string, refused: (why: string) => HandoffError): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw refused(`is no address: "${text}"`);
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refused(`is neither https nor http: "${text}"`);
  if (url.username !== '' || url.password !== '') throw refused('has a name or a password in its address, and none is sent from here');
  url.search = '';
  url.hash = '';
  return url.href.endsWith('/') ? url.href : `${url.href}/`;
}

/** What a command does to the disk, with the bytes that it writes: the trace that disk.ts does again. */
import path from 'node:path';
import { trace, type Child } from '../helpers/strace.ts';
import type { DiskCall } from './disk.ts';

const CALLS = ['open', 'openat', 'creat', 'write', 'pwrite64', 'writev', 'pwritev', 'rename', 'renameat', 'renameat2', 'link', 'linkat', 'unlink', 'unlinkat', 'mkdir', 'mkdirat',
  'rmdir', 'symlink', 'symlinkat', 'ftruncate', 'truncate', 'fallocate', 'fsync', 'fdatasync', 'copy_file_range', 'sendfile'];
const UNFINISHED = ' <unfinished ...>';

/** Runs the command undisturbed; its calls on the store that worked, in order. Throws where it does not exit 0. */
export function diskCalls(child: Child): DiskCall[] {
  const run = trace(child, ['-f', '-xx', '-s', String(1 << 26), '-e', `trace=${CALLS.map((name) => `?${name}`).join(',')}`]);
  if (run.status !== 0) throw new Error(`an undisturbed run ended with ${run.status ?? run.signal}: ${run.stderr}`);
  const lines = run.log.map((line) => /^(\d+) +(.*)$/.exec(line)).flatMap((parts) => (parts === null ? [] : [{ thread: parts[1]!, line: parts[2]! }]));
  const calls: DiskCall[] = [];
  const begun = new Map<string, string>();
  for (const [at, { thread, line }] of lines.entries()) {
    const resumed = /^<\.\.\. (\w+) resumed>(.*)$/.exec(line);
    if (resumed !== null) {
      // Only what a sync does counts from its end; the other calls were taken where they began.
      const whole = `${begun.get(thread) ?? ''}${resumed[2]}`;
      if (/^f(data)?sync$/.test(resumed[1]!)) calls.push(...callOf(thread, whole, child));
    } else if (!line.endsWith(UNFINISHED)) calls.push(...callOf(thread, line, child));
    else {
      const start = line.slice(0, -UNFINISHED.length);
      begun.set(thread, start);
      const end = lines.slice(at + 1).find((later) => later.thread === thread)?.line.replace(/^<\.\.\. \w+ resumed>/, '') ?? '';
      const found = callOf(thread, start + end, child);
      calls.push(...(/^f(data)?sync\(/.test(line) ? found.map((call) => ({ ...call, begins: true as const })) : found));
    }
  }
  return calls;
}

/** None where the call failed, or has nothing to do with the store. */
function callOf(thread: string, line: string, { store, cwd }: Child): DiskCall[] {
  const [, name = '', given = '', answer = ''] = /^(\w+)\((.*)\) += (\S+)/s.exec(line) ?? [];
  if (name === '' || answer.startsWith('-')) return [];
  if (/^open/.test(name) && !/O_CREAT|O_TRUNC/.test(given)) return [];
  const isWrite = /write/.test(name);
  const texts = [...given.matchAll(/"([^"]*)"|\d+<([^>]*)>/g)].map(([, text, descriptor]) => ({ bytes: decoded(text ?? descriptor ?? ''), quoted: text !== undefined }));
  const paths = texts.filter(({ quoted }) => !(quoted && isWrite)).map(({ bytes }) => path.resolve(cwd, bytes.toString('utf8')));
  const ours = paths.filter((one) => one === store || one.startsWith(`${store}/`));
  if (ours.length === 0) return [];
  if (ours.length !== paths.length) throw new Error(`${name} goes over the edge of the store: ${paths.join(' ')}`);
  const numbers = given.replace(/"[^"]*"|<[^>]*>/g, '').split(', ').map(Number);
  const at = name === 'pwrite64' || name === 'ftruncate' ? { at: numbers.at(-1)! } : {};
  return [{ name, paths, thread, flags: /O_[A-Z_|]+/.exec(given)?.[0] ?? '', ...at, ...(isWrite ? { data: texts.find(({ quoted }) => quoted)!.bytes.subarray(0, Number(answer)) } : {}) }];
}

/** `\x41\x42`: so strace writes every string with -xx. */
function decoded(hex: string): Buffer {
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex');
}

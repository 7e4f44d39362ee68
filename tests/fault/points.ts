/** Where a command is struck and by what, and how the points are tried one after the other. */
import { hasFixedPath, type Call } from '../helpers/strace.ts';
import { record } from './record.ts';

export type Fault = { kind: 'kill' } | { kind: 'error'; errno: string; lasting: boolean };

export interface Point {
  call: Call;
  /** Its place among the calls of an undisturbed run. */
  at: number;
  fault: Fault;
}

export interface Held {
  /** What the struck command did: `killed`, `exit 0`, `exit 1`. */
  ended: string;
  /** What was not as promised; empty where all held. */
  problems: string[];
}

/** The errors that a file system gives for a call; each is tried alone. */
const ERRORS: Record<string, readonly string[]> = {
  open: ['ENOSPC', 'EACCES', 'EMFILE'], openat: ['ENOSPC', 'EACCES', 'EMFILE'], mkdir: ['ENOSPC', 'EACCES'], write: ['ENOSPC', 'EIO'], pwrite64: ['ENOSPC', 'EIO'], writev: ['ENOSPC', 'EIO'],
  copy_file_range: ['ENOSPC', 'EIO'], fsync: ['EIO'], fdatasync: ['EIO'], rename: ['EACCES', 'EIO'], link: ['EACCES', 'ENOSPC'], unlink: ['EACCES'], rmdir: ['EACCES'], ftruncate: ['EIO'],
};
/** Calls whose names the program's start does not use: they may go on failing, and the undo meets the same fault. */
const LASTING = new Set(['fsync', 'fdatasync', 'rename', 'unlink', 'ftruncate']);

/** A call of another thread can be struck only where the main one does not come to that number first. */
export const killPoints = (calls: readonly Call[]): Point[] => calls.flatMap((call, at) => (call.off && !call.alone ? [] : [{ call, at, fault: { kind: 'kill' } }]));

/** A process that may open no more files is refused also where it only reads. */
export const openPoints = (reads: readonly Call[]): Point[] => reads.map((call, at) => ({ call, at, fault: { kind: 'error', errno: 'EMFILE', lasting: false } }));

export function errorPoints(calls: readonly Call[]): Point[] {
  return calls.flatMap((call, at) => {
    const isSync = /^f(data)?sync$/.test(call.name);
    if (call.off && !call.alone && !(isSync && (call.first || hasFixedPath(call)))) return [];
    const errors = ERRORS[call.name] ?? ['EIO'];
    const once = errors.map((errno): Point => ({ call, at, fault: { kind: 'error', errno, lasting: false } }));
    return LASTING.has(call.name) ? [...once, { call, at, fault: { kind: 'error', errno: errors[0]!, lasting: true } } satisfies Point] : once;
  });
}

/** The class of the fault, for the table. */
export const kindOf = ({ fault }: Point): string => (fault.kind === 'kill' ? 'killed' : fault.errno);

export function describePoint(point: Point): string {
  const what = point.fault.kind === 'kill' ? 'killed at' : `${point.fault.errno}${point.fault.lasting ? ' from' : ' at'}`;
  return `${what} ${point.call.name} #${point.at + 1} ${point.call.where}${point.call.off ? ' (beside)' : ''}`;
}

/** What can be struck again and again. */
export interface Struck {
  readonly scenario: { readonly name: string };
  readonly calls: readonly Call[];
  try(point: Point): Held;
}

/** A problem of the trial itself. Each costs all its tries: where the count was disturbed, the rest would take hours to say the same. */
export const MISSED = 'the fault struck another call';
const MOST_MISSED = 3;

/** Tries points one after the other; a line of figures for people, and every promise that was broken. */
export function tryAll(scene: Struck, points: readonly Point[]): { figures: string; broken: string[] } {
  const ends = new Map<string, number>();
  const broken: string[] = [];
  let held = 0;
  let missed = 0;
  for (const point of points) {
    const { ended, problems } = scene.try(point);
    if (problems.includes(MISSED)) missed++;
    record({ scenario: scene.scenario.name, kind: kindOf(point), points: 1, held: problems.length === 0 ? 1 : 0 });
    ends.set(ended, (ends.get(ended) ?? 0) + 1);
    if (problems.length === 0) held++;
    else broken.push(`${describePoint(point)}: ${ended}; ${problems.join('; ')}`);
    if (missed < MOST_MISSED) continue;
    broken.push(`the rest was not tried: ${missed} strikes missed, so the calls are not those that were counted first`);
    break;
  }
  const seen = [...ends].sort().map(([ended, count]) => `${count} ${ended}`).join(', ');
  return { figures: `${scene.scenario.name}: ${scene.calls.length} calls, ${points.length} points: ${seen}; ${held} held`, broken };
}

/**
 * A disk that loses power. The calls of a command that ran undisturbed are done again in a model, which keeps apart what
 * was written and what was made durable: a file's bytes are safe from the moment a sync of it has returned, a name from
 * the moment a sync of its folder has. Everything else may be there after the cut, or not, in any combination: so is a
 * disk allowed to behave, and a journal that keeps an order only makes fewer of these states.
 * A rename happens as a whole or not at all, also between two folders.
 */
import fs from 'node:fs';
import path from 'node:path';

/** One system call that has returned without an error; `data` is what a write wrote. */
export interface DiskCall {
  name: string;
  /** Absolute, in the order of the arguments; a descriptor stands with the path that it had. */
  paths: readonly string[];
  flags: string;
  data?: Buffer;
  /** Where `pwrite64` wrote; the length that `ftruncate` gave. */
  at?: number;
  /** True on the line where a sync begins; what it makes safe is safe when the line without it comes. */
  begins?: true;
  thread: string;
}

interface File { kind: 'file'; now: Buffer; safe: Buffer }
interface Folder { kind: 'folder'; now: Map<string, Node>; safe: Map<string, Node> }
type Node = File | Folder;
interface NameChange { folder: Folder; name: string; node: Node | undefined }

/** Everything below the root after a cut: files with their bytes, folders with a `/` behind them. */
export type After = ReadonlyMap<string, Buffer | undefined>;

export interface Cut {
  /** Which state this is of those that are possible at this point. */
  what: string;
  after: After;
}

const PAGE = 4096;

/** What becomes of bytes that were written and not synced. */
const DATA: Record<string, (file: File) => Buffer> = {
  'all bytes': ({ now }) => now,
  'no bytes': ({ safe }) => safe,
  'half of the bytes': ({ safe, now }) => now.subarray(0, common(safe, now) + ((now.length - common(safe, now)) >> 1)),
  'whole pages': ({ safe, now }) => now.subarray(0, Math.max(common(safe, now), now.length - (now.length % PAGE))),
  'zeros for bytes': ({ safe, now }) => Buffer.concat([now.subarray(0, common(safe, now))], now.length),
};

/** Where two contents part. */
function common(a: Buffer, b: Buffer): number {
  const most = Math.min(a.length, b.length);
  for (let at = 0; at < most; at++) if (a[at] !== b[at]) return at;
  return most;
}

export class Disk {
  readonly #root: Folder;
  readonly #at: string;
  #pending: NameChange[][] = [];
  readonly #begun = new Map<string, Buffer>();

  /** What lies in the folder `root` now is safe. */
  constructor(root: string) {
    this.#at = root;
    this.#root = load(root);
  }

  do(call: DiskCall): void {
    const [first = '', second = ''] = call.paths;
    const { name } = call;
    if (/^open|^creat$/.test(name)) this.#open(call);
    else if (/^p?write/.test(name)) this.#write(first, call);
    else if (name === 'ftruncate') this.#change(first, (now) => Buffer.concat([now.subarray(0, call.at)], call.at));
    else if (name === 'copy_file_range') this.#write(second, { data: this.#file(first).now });
    else if (name === 'fsync' || name === 'fdatasync') this.#sync(call);
    else if (name === 'mkdir') this.#names([[first, { kind: 'folder', now: new Map(), safe: new Map() }]]);
    else if (name === 'rmdir' || name === 'unlink') this.#names([[first, undefined]]);
    else if (name === 'link') this.#names([[second, this.#find(first)]]);
    else if (name === 'rename') this.#names([[first, undefined], [second, this.#find(first)]]);
    else throw new Error(`the model of a disk has no ${name} (${call.paths.join(' ')})`);
  }

  #open({ paths, flags }: DiskCall): void {
    const file = paths.at(-1)!;
    if (this.#find(file) === undefined) this.#names([[file, { kind: 'file', now: Buffer.alloc(0), safe: Buffer.alloc(0) }]]);
    else if (flags.includes('O_TRUNC')) this.#change(file, () => Buffer.alloc(0));
  }

  /** Every writer here appends, or writes a new file from its beginning; else the place is in the call. `differences` tells where not. */
  #write(file: string, { data = Buffer.alloc(0), at }: Pick<DiskCall, 'data' | 'at'>): void {
    this.#change(file, (now) => {
      const from = at ?? now.length;
      return Buffer.concat([now.subarray(0, from), Buffer.alloc(Math.max(0, from - now.length)), data, now.subarray(from + data.length)]);
    });
  }

  #change(file: string, next: (now: Buffer) => Buffer): void {
    const node = this.#file(file);
    node.now = next(node.now);
  }

  #sync({ paths, thread, begins }: DiskCall): void {
    const node = this.#find(paths[0]!);
    if (node === undefined) return;
    if (node.kind === 'file') {
      if (begins) this.#begun.set(thread, node.now);
      else node.safe = this.#begun.get(thread) ?? node.now;
      if (!begins) this.#begun.delete(thread);
    } else if (!begins) {
      for (const changes of this.#pending) if (touches(changes, node)) for (const { folder, name, node: to } of changes) put(folder.safe, name, to);
      this.#pending = this.#pending.filter((changes) => !touches(changes, node));
    }
  }

  #names(changes: [string, Node | undefined][]): void {
    const made = changes.map(([file, node]): NameChange => ({ folder: this.#find(path.dirname(file)) as Folder, name: path.basename(file), node }));
    for (const { folder, name, node } of made) put(folder.now, name, node);
    this.#pending.push(made);
  }

  #find(file: string): Node | undefined {
    return path.relative(this.#at, file).split('/').filter(Boolean).reduce<Node | undefined>((at, name) => (at?.kind === 'folder' ? at.now.get(name) : undefined), this.#root);
  }

  #file(file: string): File {
    const node = this.#find(file);
    if (node?.kind !== 'file') throw new Error(`${file} was written and never opened`);
    return node;
  }

  /** Files whose bytes or names are not those below `root`: the model has then missed something. */
  differences(): string[] {
    const model = this.#after(new Set(this.#pending.keys()), ({ now }) => now);
    const real = new Disk(this.#at).#after(new Set(), ({ now }) => now);
    const names = new Set([...model.keys(), ...real.keys()]);
    return [...names].filter((name) => model.has(name) !== real.has(name) || model.get(name)?.equals(real.get(name)!) === false);
  }

  /** The states that the disk may be in if the power went now. */
  cuts(): Cut[] {
    const many = this.#pending.length;
    const every = this.#pending.map((_, at) => at);
    const names = new Map<string, number[]>([['all names', every], ['no names', []], ['the older names', every.slice(0, many >> 1)]]);
    for (const at of every.slice(-12)) {
      const { name } = this.#pending[at]!.at(-1)!;
      names.set(`change ${at + 1} (${name}) alone`, [at]);
      names.set(`all names without change ${at + 1} (${name})`, every.filter((one) => one !== at));
    }
    return [...names].flatMap(([which, chosen]) => Object.entries(DATA).map(([data, bytes]) => ({ what: `${which}, ${data}`, after: this.#after(new Set(chosen), bytes) })));
  }

  #after(chosen: ReadonlySet<number>, bytes: (file: File) => Buffer): After {
    const names = new Map<Folder, Map<string, Node>>();
    const namesOf = (folder: Folder): Map<string, Node> => {
      const known = names.get(folder) ?? new Map(folder.safe);
      names.set(folder, known);
      return known;
    };
    this.#pending.forEach((changes, at) => {
      if (chosen.has(at)) for (const { folder, name, node } of changes) put(namesOf(folder), name, node);
    });
    const after = new Map<string, Buffer | undefined>();
    const walk = (folder: Folder, at: string): void => {
      for (const [name, node] of namesOf(folder)) {
        if (node.kind === 'file') after.set(at + name, bytes(node));
        else walk(node, `${at}${name}/`);
        if (node.kind === 'folder') after.set(`${at}${name}/`, undefined);
      }
    };
    walk(this.#root, '');
    return after;
  }
}

const touches = (changes: readonly NameChange[], node: Folder): boolean => changes.some(({ folder }) => folder === node);

function put(names: Map<string, Node>, name: string, node: Node | undefined): void {
  if (node === undefined) names.delete(name);
  else names.set(name, node);
}

function load(dir: string): Folder {
  const names = new Map<string, Node>();
  for (const entry of fs.existsSync(dir) ? fs.readdirSync(dir, { withFileTypes: true }) : []) {
    const file = path.join(dir, entry.name);
    const bytes = entry.isDirectory() ? undefined : fs.readFileSync(file);
    names.set(entry.name, bytes === undefined ? load(file) : { kind: 'file', now: bytes, safe: bytes });
  }
  return { kind: 'folder', now: names, safe: new Map(names) };
}

/** An hour has passed since the cut: a machine starts slower than a lock ages. */
const SINCE_S = 3600;

/** Puts the state into the folder, in the place of what is there. */
export function writeOut(after: After, root: string): void {
  fs.rmSync(root, { recursive: true, force: true });
  fs.mkdirSync(root, { mode: 0o700 });
  const then = Date.now() / 1000 - SINCE_S;
  for (const [name, bytes] of after) {
    const file = path.join(root, name);
    fs.mkdirSync(bytes === undefined ? file : path.dirname(file), { recursive: true, mode: 0o700 });
    if (bytes === undefined) continue;
    fs.writeFileSync(file, bytes, { mode: 0o600 });
    fs.utimesSync(file, then, then);
  }
}

/** Two stores of one machine that import from each other: each with transcripts of its own. */
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildInto } from './build.ts';
import { sha256, SessionFolder } from './desk.ts';
import { freshFolder, run, type Result } from './run.ts';

export interface Federated {
  ok: boolean;
  action: string;
  dry_run: boolean;
  roots: string[];
  imported: { project: string; session: string; action: string; manifest_sha256?: string; verify?: string }[];
  skipped: number;
  skipped_sessions: { project: string; session: string; reason: string }[];
  failed: { root: string; project?: string; session?: string; code: string; error: string }[];
}

/** Lines of the canonical shape, one a turn, user and agent by turns. */
export function said(session: string, texts: readonly string[]): string {
  return texts.map((text, seq) => `${JSON.stringify({ seq, ts: new Date(Date.UTC(2026, 0, 1, 0, 0, seq)).toISOString(), session, role: seq % 2 === 0 ? 'user' : 'assistant', text })}\n`).join('');
}

export class Store {
  readonly dir: string;
  readonly root: string;

  constructor(dir: string) {
    this.dir = dir;
    this.root = join(dir, 'store');
    mkdirSync(dir, { recursive: true });
  }

  /** Builds the session from a transcript of these texts, kept at one path of this store's own. */
  async capture(session: string, texts: readonly string[], project = 'w'): Promise<SessionFolder> {
    const file = join(this.dir, `${session}.jsonl`);
    writeFileSync(file, said(session, texts));
    const { dir } = await buildInto(this.root, file, { session, ...(this.has(session) ? {} : { project }) }) as { dir: string };
    return new SessionFolder(dir);
  }

  has(session: string): boolean {
    return this.places().some((place) => place.endsWith(`/${session}`));
  }

  places(): string[] {
    try {
      return readdirSync(join(this.root, 'projects'), { recursive: true, encoding: 'utf8' }).filter((name) => /^[^/]+\/[^/]+\/manifest\.json$/.test(name)).map((name) => name.slice(0, -'/manifest.json'.length)).sort();
    } catch {
      return [];
    }
  }

  session(place: string): SessionFolder {
    return new SessionFolder(join(this.root, 'projects', place));
  }

  runtime(...argv: string[]): Result {
    return run('agents-handoff', argv, { cwd: this.dir, env: { HANDOFFS_ROOT: this.root } });
  }

  handoff(...argv: string[]): Result {
    return run('handoff', argv, { cwd: this.dir, env: { HANDOFFS_ROOT: this.root } });
  }

  /** `federated-merge --from` the other's root; with what it said. */
  take(from: Store | string, ...argv: string[]): Federated & { status: number | null; stderr: string } {
    const { status, stdout, stderr } = this.runtime('federated-merge', '--from', typeof from === 'string' ? from : from.root, ...argv);
    if (stdout === '') throw new Error(`federated-merge ended with ${status}: ${stderr}`);
    return { ...JSON.parse(stdout) as Federated, status, stderr };
  }

  /** The hash of every file of the store, without the folder of locks. */
  files(): Record<string, string> {
    const names = readdirSync(this.root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    return Object.fromEntries(names.filter((name) => !name.includes('/.locks/')).sort().map((name) => [name.slice(this.root.length + 1), sha256(readFileSync(name))]));
  }
}

/** A folder with two stores in it. */
export class Pair {
  readonly dir = freshFolder('handoff-stores-');
  readonly a = new Store(join(this.dir, 'a'));
  readonly b = new Store(join(this.dir, 'b'));

  /** Gives the other what this one has now, as a copy of the whole store. */
  copy(from: Store, to: Store): void {
    cpSync(from.root, to.root, { recursive: true });
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

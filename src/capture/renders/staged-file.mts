/** A file that is written from its start, hashed as it goes, and removed again if the work fails. */
import fs from 'node:fs';
import { FILE_MODE, removeQuietly, syncSoon, writeAll, type Pending } from '../../lib/fs/files.mts';
import type { Rollback } from '../../lib/fs/rollback.mts';
import { createTextBuffer } from '../../lib/fs/text-buffer.mts';
import { hasher } from '../../lib/hash-chain.mts';
import { stagedName } from '../../store/layout.mts';

export class StagedFile {
  readonly path: string;
  readonly #fd: number;
  readonly #hash = hasher();
  readonly #text = createTextBuffer((chunk) => this.#put(chunk));
  #at = 0;
  #open = true;
  #synced: Pending | undefined;

  constructor(target: string, token: string, rollback: Rollback) {
    this.path = stagedName(target, token);
    this.#fd = fs.openSync(this.path, 'w', FILE_MODE);
    rollback.push(() => {
      this.#close();
      removeQuietly(this.path);
    });
  }

  text(piece: string): void {
    this.#text.add(piece);
  }

  bytes(chunk: Buffer): void {
    this.#text.flush();
    this.#put(chunk);
  }

  /** SHA-256 of all that was written. */
  digest(): string {
    this.#text.flush();
    return this.#hash.copy().digest('hex');
  }

  /** Overwrites bytes; the hash stays that of what was there. */
  patch(text: string, at: number): void {
    writeAll(this.#fd, Buffer.from(text), at);
    this.#synced = undefined;
  }

  /** Begins to make what was written durable; nothing may be written after it but a patch. */
  syncSoon(): void {
    this.#text.flush();
    this.#synced = syncSoon(this.#fd);
  }

  /** Resolves when the file is durable and closed. */
  async finish(): Promise<void> {
    this.#text.flush();
    await (this.#synced ?? syncSoon(this.#fd));
    this.#close();
  }

  #put(chunk: Buffer): void {
    this.#hash.update(chunk);
    writeAll(this.#fd, chunk, this.#at);
    this.#at += chunk.length;
  }

  #close(): void {
    if (this.#open) fs.closeSync(this.#fd);
    this.#open = false;
  }
}

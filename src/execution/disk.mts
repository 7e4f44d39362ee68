/**
 * The few questions that classification asks of the file system, as a port: tests answer them for systems that they do
 * not run on. Nothing here reads a file's bytes or follows a link on its own.
 */
import fs from 'node:fs';
import { errnoOf } from '../lib/errors.mts';

export type Look = { readonly is: 'missing' } | { readonly is: 'link'; readonly to: string } | { readonly is: 'folder' | 'other' };

export interface Disk {
  /** What is at a path whose parent folders hold no link. Throws where that cannot be told. */
  look(file: string): Look;
  /** The same path in the letters that the file system keeps; as it was where it cannot tell. */
  canonical(file: string): string;
  /** Equal for two names of one file or folder, links not followed; undefined where nothing is there. */
  identity(file: string): string | undefined;
}

export const realDisk: Disk = {
  look(file) {
    try {
      const stat = fs.lstatSync(file);
      if (stat.isSymbolicLink()) return { is: 'link', to: fs.readlinkSync(file) };
      return { is: stat.isDirectory() ? 'folder' : 'other' };
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return { is: 'missing' };
      throw error;
    }
  },
  canonical(file) {
    try {
      return fs.realpathSync.native(file);
    } catch {
      return file;
    }
  },
  identity(file) {
    try {
      const stat = fs.lstatSync(file, { bigint: true, throwIfNoEntry: false });
      return stat === undefined ? undefined : identityOf(stat);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return undefined;
    }
  },
};

/** `device:inode`: the same for every name of one file. */
export function identityOf({ dev, ino }: fs.BigIntStats): string {
  return `${dev}:${ino}`;
}

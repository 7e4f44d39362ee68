/** Links by which further clients find one real copy. */
import fs from 'node:fs';
import { platform } from 'node:os';
import path from 'node:path';
import { HandoffError, errnoOf } from '../lib/errors.mts';
import { makeFolder } from '../lib/fs/files.mts';
import { leadsTo } from './copy.mts';

/**
 * Makes `link` lead to `target`; one that does already is left. False where this system makes no links.
 * `relative`: for a repository, which may be checked out elsewhere.
 */
export function makeLink(link: string, target: string, relative: boolean): boolean {
  if (leadsTo(link, target)) return true;
  makeFolder(path.dirname(link));
  try {
    // A junction needs no right that a Windows user may not have; other systems do not look at the word.
    fs.symlinkSync(relative ? path.relative(fs.realpathSync(path.dirname(link)), target) : target, link, platform() === 'win32' ? 'junction' : 'dir');
    return true;
  } catch (error) {
    if (['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP'].includes(errnoOf(error) ?? '')) return false;
    throw error;
  }
}

/** Takes the link away where it leads to this copy; anything else of that name stays. True where it was taken away. */
export function removeLink(link: string, target: string): boolean {
  if (!leadsTo(link, target)) return false;
  fs.unlinkSync(link);
  return true;
}

/** Throws IO where removeLink could not do it; asked before anything else is taken away. */
export function mustBeRemovable(link: string, target: string): void {
  if (!leadsTo(link, target)) return;
  try {
    fs.accessSync(path.dirname(link), fs.constants.W_OK | fs.constants.X_OK);
  } catch (cause) {
    throw new HandoffError('IO', `${link} cannot be removed: nothing can be written in ${path.dirname(link)}; nothing was removed`, { cause });
  }
}

import fs from 'node:fs/promises';
import { errnoOf } from '../../lib/errors.mts';
import { healthy, pathOf, unhealthy, unknown, type Probe } from '../probe.mts';

/** A file or a folder of that path, behind links. */
export const probe: Probe = async ({ target }, ground) => {
  const file = pathOf(target, ground);
  try {
    const stat = await fs.stat(file);
    return healthy(stat.isFile() ? `${file} is a file of ${stat.size} bytes` : stat.isDirectory() ? `${file} is a folder` : `${file} is there, and is neither a file nor a folder`);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    if (errno !== 'ENOENT' && errno !== 'ENOTDIR') return unknown(`${file} cannot be looked at (${errno})`);
    const link = await fs.lstat(file).then(() => true, () => false);
    return unhealthy(link ? `${file} is a link to nothing` : `${file} is not there`);
  }
};

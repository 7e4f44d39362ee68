import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { errnoOf } from '../../lib/errors.mts';
import { FILE_MODE, removeQuietly } from '../../lib/fs/files.mts';
import { healthy, pathOf, unhealthy, type Probe } from '../probe.mts';

/** Asking for the mode would not tell of a full disk or a read-only mount, and root may all: a file is written and removed. */
export const probe: Probe = async ({ target }, ground) => {
  const place = pathOf(target, ground);
  const file = path.join(place, `.agents-handoff-probe-${randomBytes(6).toString('hex')}`);
  const takeBack = ground.onSignal(() => removeQuietly(file));
  try {
    await fs.writeFile(file, 'probe\n', { flag: 'wx', mode: FILE_MODE });
    await fs.unlink(file);
    return healthy(`a file was written into ${place} and removed`);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    await fs.unlink(file).catch(() => {});
    return unhealthy(`no file can be written into ${place} (${errno})`);
  } finally {
    takeBack();
  }
};

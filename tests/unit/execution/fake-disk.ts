/** A file system in memory, for a system that the test does not run on: whether letters' case matters is the system's. */
import type { Disk, Look } from '../../../src/execution/disk.mts';
import type { Platform } from '../../../src/execution/platform.mts';

/** Paths as the disk keeps them; a string is where a link leads. Folders above each are there too. */
export function fakeDisk(platform: Platform, files: Readonly<Record<string, 'file' | 'folder' | { link: string }>>): Disk {
  const { path } = platform;
  const names = new Map<string, { kept: string; look: Look }>();
  const put = (kept: string, look: Look): void => {
    if (path.dirname(kept) !== kept) put(path.dirname(kept), { is: 'folder' });
    if (!names.has(platform.fold(kept))) names.set(platform.fold(kept), { kept, look });
  };
  for (const [name, what] of Object.entries(files)) put(name, typeof what === 'object' ? { is: 'link', to: what.link } : { is: what === 'folder' ? 'folder' : 'other' });
  const at = (file: string) => names.get(platform.fold(file));
  return {
    look: (file) => at(file)?.look ?? { is: 'missing' },
    canonical: (file) => at(file)?.kept ?? file,
    identity: (file) => at(file)?.kept,
  };
}

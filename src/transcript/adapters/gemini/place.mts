/** The working directory of a session: it stands beside the transcript, in the folder that Gemini CLI keeps for a project. */
import fs from 'node:fs';
import { dirname, isAbsolute, join, sep } from 'node:path';

const MOST = 4096;

/**
 * The first line of `.project_root` in `.gemini/tmp/<project>/`, for a transcript in its `chats` (or, of a sub-agent,
 * in a folder there). Undefined elsewhere, where there is no such plain file, or where it holds no absolute path.
 */
export function projectRoot(transcript: string): string | undefined {
  const chats = chatsFolder(transcript);
  if (chats === undefined) return undefined;
  try {
    // A link could lead out of the harness's folder.
    const handle = fs.openSync(join(dirname(chats), '.project_root'), fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0));
    try {
      if (!fs.fstatSync(handle).isFile()) return undefined;
      const bytes = Buffer.alloc(MOST);
      const root = bytes.toString('utf8', 0, fs.readSync(handle, bytes, 0, MOST, 0)).split(/\r?\n/)[0]?.trim() ?? '';
      return isAbsolute(root) ? root : undefined;
    } finally {
      fs.closeSync(handle);
    }
  } catch {
    return undefined;
  }
}

/** The session that a sub-agent's transcript belongs to, by the folder that it lies in. */
export function parentSession(transcript: string): string | undefined {
  const chats = chatsFolder(transcript);
  const folder = dirname(transcript);
  return chats === undefined || folder === chats ? undefined : folder.slice(chats.length + 1);
}

function chatsFolder(transcript: string): string | undefined {
  for (const folder of [dirname(transcript), dirname(dirname(transcript))]) {
    const names = folder.split(sep);
    if (names.at(-1) === 'chats' && names.at(-3) === 'tmp' && names.at(-4) === '.gemini') return folder;
  }
  return undefined;
}

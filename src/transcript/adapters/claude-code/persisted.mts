/**
 * Large outputs: the record has a preview and the path of a file, `<session>/tool-results/<name>` beside the transcript.
 * The path is text of a transcript and leads anywhere: only its last name is taken, and looked for in that one folder.
 */
import { basename, dirname, join } from 'node:path';
import type { KeptOutput } from '../../adapter.mts';

const OPENING = '<persisted-output>';
const SAVED = /^<persisted-output>\n[^\n]{0,200}?saved to: ([^\n]{1,4096})(?:\n|$)/;
const FOLDER = 'tool-results';
const NAME = /^[\w-][\w.-]{0,200}$/;

/** `path`: the transcript's. Undefined where the text is the whole output. */
export function keptOutput(text: string, path: string): KeptOutput | undefined {
  if (!text.startsWith(OPENING)) return undefined;
  const saved = SAVED.exec(text)?.[1]?.trim();
  if (saved === undefined) return undefined;
  const [name = '', folder] = saved.split(/[/\\]/).reverse();
  const session = sessionFolder(path);
  return { named: saved, ...(session !== undefined && folder === FOLDER && NAME.test(name) ? { file: join(session, FOLDER, name) } : {}) };
}

/** A sub-agent's own file lies inside the folder of its session. */
function sessionFolder(path: string): string | undefined {
  const subagents = /^(.+)[/\\]subagents[/\\]/.exec(path)?.[1];
  if (subagents !== undefined) return subagents;
  return path.endsWith('.jsonl') ? join(dirname(path), basename(path, '.jsonl')) : undefined;
}

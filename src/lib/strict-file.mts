import { HandoffError, errnoOf } from './errors.mts';
import { readStrictText } from './fs/files.mts';

/** The text of a file that a person names; `what` it is stands in the sentences ("the policy"). Throws CONFIG where it is not there, cannot be read or is not UTF-8. */
export function textOfFile(file: string, what: string): string {
  let text: string | undefined;
  try {
    text = readStrictText(file);
  } catch (cause) {
    throw new HandoffError('CONFIG', `the ${what} ${file} cannot be read (${errnoOf(cause) ?? (cause as Error).message})`, { cause, data: { file } });
  }
  if (text === undefined) throw new HandoffError('CONFIG', `there is no ${what} ${file}`, { data: { file } });
  return text;
}

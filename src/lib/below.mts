/** Whether a file lies in a folder, by their names alone: neither is looked at. */
import path from 'node:path';

/** The path of `file` from `folder` on, '' where it is the folder itself; undefined where it lies elsewhere, on another drive too. */
export function below(folder: string, file: string): string | undefined {
  const rest = path.relative(folder, file);
  return rest === '..' || rest.startsWith(`..${path.sep}`) || path.isAbsolute(rest) ? undefined : rest;
}

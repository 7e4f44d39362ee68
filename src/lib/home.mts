import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The skill directory: the folder that holds `tools/` (and `src/`, which this file stands in before it is compiled).
 * A URL's own path would show blanks and non-ASCII letters as `%20`, so it is decoded.
 */
export const HOME = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * npm run sweep [-- <folder>]
 * Builds every recorded session under the folder (one folder a harness), verifies it, compares it with the folder's
 * TRUTH.json, and prints a table by harness. Exit 0 where all is well, 1 where one session is not, 2 for wrong words.
 */
import fs from 'node:fs';
import path from 'node:path';
import { sweep, tableOf } from '../tests/helpers/sweep.ts';
import { sampleFolder } from '../tests/helpers/truth.ts';

const [given, ...more] = process.argv.slice(2);
const folder = path.resolve(given ?? sampleFolder());
if (more.length > 0 || !fs.existsSync(folder)) {
  console.error(more.length > 0 ? 'sweep: one folder at most' : `sweep: there is no folder ${folder}`);
  process.exitCode = 2;
} else {
  const result = await sweep(folder);
  console.log(tableOf(result));
  for (const note of result.notes) console.log(`note: ${note}`);
  for (const failure of result.failures) console.error(`not as it should be: ${failure}`);
  process.exitCode = result.failures.length === 0 ? 0 : 1;
}

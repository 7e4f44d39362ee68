import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { REPOSITORY } from './run.ts';

const TOOLS = join(REPOSITORY, 'tools');

/** Lines of a script that make `names` of the built module `module` (a path in src/ without its ending) known to it. */
export function importBuilt(module: string, names: string): string {
  const parts = readdirSync(join(TOOLS, 'parts')).map((part) => part.replace(/\.cjs$/, ''));
  return `import { createRequire } from 'node:module';
    const require = createRequire(${JSON.stringify(pathToFileURL(join(REPOSITORY, 'scripts/build/')).href)});
    const { $need, $take } = require('./modules.cjs')(require, ${JSON.stringify(TOOLS)});
    const { ${names} } = $take(${JSON.stringify([module, ...parts]).slice(1, -1)});`;
}

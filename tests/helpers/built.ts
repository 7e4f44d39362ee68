import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { REPOSITORY } from './run.ts';

const TOOLS = join(REPOSITORY, 'tools');
const url = (file: string): string => JSON.stringify(pathToFileURL(join(TOOLS, file)).href);

/** Lines of a script that make `names` of the built module `module` (a path in src/ without its ending) known to it. */
export function importBuilt(module: string, names: string): string {
  const parts = readdirSync(join(TOOLS, 'parts')).map((part) => `import ${url(`parts/${part}`)};`);
  return `import { $need } from ${url('modules.mjs')}; ${parts.join(' ')} const { ${names} } = $need(${JSON.stringify(module)});`;
}

// Writes tools/files.json: the name of every file that a package holds, and so every file of an installed copy. What
// belongs to it is said once, by "files" in package.json; the list is made with the build, so that a tree which has
// lost a file since is told from a whole one.
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';

const root = new URL('../..', import.meta.url);
const LIST = 'tools/files.json';
const { files } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const left = files.filter((entry) => entry.startsWith('!')).map((entry) => entry.slice(1));

function below(name) {
  if (!statSync(new URL(name, root)).isDirectory()) return [name];
  return readdirSync(new URL(`${name}/`, root)).flatMap((entry) => below(`${name}/${entry}`));
}

const named = ['package.json', LIST, ...files.filter((entry) => !entry.startsWith('!')).flatMap(below)];
const list = [...new Set(named)].filter((name) => !left.includes(name) && !/(^|\/)(\.|.*\.orig$)/.test(name)).sort();
writeFileSync(new URL(LIST, root), `${JSON.stringify({ files: list }, null, 1)}\n`);

// Joins what tsc made of src/ into tools/: entries as files of their own, everything else as one file for each
// room of the house under tools/parts/. A command then opens a few files where it would open a hundred.
import { mkdirSync, readdirSync, readFileSync, rmSync, chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const compiled = path.join(root, '.build');
const tools = path.join(root, 'tools');

/** What a Worker starts: its file stays in its place, its code goes into a part. */
const WORKER = 'capture/renders/worker';
/** Files that are started by their path. */
const isEntry = (name) => !name.includes('/') || name === 'install/install';
/** Modules of Node that take milliseconds to load and of which a command mostly uses nothing. */
const LATE = new Set(['node:child_process', 'node:crypto', 'node:os', 'node:util', 'node:worker_threads']);

/** Rooms, and the parts of rooms that most commands do not need. The longest that fits takes a module. */
const PARTS = [
  'lib', 'lib/fs', 'lib/git', 'transcript', 'transcript/adapters', 'transcript/adapters/chat/head', 'transcript/adapters/claude-code', 'transcript/adapters/codex', 'transcript/detect',
  'transcript/redaction', 'store', 'render', 'render/html', 'capture', 'runtime', 'execution', 'capability', 'install',
];
/** What is read on the way to a mistake or to a question, never by a command that succeeds in silence. */
const SELDOM = new Set(['confirm', 'exit-codes', 'help', 'nearest', 'report'].map((name) => `lib/cli/${name}`));
/** Of these rooms, what this command imports at once is a part of its own: the answer "nothing new" and a list need no more. */
const SHORT_WAY = { capture: 'commands/handoff/build', store: 'commands/handoff/list' };
/** Read before Node's version is known: it stands in the entries, and nothing in newer syntax beside it. */
const FIRST = 'lib/cli/start';

/** What every entry needs before it knows its verb: the runner, and the tables of verbs, which some entries need all of. A verb of one line comes with them. */
const RUNNER = 'lib/cli/runner';
const TABLES = /^commands\/(?:umbrella|\w+\/table|install\/version)$/;

function partOf(name) {
  if (TABLES.test(name) || closureOf(RUNNER).has(name)) return 'first';
  // What shows the root and its settings stands with what finds them: a command that is little more than a start.
  if (name === 'commands/handoff/config') return 'lib';
  if (name.startsWith('commands/')) return name.replaceAll('/', '-');
  if (SELDOM.has(name)) return 'lib-seldom';
  const fitting = PARTS.filter((part) => name === part || name.startsWith(part + '/') || name.startsWith(part + '-'));
  const part = fitting.sort((a, b) => b.length - a.length)[0];
  if (part === undefined) throw new Error(`no part for ${name}`);
  return (SHORT_WAY[part] === undefined || onShortWay(part).has(name) ? part : `${part}-more`).replaceAll('/', '-');
}

/** Every compiled module: its name, code, and what it imports at once (`now`). */
const modules = new Map();
for (const file of readdirSync(compiled, { recursive: true, encoding: 'utf8' })) {
  if (!file.endsWith('.mjs')) continue;
  const name = file.slice(0, -4).split(path.sep).join('/');
  modules.set(name, { name, code: readFileSync(path.join(compiled, file), 'utf8'), now: [] });
}

const IMPORT = /^import (?:(\* as \w+|\w+|\{[^}]*\}) from )?'([^']+)';$/;
const EXPORT = /^export (?:async )?(?:function\*? ?|class |const )(\w+)/;

for (const module of modules.values()) {
  module.lines = module.code.split('\n');
  for (const line of module.lines) {
    const to = IMPORT.exec(line)?.[2];
    if (to?.startsWith('.')) module.now.push(resolve(module.name, to));
  }
}

function resolve(from, to) {
  const name = path.posix.join(path.posix.dirname(from), to).replace(/\.mjs$/, '');
  if (!modules.has(name)) throw new Error(`${from} imports ${to}, which is not there`);
  return name;
}

/** A module and everything that it imports at once. */
function closureOf(name, seen = new Set()) {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const one of modules.get(name).now) closureOf(one, seen);
  return seen;
}

const shortWays = new Map();
function onShortWay(room) {
  if (!shortWays.has(room)) shortWays.set(room, closureOf(SHORT_WAY[room]));
  return shortWays.get(room);
}

/** The parts in which a module and everything that it imports at once stand. */
function partsFor(name) {
  return [...new Set([...closureOf(name)].filter((one) => one !== FIRST).map(partOf))].sort();
}

/** What `$load` and `$take` are told of a module. */
function wordsFor(name) {
  return [name, ...partsFor(name)].map((text) => `'${text}'`).join(', ');
}

/** Code with `import()` and `import.meta.url` as the packed form has them; a module's own path needs no URL on the way. */
function rewritten(name, text) {
  return text
    .replace(/\bimport\('(\.[^']+)'\)/g, (_all, to) => `$load(${wordsFor(resolve(name, to))})`)
    .replace(/\bimport\('(node:[^']+)'\)/g, (_all, to) => `Promise.resolve().then(() => $builtin('${to}'))`)
    .replaceAll('fileURLToPath(import.meta.url)', `$fileOf('${name}')`)
    .replaceAll('import.meta.url', `$urlOf('${name}')`);
}

/** One module as a function that gives its exports. */
function factory({ name, lines }) {
  const names = [];
  const body = lines.map((line) => {
    const [, what, from] = IMPORT.exec(line) ?? [];
    if (from !== undefined) {
      if (LATE.has(from) && name !== WORKER && /^\{ \w+(?:, \w+)* \}$/.test(what)) return words(what).map((one) => late(name, lines, from, one)).join(' ');
      const given = from.startsWith('.') ? `$need('${resolve(name, from)}')` : `$builtin('${from}')`;
      if (what === undefined) return `${given};`;
      return `const ${what.replace(/^\* as /, '').replaceAll(' as ', ': ')} = ${given};`;
    }
    if (!line.startsWith('export ')) {
      if (/^import\b(?!\()/.test(line)) throw new Error(`${name}: an import that this script does not read: ${line}`);
      return line;
    }
    const list = /^export \{([^}]*)\};$/.exec(line);
    if (list !== null) {
      names.push(...list[1].split(',').map((one) => one.trim()).filter((one) => one !== ''));
      return '';
    }
    const [, own] = EXPORT.exec(line) ?? [];
    if (own === undefined) throw new Error(`${name}: an export that this script does not read: ${line}`);
    names.push(own);
    return line.slice('export '.length);
  });
  if (names.some((one) => one.includes(' '))) throw new Error(`${name}: an export under another name`);
  return `// src/${name}.mts\n$define('${name}', (function () {\n${rewritten(name, body.join('\n'))}\nreturn { ${names.join(', ')} };\n}));\n`;
}

/** Only what is called can be late: of a constant, or of a function that is handed on, nobody could tell when it is asked for. */
function late(name, lines, from, one) {
  const uncalled = new RegExp(`(?<![\\w$.])${one}\\b(?!\\()`);
  const wrong = lines.find((line) => !line.startsWith('import ') && uncalled.test(line));
  if (wrong !== undefined) throw new Error(`${name}: ${one} of ${from} is not only called: ${wrong.trim()}`);
  return `const ${one} = $late('${from}', '${one}');`;
}

/** The names between the braces of an import. */
const words = (braces) => braces.slice(1, -1).split(',').map((one) => one.trim());

/**
 * The code in ASCII. One sign beyond it makes V8 keep and read a whole file at two bytes a character; an escape stands for
 * the same wherever tsc leaves such a sign (a string, a template, an expression), but in raw templates and behind a backslash.
 */
function ascii(name, text) {
  const wrong = text.split('\n').find((line) => /\\[^\0-\x7f]/.test(line) || (line.includes('String.raw') && /[^\0-\x7f]/.test(line)));
  if (wrong !== undefined) throw new Error(`${name}: an escape would not stand for the sign beyond ASCII in: ${wrong}`);
  return text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function write(name, text) {
  const file = path.join(tools, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, ascii(name, text));
  return file;
}

const LOADER = readFileSync(new URL('./modules.cjs', import.meta.url), 'utf8').replace(/\/\*\*[^]*?\*\/|^ *\/\/.*$/gm, '').replace(/\n\s*\n/g, '\n').replace(/[^]*?module\.exports = /, '').trim();

/**
 * How an entry comes to its modules. It is an ES module by its name, and each further one, or even the import of
 * `node:module`, takes a tenth of the time that Node needs to start: where Node can do without, nothing is imported.
 * `below`: the folder of the entry inside tools/.
 */
const booted = (below, first, code) => `const modulesOf = ${LOADER}
const boot = (require) => {
  const here = import.meta.dirname === undefined ? require('url').fileURLToPath(new URL('.', import.meta.url)).slice(0, -1) : import.meta.dirname;
  const { $define, $late, $load, $need, $take } = modulesOf(require, here${below === '' ? '' : `.slice(0, -${below.length + 1})`});
${first}${code.trim()}
};
if (process.getBuiltinModule === undefined) import('node:module').then((module) => boot(module.createRequire(import.meta.url)));
else boot(process.getBuiltinModule);
`;

/** An entry: what it imports at once is taken from the parts. One that only imports another is that one under a second name. */
function entry({ name, lines }) {
  const other = /^import '(\.\/[^']+)';$/.exec(lines.filter((line) => line !== '' && !line.startsWith('#!') && line !== 'export {};').join('\n'))?.[1];
  if (other !== undefined && isEntry(resolve(name, other))) return entry(modules.get(resolve(name, other)));
  const first = lines[0].startsWith('#!') ? `${lines[0]}\n` : '';
  const code = lines.slice(first === '' ? 0 : 1).map((line) => {
    const [, what, from] = IMPORT.exec(line) ?? [];
    if (from === undefined || isEntry(resolve(name, from))) return line;
    return `const ${what} = $take(${wordsFor(resolve(name, from))});`;
  }).join('\n');
  if (!code.includes('$take(') && !code.includes('import(')) return first + code;
  return first + booted(path.posix.dirname(name).replace(/^\.$/, ''), code.includes(`'${FIRST}'`) ? factory(modules.get(FIRST)) : '', rewritten(name, code));
}

rmSync(tools, { recursive: true, force: true });
const parts = new Map();
for (const module of [...modules.values()].sort((a, b) => (a.name < b.name ? -1 : 1))) {
  const { name } = module;
  if (isEntry(name)) chmodSync(write(`${name}.mjs`, entry(module)), 0o755);
  else if (name !== FIRST) parts.set(partOf(name), (parts.get(partOf(name)) ?? '') + factory(module));
  if (name === WORKER) write(`${name}.mjs`, entry({ name, lines: [`import {} from './worker.mjs';`] }));
}
for (const [part, text] of parts) {
  write(`parts/${part}.cjs`, `'use strict';\n(function ({ $builtin, $define, $fileOf, $late, $load, $need, $urlOf }) {\n${text}})\n`);
}
rmSync(compiled, { recursive: true });

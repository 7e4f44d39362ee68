/**
 * The modules of tools/parts/. `scripts/pack.mjs` joins the compiled modules of a room into one file, because
 * the start of a command would else be spent on opening a hundred files. A module is still made when it is
 * first needed, and once.
 */
import { createRequire } from 'node:module';

const makers = new Map();
const made = new Map();
const parts = new Map();

export const $builtin = createRequire(import.meta.url);

/** `make` gives what the module exports. */
export function $define(name, make) {
  makers.set(name, make);
}

/** A module whose part is loaded. There are no circles among modules. */
export function $need(name) {
  let module = made.get(name);
  if (module === undefined) {
    module = makers.get(name)();
    made.set(name, module);
  }
  return module;
}

/** What `import()` of a module is in the sources. `wanted`: the parts that it and its imports stand in. */
export async function $load(name, ...wanted) {
  await Promise.all(wanted.map((part) => {
    if (!parts.has(part)) parts.set(part, import('./parts/' + part + '.mjs'));
    return parts.get(part);
  }));
  return $need(name);
}

/** A function or class of a module of Node that most commands never use: the module is loaded at the first call. */
export function $late(from, name) {
  return function late(...words) {
    const it = $builtin(from)[name];
    return new.target === undefined ? it(...words) : new it(...words);
  };
}

/** `import.meta.url` of a module, had it a file of its own. */
export function $urlOf(name) {
  return new URL('./' + name + '.mjs', import.meta.url).href;
}

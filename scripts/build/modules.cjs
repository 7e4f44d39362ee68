/**
 * How a built entry comes to the modules of tools/parts/. `scripts/build/pack.mjs` joins the compiled modules of a room into one
 * file, because the start of a command would else be spent on opening a hundred files, and puts the text of this function
 * into each entry. A module is made when it is first needed, and once.
 * Old versions of Node must be able to read it: they come by before they are told that they are too old.
 */
'use strict';

/** `require` is asked for Node's own modules only; `tools` is the folder, without a slash at its end. */
module.exports = function modulesOf(require, tools) {
  const { readFileSync, statSync } = require('fs');
  const { Script } = require('vm');
  const loaded = new Set();
  const makers = new Map();
  const made = new Map();
  // Another build of the same version (for musl, say) may lay out otherwise what compiled code points at, and V8 of Node 20
  // would not see it: the size of the program tells.
  const ready = tools + '/ready/' + [process.version, process.platform, process.arch, sizeOf(process.execPath)].join('-');

  /** `process.getBuiltinModule` gives nothing where Node's loaders throw: for a module that this Node does not have. */
  const $builtin = (name) => {
    const module = require(name);
    if (module === undefined) throw new Error('No such built-in module: ' + name);
    return module;
  };

  /** `make` gives what the module exports. */
  const $define = (name, make) => makers.set(name, make);

  /** A module whose part is loaded. There are no circles among modules. */
  const $need = (name) => {
    let module = made.get(name);
    if (module === undefined) {
      module = makers.get(name)();
      made.set(name, module);
    }
    return module;
  };

  /** A module, with the parts that it and its imports stand in. */
  const $take = (name, ...wanted) => {
    for (const part of wanted) {
      if (!loaded.has(part)) load(part);
      loaded.add(part);
    }
    return $need(name);
  };

  /** What `import()` is in the sources. */
  const $load = async (...words) => $take(...words);

  /** A function or class of a module of Node that most commands never use: the module is loaded at the first call. */
  const $late = (from, name) => {
    let it;
    return function called(...words) {
      if (it === undefined) it = require(from)[name];
      return new.target === undefined ? it(...words) : new it(...words);
    };
  };

  /** The path of a module and its `import.meta.url`, had it a file of its own. */
  const $fileOf = (name) => tools + '/' + name + '.mjs';
  const $urlOf = (name) => require('url').pathToFileURL($fileOf(name)).href;

  /** Node's own `require` would look for package.json and real paths first, which takes as long as a small part. */
  function load(part) {
    const code = readFileSync(tools + '/parts/' + part + '.cjs');
    // What stack traces say. Compiled code keeps the name that it was built under, so that is no path of a machine.
    const filename = 'agents-handoff/tools/parts/' + part + '.cjs';
    // The parts are written in ASCII.
    const script = new Script(code.latin1Slice(), { filename, cachedData: compiled(part, code) });
    script.runInThisContext()(loader);
  }

  /**
   * What V8 made of the part when the package was built (`scripts/build/ready.mjs`), where this is the same Node and the part
   * is what it was: V8 itself compares the length of the code only, and npm gives all files new times, in any order. V8
   * believes every byte of it: one that a crash left half written must not come to it.
   * A file of tools/ready/ is that, the code it was made of, and four bytes of sum.
   */
  function compiled(part, code) {
    try {
      const file = readFileSync(ready + '/' + part + '.bin');
      const data = file.subarray(0, -4 - code.length);
      if (!code.equals(file.subarray(data.length, -4))) return undefined;
      return file.readInt32LE(file.length - 4) === sumOf(data) ? data : undefined;
    } catch (error) {
      return undefined;
    }
  }

  function sizeOf(file) {
    try {
      return statSync(file).size;
    } catch (error) {
      return 'unknown';
    }
  }

  /** Of a byte in 128: it tells what was not written, and takes no time. */
  function sumOf(bytes) {
    let sum = bytes.length;
    for (let at = 0; at < bytes.length; at += 128) sum = (sum * 31 + bytes[at]) | 0;
    return sum;
  }

  const loader = { $builtin, $define, $fileOf, $late, $load, $need, $take, $urlOf };
  return Object.assign(loader, { ready, sumOf });
};

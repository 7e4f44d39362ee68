/**
 * The modules of tools/parts/. `scripts/pack.mjs` joins the compiled modules of a room into one file, because
 * the start of a command would else be spent on opening a hundred files; and they are CommonJS, which Node starts
 * sooner than its loader of ES modules. A module is still made when it is first needed, and once.
 * Old versions of Node must be able to read this file: they come by before they are told that they are too old.
 */
'use strict';

const { pathToFileURL } = require('node:url');

const makers = new Map();
const made = new Map();

exports.$builtin = require;

/** `make` gives what the module exports. */
exports.$define = function define(name, make) {
  makers.set(name, make);
};

/** A module whose part is loaded. There are no circles among modules. */
exports.$need = function need(name) {
  let module = made.get(name);
  if (module === undefined) {
    module = makers.get(name)();
    made.set(name, module);
  }
  return module;
};

/** A module, with the parts that it and its imports stand in. */
exports.$take = function take(name, ...wanted) {
  for (const part of wanted) require('./parts/' + part + '.cjs');
  return exports.$need(name);
};

/** What `import()` is in the sources. */
exports.$load = async function load(...words) {
  return exports.$take(...words);
};

/** A function or class of a module of Node that most commands never use: the module is loaded at the first call. */
exports.$late = function late(from, name) {
  let it;
  return function called(...words) {
    if (it === undefined) it = require(from)[name];
    return new.target === undefined ? it(...words) : new it(...words);
  };
};

/** `import.meta.url` of a module, had it a file of its own. */
exports.$urlOf = function urlOf(name) {
  return pathToFileURL(__dirname + '/' + name + '.mjs').href;
};

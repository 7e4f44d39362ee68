// Loaded before a command by ready.mjs: keeps what V8 compiled of the parts of tools/ when the command ends.
'use strict';
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');
const modulesOf = require('./modules.cjs');

const tools = path.join(__dirname, '../../tools');
const { ready, sumOf } = modulesOf(require, tools);
const scripts = [];

vm.Script = class extends vm.Script {
  constructor(code, options) {
    // A key of an object is kept in one form only. Any other string is turned into it when a collection of garbage happens to
    // come by, and the bytes would tell whether one did.
    const [filename] = Object.keys({ [options.filename]: true });
    super(code, { ...options, filename });
    if (filename.startsWith('agents-handoff/tools/parts/')) scripts.push([path.basename(filename, '.cjs'), this]);
  }
};
process.on('exit', () => {
  mkdirSync(ready, { recursive: true });
  for (const [part, script] of scripts) {
    const data = script.createCachedData();
    const sum = Buffer.alloc(4);
    sum.writeInt32LE(sumOf(data));
    writeFileSync(path.join(ready, `${part}.bin`), Buffer.concat([data, readFileSync(path.join(tools, 'parts', `${part}.cjs`)), sum]));
  }
});

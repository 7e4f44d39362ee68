#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const built = new URL('../tools/install/install.mjs', import.meta.url);
if (existsSync(built)) {
  import(built.href);
} else {
  console.error('install: tools/ is not built; run "npm ci" in ' + fileURLToPath(new URL('..', import.meta.url)) + ' first.');
  process.exitCode = 1;
}

#!/usr/bin/env node
// Nothing is imported but what this stands for: each import is a part of the time that a command takes to start.
import('../tools/install/install.mjs').catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || !/[\\/]tools[\\/]install[\\/]install\.mjs/.test(error.message)) throw error;
  return import('node:url').then(({ fileURLToPath }) => {
    console.error('install: tools/ is not built; run "npm ci" in ' + fileURLToPath(new URL('..', import.meta.url)) + ' first.');
    process.exitCode = 1;
  });
});

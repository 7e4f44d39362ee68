/**
 * The least work that a build can do, as the measure for it: read the file in blocks, hash every byte, cut lines
 * at byte 0x0A, parse each as JSON and write its texts out, one JSON line a record.
 *   node floor.mjs full <file> <out>     all of that
 *   node floor.mjs sha <file>...         only reading and hashing
 * Prints the hash. It does nothing else on purpose, and must stay fast: a slow floor flatters what is measured by it.
 */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { createHash } from 'node:crypto';

const BLOCK = 1 << 20;

function hashFile(hash, path, take) {
  const block = Buffer.allocUnsafe(BLOCK);
  const input = openSync(path, 'r');
  for (;;) {
    const read = readSync(input, block, 0, BLOCK, null);
    if (read === 0) break;
    const bytes = block.subarray(0, read);
    hash.update(bytes);
    take?.(bytes);
  }
  closeSync(input);
}

/** Puts every text of a content value into `found`: strings, arrays of blocks, and what a block holds. */
function collect(value, found) {
  if (typeof value === 'string') {
    if (value !== '') found.push(value);
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value) collect(item, found);
    return;
  }
  if (value === null || typeof value !== 'object') return;
  if (typeof value.text === 'string') found.push(value.text);
  else if (value.content !== undefined) collect(value.content, found);
  else if (value.thinking) found.push(value.thinking);
  else if (value.input !== undefined) found.push(JSON.stringify(value.input));
}

/** Gives `line` each whole line of the blocks that it is fed, as bytes. */
function lineCutter(line) {
  let rest = [];
  return (bytes) => {
    let from = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, from)) {
      const piece = bytes.subarray(from, end);
      if (rest.length === 0) line(piece);
      else {
        rest.push(piece);
        line(Buffer.concat(rest));
        rest = [];
      }
      from = end + 1;
    }
    if (from < bytes.length) rest.push(Buffer.from(bytes.subarray(from)));
  };
}

const [mode, ...paths] = process.argv.slice(2);
const hash = createHash('sha256');
if (mode === 'sha') {
  for (const path of paths) hashFile(hash, path);
} else {
  const out = openSync(paths[1], 'w');
  let pending = [];
  let size = 0;
  const flush = () => {
    writeSync(out, pending.join(''));
    pending = [];
    size = 0;
  };
  hashFile(hash, paths[0], lineCutter((bytes) => {
    if (bytes.length === 0) return;
    const record = JSON.parse(bytes.toString('utf8'));
    const found = [];
    collect(record.message?.content ?? record.payload ?? record, found);
    const row = `${JSON.stringify({ seq: 0, text: found.join('\n') })}\n`;
    pending.push(row);
    size += row.length;
    if (size > BLOCK) flush();
  }));
  flush();
  closeSync(out);
}
console.log(hash.digest('hex'));

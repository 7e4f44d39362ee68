import fs from 'node:fs';

const STEP = 1 << 20;

/** Whether two open files hold the same first `bytes` bytes; false where one is shorter. */
export function beginAlike(a: number, b: number, bytes: number): boolean {
  const [left, right] = [Buffer.allocUnsafe(Math.min(STEP, bytes)), Buffer.allocUnsafe(Math.min(STEP, bytes))];
  for (let at = 0; at < bytes; ) {
    const want = Math.min(STEP, bytes - at);
    const got = Math.min(fs.readSync(a, left, 0, want, at), fs.readSync(b, right, 0, want, at));
    if (got === 0 || !left.subarray(0, got).equals(right.subarray(0, got))) return false;
    at += got;
  }
  return true;
}

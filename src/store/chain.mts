/** chain.jsonl: the hash chain over the timeline, one row a revision that appended. */
import { chainHeadFits, chainRow, ZEROS, type ChainRow } from '../lib/hash-chain.mts';
import { readText } from '../lib/fs/files.mts';

export { chainRow, ZEROS, type ChainRow };

/** The rows up to the one whose head is `until` (all, where undefined); `whole` false where one is no JSON or its links break; `beyond`: bytes behind them. */
export function readChain(file: string, until?: string): { rows: ChainRow[]; whole: boolean; bytes: number; beyond: number } {
  const text = readText(file) ?? '';
  const size = Buffer.byteLength(text);
  const rows: ChainRow[] = [];
  let bytes = 0;
  let prev = ZEROS;
  let covered = 0;
  for (const line of text.split('\n')) {
    if (line === '') break;
    let row: ChainRow;
    try {
      row = JSON.parse(line) as ChainRow;
    } catch {
      return { rows, whole: false, bytes, beyond: size - bytes };
    }
    if (row === null || typeof row !== 'object' || row.prev !== prev || !chainHeadFits(row) || !(row.bytes >= covered)) return { rows, whole: false, bytes, beyond: size - bytes };
    rows.push(row);
    bytes += Buffer.byteLength(line) + 1;
    prev = row.head;
    covered = row.bytes;
    if (row.head === until) return { rows, whole: true, bytes, beyond: size - bytes };
  }
  const end = until === ZEROS ? 0 : bytes;
  return { rows, whole: until === undefined || until === ZEROS, bytes: end, beyond: size - end };
}

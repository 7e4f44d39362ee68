/** Files that are no text, by the bytes they begin with, and what to do with them. */

export interface Unreadable {
  /** What the file is, to be read after "the source is". */
  what: string;
  /** What to do about it. */
  advice: string;
}

interface Magic extends Unreadable {
  bytes: string;
  at?: number;
}

const UNPACK = 'unpack it first';
const NOT_TEXT = 'this is no transcript';

/** In hex. */
const MAGICS: readonly Magic[] = [
  { bytes: '1f8b08', what: 'compressed with gzip', advice: `${UNPACK}: gunzip -k <file>` },
  { bytes: '28b52ffd', what: 'compressed with zstd', advice: `${UNPACK}: unzstd <file>` },
  { bytes: 'fd377a585a00', what: 'compressed with xz', advice: `${UNPACK}: unxz -k <file>` },
  { bytes: '04224d18', what: 'compressed with lz4', advice: `${UNPACK}: unlz4 <file>` },
  { bytes: '377abcaf271c', what: 'a 7z archive', advice: `${UNPACK}: 7z x <file>` },
  { bytes: '504b0304', what: 'a zip archive', advice: `${UNPACK}: unzip <file>` },
  { bytes: '526172211a07', what: 'a rar archive', advice: UNPACK },
  { bytes: '7573746172', at: 257, what: 'a tar archive', advice: `${UNPACK}: tar xf <file>` },
  { bytes: '53514c69746520666f726d6174203300', what: 'an SQLite database', advice: 'no adapter reads this database; give an exported session' },
  { bytes: '377f0682', what: 'the log of an SQLite database', advice: 'no adapter reads it; give an exported session' },
  { bytes: '377f0683', what: 'the log of an SQLite database', advice: 'no adapter reads it; give an exported session' },
  { bytes: '89504e470d0a1a0a', what: 'a PNG image', advice: NOT_TEXT },
  { bytes: 'ffd8ff', what: 'a JPEG image', advice: NOT_TEXT },
  { bytes: '474946383761', what: 'a GIF image', advice: NOT_TEXT },
  { bytes: '474946383961', what: 'a GIF image', advice: NOT_TEXT },
  { bytes: '255044462d', what: 'a PDF document', advice: NOT_TEXT },
  { bytes: '7f454c46', what: 'an ELF program', advice: NOT_TEXT },
  { bytes: 'cffaedfe', what: 'a Mach-O program', advice: NOT_TEXT },
  { bytes: 'cafebabe', what: 'a Java class or a Mach-O program', advice: NOT_TEXT },
  { bytes: '0061736d', what: 'a WebAssembly module', advice: NOT_TEXT },
];
export const BINARY: Unreadable = { what: 'a binary file', advice: NOT_TEXT };
const UTF16 = 'text in UTF-16';
const TO_UTF8 = 'convert it to UTF-8 first: iconv -f UTF-16 -t UTF-8 <file>';
/** As much as a guess about bytes needs. */
const SAMPLE = 4096;

/** What `head` is where it is no UTF-8 text; undefined for text. */
export function binaryKind(head: Buffer): Unreadable | undefined {
  for (const magic of MAGICS) {
    const bytes = Buffer.from(magic.bytes, 'hex');
    const at = magic.at ?? 0;
    if (head.length >= at + bytes.length && head.subarray(at, at + bytes.length).equals(bytes)) return { what: magic.what, advice: magic.advice };
  }
  if (/^BZh[1-9]$/.test(head.toString('latin1', 0, 4)) && head.toString('hex', 4, 10) === '314159265359') {
    return { what: 'compressed with bzip2', advice: `${UNPACK}: bunzip2 -k <file>` };
  }
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) return { what: UTF16, advice: TO_UTF8 };
  return byNuls(head.subarray(0, SAMPLE));
}

/**
 * UTF-16 without a mark has a NUL beside each ASCII character. A run of NULs alone is the damage that a crash leaves
 * in a text file; the lines around it are read.
 */
function byNuls(sample: Buffer): Unreadable | undefined {
  const nuls = [0, 0];
  let longest = 0;
  let run = 0;
  let control = 0;
  for (let at = 0; at < sample.length; at++) {
    const byte = sample[at] ?? 0;
    if (byte !== 0) {
      if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27)) control++;
      run = 0;
      continue;
    }
    nuls[at % 2] = (nuls[at % 2] ?? 0) + 1;
    longest = Math.max(longest, ++run);
  }
  const half = sample.length / 2;
  const [even = 0, odd = 0] = nuls;
  if (half >= 4 && Math.max(even, odd) > 0.4 * half && Math.min(even, odd) < 0.1 * half) return { what: UTF16, advice: TO_UTF8 };
  if (even + odd + control > 0.1 * sample.length && longest < 0.5 * (even + odd)) return BINARY;
  return undefined;
}

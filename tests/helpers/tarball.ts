/** Tar archives made block by block, so that a test can make ones that no packer would. */
import { gzipSync } from 'node:zlib';

export interface Entry {
  name?: string | Buffer;
  /** The type letter; a file where absent. */
  type?: string;
  content?: string | Buffer;
  /** What the header says, where that is not the length of the content. */
  size?: number | string;
  prefix?: string;
  link?: string;
  magic?: string;
  checksum?: number;
}

function header({ name = '', type = '0', content = '', size, prefix = '', link = '', magic = 'ustar\x0000', checksum }: Entry): Buffer {
  const block = Buffer.alloc(512);
  const put = (value: string | Buffer, at: number): void => void Buffer.from(value as string).copy(block, at);
  put(name, 0);
  put('0000644\0', 100);
  put('0000000\x000000000\0', 108);
  put(typeof size === 'string' ? size : `${(size ?? Buffer.byteLength(content)).toString(8).padStart(11, '0')}\0`, 124);
  put('00000000000\0', 136);
  put(type, 156);
  put(link, 157);
  put(magic, 257);
  put(prefix, 345);
  sign(block, checksum);
  return block;
}

/** Writes the checksum that a header should have, or another. */
export function sign(block: Buffer, checksum?: number): void {
  block.fill(0x20, 148, 156);
  const sum = checksum ?? block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
}

export function tar(entries: readonly Entry[], end: Buffer = Buffer.alloc(1024)): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content as string ?? '');
    return [header(entry), content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, end]);
}

export function tgz(entries: readonly Entry[], end?: Buffer): Buffer {
  return gzipSync(tar(entries, end), { level: 1 });
}

/** A package as npm packs it. */
export function packageOf(files: Readonly<Record<string, string | Buffer>>): Buffer {
  return tgz(Object.entries(files).map(([name, content]) => ({ name: `package/${name}`, content })));
}

/** The content of a pax record. */
export function pax(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs).map(([key, value]) => {
    const rest = ` ${key}=${value}\n`;
    let length = Buffer.byteLength(rest);
    while (Buffer.byteLength(`${length}${rest}`) !== length) length += 1;
    return `${length}${rest}`;
  }).join('');
}

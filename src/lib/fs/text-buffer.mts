/**
 * Text on its way to a file: encoded piece by piece into one buffer, so that no copy of it is made on the way.
 */
export interface TextBuffer {
  add(text: string): void;
  /** The text and a line's end; a chunk never ends inside a line that was given so. */
  line(text: string): void;
  /** Gives what is held to `use`. */
  flush(): void;
}

const SIZE = 1 << 19;
/** A UTF-16 unit takes at most three bytes. */
const MOST = 3;

/** `use` gets chunks in order; each is valid only until it returns. */
export function createTextBuffer(use: (chunk: Buffer) => void): TextBuffer {
  const buffer = Buffer.allocUnsafe(SIZE);
  let held = 0;
  const flush = () => {
    if (held === 0) return;
    const length = held;
    held = 0;
    use(buffer.subarray(0, length));
  };
  return {
    add(text) {
      if (held + text.length * MOST > SIZE) flush();
      if (text.length * MOST > SIZE) use(Buffer.from(text));
      else held += buffer.write(text, held);
    },
    line(text) {
      if (held + text.length * MOST + 1 > SIZE) flush();
      if (text.length * MOST + 1 > SIZE) use(Buffer.from(`${text}\n`));
      else {
        held += buffer.write(text, held);
        buffer[held++] = 10;
      }
    },
    flush,
  };
}

/**
 * The words that a child's Node is given. Node takes its own flags up to the first word that is none, in any order, and
 * some of them widen what confines it (`--allow-child-process`, `--no-permission`) or read files before it is confined
 * (`--env-file`). So there is a list of those that may stand there, and every other is refused.
 */

/** Flags that take the next word. A next word that begins with a dash is no value for Node either. */
const WITH_VALUE = new Set(['-e', '--eval', '-p', '--print', '-pe', '--input-type', '--conditions', '-C', '--stack-trace-limit', '--max-old-space-size']);
const ALONE = new Set(['-v', '--version', '-c', '--check', '--no-warnings', '--trace-warnings', '--trace-uncaught', '--enable-source-maps', '--preserve-symlinks', '--preserve-symlinks-main', '--throw-deprecation', '--no-deprecation', '--test-only', '--expose-gc']);

/**
 * Node looks for these in all words, also behind the script and behind `--`, and takes options from the file before it is
 * confined: NODE_OPTIONS from the one, and from the others (Node 24) even those that open the permission model.
 */
const ANYWHERE = ['--env-file', '--experimental-config-file', '--experimental-default-config-file'];

/** Why these words are refused; undefined where they are not. */
export function problemOfArgs(args: readonly string[]): string | undefined {
  if (args.length === 0) return 'there is nothing to run';
  if (args.some((word) => word.includes('\0'))) return 'a word holds a NUL byte';
  const anywhere = args.find((word) => ANYWHERE.some((name) => word.startsWith(name)));
  if (anywhere !== undefined) return `${anywhere.split('=', 1)[0] ?? ''} is no flag that a confined process may have, wherever it stands`;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (word === '--') return undefined;
    if (!word.startsWith('-')) return undefined;
    const name = word.startsWith('--') ? word.split('=', 1)[0] ?? word : word;
    if (ALONE.has(word)) continue;
    if (!WITH_VALUE.has(name)) return `${name} is no flag that a confined process may have (a script's own words stand after the script)`;
    if (name === word && args[at + 1]?.startsWith('-') === false) at += 1;
  }
  return undefined;
}

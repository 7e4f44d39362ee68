/**
 * From what a transcript calls itself to names that are safe on every file system. A name from a transcript is
 * data: it never leaves its folder and never hides.
 */
import { sha256 } from '../lib/hash-chain.mts';

const MOST_BYTES = 120;
/** Names that Windows keeps for devices. */
export const RESERVED = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i;

/** The page that stands beside a project's sessions, and what it is written as first. */
const PAGE = /^project\.md(\.|$)/i;

/** The folder of the session `id`. `+` and `~` stay only where `composed`: in names that merging and federation make. */
export function folderName(id: string, composed = false): string {
  let name = id.replace(composed ? /[^A-Za-z0-9_.+~-]/g : /[^A-Za-z0-9_.-]/g, '_');
  name = name.replace(/(?<![. ])[. ]+$/, (tail) => '_'.repeat(tail.length));
  if (name === '') name = '_';
  // A dot in front would hide the folder from lists, `..` would leave the project.
  if (name.startsWith('.')) name = `_${name.slice(1)}`;
  if (RESERVED.test(name) || PAGE.test(name)) name = `_${name}`;
  return name.length <= MOST_BYTES ? name : withSuffix(name, id);
}

/** Another folder for `id`, where its first choice belongs to somebody else. */
export function withSuffix(name: string, id: string): string {
  const suffix = `-${sha256(id).slice(0, 8)}`;
  return `${name.slice(0, MOST_BYTES - suffix.length)}${suffix}`;
}

/** An id is a transcript's own word: a line end in it must not begin a line that says something else. */
export function idInLine(id: string): string {
  return id.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const BESIDE = /~[0-9a-f]{8}$/;

/** The session that went another way in another store, beside the one that kept the id; `mark` begins with 8 hex digits of its own. */
export function besideId(id: string, mark: string): string {
  return `${id}~${mark.slice(0, 8)}`;
}

/** Whether `id` is that of a session beside `of`. */
export function isBeside(id: string, of: string): boolean {
  return id.length === of.length + 9 && id.startsWith(of) && BESIDE.test(id);
}

/** A project's name as a folder: lower case, runs of other characters as one dash, 48 at most. */
export function projectSlug(name: string): string {
  const slug = name.toLowerCase().replace(/[^a-z0-9._-]+/g, '-').replace(/^-+|(?<!-)-+$/g, '').slice(0, 48).replace(/-+$/, '');
  if (slug === '' || /^\.+$/.test(slug)) return `p-${sha256(name).slice(0, 8)}`;
  const whole = slug.replace(/[.]+$/, (tail) => '_'.repeat(tail.length)).replace(/^\./, '_');
  return RESERVED.test(whole) ? `_${whole}` : whole;
}

/** `--tag--` in a thread's name. */
export function tagOf(thread: string | undefined): string | undefined {
  return thread === undefined ? undefined : /--([^-].*?)--/.exec(thread)?.[1];
}

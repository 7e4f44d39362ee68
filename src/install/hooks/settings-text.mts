/**
 * Our entry in the text of a harness's settings: `{"hooks": {"<event>": [{"hooks": [<entry>, …]}, …]}}`. Anything else
 * in there belongs to the user and stays as it is, to the byte; a text that cannot be read that way is refused.
 */
import { HandoffError } from '../../lib/errors.mts';
import { entryHash, type HookEntry } from './entry.mts';
import { insertLast, removeAt } from './json-edit.mts';
import { memberOf, placesIn, valueOf, type Container, type Element, type Value } from './json-places.mts';

/** The text of a settings file that was not there. */
const EMPTY = '{}\n';

/** `text` with the entry once under every event that does not have its command yet. Throws HandoffError SHAPE. */
export function withEntry(text: string | undefined, events: readonly string[], entry: HookEntry): string {
  let now = text === undefined || text.trim() === '' ? EMPTY : text;
  for (const event of events) now = withEvent(now, event, entry);
  return now;
}

function withEvent(text: string, event: string, entry: HookEntry): string {
  const root = objectOf(placesIn(text), 'the settings');
  const group = { hooks: [entry] };
  const hooks = memberOf(root, 'hooks');
  if (hooks === undefined) return insertLast(text, root, root, { [event]: [group] }, 'hooks');
  const all = objectOf(hooks.value, '"hooks"');
  const groups = memberOf(all, event);
  if (groups === undefined) return insertLast(text, root, all, [group], event);
  const list = arrayOf(groups.value, `"hooks" has a "${event}" that`);
  if (entriesIn(text, list).some((found) => commandOf(found.value) === entry.command)) return text;
  return insertLast(text, root, list, group);
}

export interface Removed {
  text: string;
  /** Entries that went, and entries with our command that somebody changed and that stayed. */
  removed: number;
  changed: number;
}

/**
 * `text` without the entries of these events that have the command and the hash. What they stood in goes too where nothing else is in it.
 * Throws HandoffError SHAPE.
 */
export function withoutEntry(text: string, events: readonly string[], command: string, hash: string): Removed {
  const done: Removed = { text, removed: 0, changed: 0 };
  for (const event of events) {
    const changed = new Set<number>();
    for (;;) {
      const less = withoutOne(done.text, event, command, hash, changed);
      if (less === undefined) break;
      done.text = less;
      done.removed += 1;
    }
    done.changed += changed.size;
  }
  return done;
}

function withoutOne(text: string, event: string, command: string, hash: string, changed: Set<number>): string | undefined {
  const root = placesIn(text);
  const hooks = root.kind === 'object' ? memberOf(root, 'hooks') : undefined;
  const groups = hooks?.value.kind === 'object' ? memberOf(hooks.value, event) : undefined;
  if (root.kind !== 'object' || hooks?.value.kind !== 'object' || groups?.value.kind !== 'array') return undefined;
  const all = hooks.value;
  const list = groups.value;
  changed.clear();
  for (const found of entriesIn(text, list)) {
    if (commandOf(found.value) !== command) continue;
    if (entryHash(found.value) !== hash) {
      changed.add(found.place.start);
      continue;
    }
    // The outermost thing that holds nothing but this entry. A group in which somebody wrote more than hooks is theirs.
    const { group, entries } = found;
    const alone = (container: Container): boolean => holdsOnly(text, container);
    if (!alone(entries) || (group.value.elements?.length ?? 0) > 1) return removeAt(text, entries, entries.elements.indexOf(found.place));
    if (!alone(list)) return removeAt(text, list, list.elements.indexOf(group));
    if (!alone(all)) return removeAt(text, all, all.elements.indexOf(groups));
    return removeAt(text, root, root.elements.indexOf(hooks));
  }
  return undefined;
}

/** Whether a container holds one element and no comment, which would go with it. */
function holdsOnly(text: string, { start, end, elements: [only, ...others] }: Container): boolean {
  if (only === undefined || others.length > 0) return false;
  return /^\s*$/.test(text.slice(start + 1, only.start)) && /^\s*(?:,\s*)?$/.test(text.slice(only.end, end - 1));
}

interface Found {
  group: Element;
  entries: Container;
  place: Element;
  value: unknown;
}

/** Every entry of every group of an event. What has another shape is not ours and not looked at. */
function entriesIn(text: string, groups: Container): Found[] {
  return groups.elements.flatMap((group) => {
    const entries = group.value.kind === 'object' ? memberOf(group.value, 'hooks')?.value : undefined;
    if (entries?.kind !== 'array') return [];
    return entries.elements.map((place) => ({ group, entries, place, value: valueOf(text, place.value) }));
  });
}

function commandOf(entry: unknown): unknown {
  return typeof entry === 'object' && entry !== null ? (entry as Record<string, unknown>)['command'] : undefined;
}

function objectOf(value: Value, what: string): Container {
  if (value.kind === 'object') return value;
  throw new HandoffError('SHAPE', `${what} are no object`);
}

function arrayOf(value: Value, what: string): Container {
  if (value.kind === 'array') return value;
  throw new HandoffError('SHAPE', `${what} is no list`);
}

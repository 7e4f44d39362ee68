/** Reading values out of records whose shape nobody promised: a wrong type reads as absent. */
import type { Json, JsonObject } from './turn.mts';

/** The string, or '' where it is none. */
export function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The string, or undefined where it is none or empty. */
export function word(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The object, or undefined where it is none; a list is none. */
export function object(value: Json | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

/** The list, or an empty one where it is none. */
export function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of a list; everything else in it is passed over. */
export function objects(value: Json | undefined): JsonObject[] {
  return list(value).map(object).filter((item) => item !== undefined);
}

/** The number, or undefined where it is none. */
export function finite(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The parsed object where `source` is the JSON text of one; undefined otherwise. */
export function parsedObject(source: string): JsonObject | undefined {
  if (!source.startsWith('{')) return undefined;
  try {
    return object(JSON.parse(source) as Json);
  } catch {
    return undefined;
  }
}

/** The record that a line holds, blanks and a byte order mark around it passed over; undefined where it holds none. */
export function recordIn(line: string): JsonObject | undefined {
  return parsedObject(line.trim());
}

/** A string as it stands, anything else as its JSON, nothing as ''. */
export function jsonText(value: Json | undefined): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}

/** The object without the keys that have no value, as optional keys want it. */
export function defined<T extends object>(value: { [K in keyof T]?: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as T;
}

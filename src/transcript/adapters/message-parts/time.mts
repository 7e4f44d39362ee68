/** Times are milliseconds since 1970. */
import type { Json, JsonObject } from '../../turn.mts';
import { finite, object } from '../../fields.mts';

/** The latest that a date can be. */
const END_OF_TIME = 8.64e15;

/** The first of the values that is a time, in ISO 8601; '' where none is. */
export function iso(...values: (Json | undefined)[]): string {
  for (const value of values) {
    const ms = finite(value);
    if (ms !== undefined && Math.abs(ms) <= END_OF_TIME) return new Date(ms).toISOString();
  }
  return '';
}

export function timeOf(holder: JsonObject | undefined): JsonObject {
  return object(holder?.time) ?? {};
}

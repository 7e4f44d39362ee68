/** A test says what it tried; table.ts puts it together. */
import { TestRunner } from 'vitest';
import { add, type Row } from './table.ts';

declare module 'vitest' {
  interface TaskMeta {
    faults?: Row[];
  }
}

/** Adds to the row of the same scenario and kind; a test carries its rows to the reporter. */
export function record(row: Row): void {
  const meta = TestRunner.getCurrentTest()?.meta;
  if (meta !== undefined) add((meta.faults ??= []), row);
}

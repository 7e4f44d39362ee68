/** The last rows of something that goes on for ever. */
export interface Ring<T> {
  push(row: T): void;
  /** Oldest first. */
  rows(): T[];
}

export function createRing<T>(size: number): Ring<T> {
  const slots: T[] = [];
  let next = 0;
  return {
    push(row) {
      slots[next % size] = row;
      next++;
    },
    rows: () => (next <= size ? [...slots] : [...slots.slice(next % size), ...slots.slice(0, next % size)]),
  };
}

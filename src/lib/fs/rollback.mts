/**
 * The rollback stack: every mutation pushes its undo the moment it has an effect; a commit disarms them;
 * on failure they run in reverse, each once, and one that fails neither stops the others nor hides the first error.
 */
export interface Rollback {
  push(undo: () => void): void;
  /** The work is done: nothing is to be undone any more. */
  commit(): void;
  /** Gives true where every undo worked. A second call does nothing. */
  run(): boolean;
}

export function createRollback(): Rollback {
  let undos: (() => void)[] = [];
  return {
    push: (undo) => void undos.push(undo),
    commit: () => void (undos = []),
    run() {
      let whole = true;
      for (let undo = undos.pop(); undo !== undefined; undo = undos.pop()) {
        try {
          undo();
        } catch {
          whole = false;
        }
      }
      return whole;
    },
  };
}

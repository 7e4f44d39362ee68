/** What is undone when a signal, or a crash outside every command, ends the process. */

/** Their numbers are the same on every system. */
const SIGNALS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 };
const undos: Array<() => void> = [];

/** Pushes an undo; gives the function that takes it back. Signals are listened to only while there is one. */
export function onSignal(undo: () => void): () => void {
  if (undos.length === 0) for (const signal of Object.keys(SIGNALS)) process.on(signal, die);
  // A wrapper, so that the same function pushed twice is two entries.
  const entry = (): void => undo();
  undos.push(entry);
  return () => {
    const at = undos.indexOf(entry);
    if (at === -1) return;
    undos.splice(at, 1);
    if (undos.length === 0) for (const signal of Object.keys(SIGNALS)) process.off(signal, die);
  };
}

/** Runs every undo, last first, each once; one that fails does not keep the others from running. */
export function undoAll(): void {
  for (let undo = undos.pop(); undo !== undefined; undo = undos.pop()) {
    try {
      undo();
    } catch {
      // The process is ending: what is left behind is found by the next command that takes the lock.
    }
  }
}

function die(signal: keyof typeof SIGNALS): void {
  undoAll();
  process.exit(128 + SIGNALS[signal]);
}

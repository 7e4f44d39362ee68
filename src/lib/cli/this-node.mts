/** What the bounded executor asks of the running Node; here, because only this folder touches the process. */

export const NODE_VERSION = process.versions.node;

/** Flags that this Node takes, with the permission model's among them where it has one. */
export function knownFlags(): ReadonlySet<string> {
  return process.allowedNodeEnvironmentFlags;
}

/** Ends a process that leads a group, and all of its group, at once. One that has gone is no error. */
export function endGroup(pid: number): void {
  const send = process.kill.bind(process);
  try {
    send(-pid, 'SIGKILL');
  } catch {
    try {
      // Windows has no groups: the process alone.
      send(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

/**
 * Runs `body` with `folder` as the current one. It is given where that folder really is: the system keeps the current
 * folder open, so no later change of a path alters what a name without folders means in `body`.
 */
export function insideFolder<T>(folder: string, body: (real: string) => T): T {
  const before = process.cwd();
  process.chdir(folder);
  try {
    return body(process.cwd());
  } finally {
    process.chdir(before);
  }
}

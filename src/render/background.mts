/** Tasks that go on while the agent does something else, until they report: background agents, shells, yielded commands. */
import { head } from './text.mts';
import type { CommandRow } from './digest.mts';
import type { Where } from './work.mts';

export interface BackgroundTask {
  at: Where;
  target: string;
  /** The commands whose outcome is known only when it ends. */
  commands: readonly CommandRow[];
}

export interface Background {
  /** Looks at the head of a result: it may say that the work goes on in the background. True where it does. */
  started(result: string, task: () => BackgroundTask): boolean;
  /** A later result that asked for the task named in `input` says that it has ended; gives the task. */
  polled(tool: string, input: string, result: string): BackgroundTask | undefined;
  /** A notification of the client. */
  notified(text: string): void;
  /** Tasks that never reported, oldest first. */
  running(): BackgroundTask[];
}

const STARTED = /(?:running in background with ID: |Process running with session ID |^Async agent launched[^]{0,400}?agentId: |^Background agent launched[^]{0,200}?task_id: )([\w-]+)/;
const MAX_TASKS = 1_000;

export function createBackground(): Background {
  const running = new Map<string, BackgroundTask>();
  return {
    started(result, task) {
      const start = head(result, 600);
      // Cheap looks before the expression: this runs on every result.
      if (!start.includes('ID') && !start.includes('agentId') && !start.includes('task_id')) return false;
      const id = STARTED.exec(start)?.[1];
      if (id === undefined) return false;
      if (!running.has(id)) running.set(id, task());
      for (const oldest of running.keys()) {
        if (running.size <= MAX_TASKS) break;
        running.delete(oldest);
      }
      return true;
    },
    polled(tool, input, result) {
      if (running.size === 0) return undefined;
      const id = /"(?:session_id|bash_id|shell_id|task_id|agentId|id)"\s*:\s*"?([\w-]+)/.exec(head(input, 1_000))?.[1];
      const task = id === undefined ? undefined : running.get(id);
      if (id === undefined || task === undefined) return undefined;
      const over = /Process exited with code|<status>(?:completed|failed|killed|stopped)|aborted by user/.test(head(result, 1_000));
      if (!over && !/^(?:Kill|TaskStop)/.test(tool)) return undefined;
      running.delete(id);
      return task;
    },
    notified(text) {
      if (running.size === 0) return;
      const id = /<task-id>([\w-]+)<\/task-id>/.exec(head(text, 2_000))?.[1];
      if (id !== undefined) running.delete(id);
    },
    running: () => [...running.values()],
  };
}

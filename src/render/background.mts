/** Tasks that go on while the agent does something else, until they report: background agents, shells, yielded commands. */
import { head } from './text.mts';
import type { Call } from './turn-rows.mts';

/** How a task ended, as far as that is told. */
export interface Ended {
  call: Call;
  ok?: boolean | undefined;
  exit?: number | undefined;
  /** What the client says of it. */
  says: string;
}

export interface Background {
  /** Looks at the head of a result: it may say that the work goes on in the background. True where it does. */
  started(result: string, call: Call): boolean;
  /** A later result that asked for the task named in `input` says that it has ended. */
  polled(tool: string, input: string, result: string): Ended | undefined;
  /** A notification of the client. */
  notified(text: string): Ended | undefined;
  /** The calls whose tasks never reported, oldest first. */
  running(): Call[];
}

const STARTED = /(?:running in background with ID: |Process running with session ID |^Async agent launched[^]{0,400}?agentId: |^Background agent launched[^]{0,200}?task_id: )([\w-]+)/;
const MAX_TASKS = 1_000;

export function createBackground(): Background {
  const running = new Map<string, Call>();
  return {
    started(result, call) {
      const start = head(result, 600);
      // Cheap looks before the expression: this runs on every result.
      if (!start.includes('ID') && !start.includes('agentId') && !start.includes('task_id')) return false;
      const id = STARTED.exec(start)?.[1];
      if (id === undefined) return false;
      if (!running.has(id)) running.set(id, call);
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
      return { call: task, ...verdict(head(result, 1_000)) };
    },
    notified(text) {
      if (running.size === 0) return undefined;
      const start = head(text, 2_000);
      const id = /<task-id>([\w-]+)<\/task-id>/.exec(start)?.[1];
      const task = id === undefined ? undefined : running.get(id);
      if (id === undefined || task === undefined) return undefined;
      running.delete(id);
      return { call: task, ...verdict(start) };
    },
    running: () => [...running.values()],
  };
}

/** In the client's own words: `<status>failed</status>`, `completed (exit code 0)`. What was stopped did neither fail nor work. */
function verdict(said: string): Omit<Ended, 'call'> {
  const status = /<status>(\w+)<\/status>/.exec(said)?.[1];
  const summary = /<summary>([^<]{1,1000})<\/summary>/.exec(said)?.[1];
  const code = /<exit_code>(-?\d+)<\/exit_code>/.exec(said)?.[1] ?? /\bexit code (-?\d+)\b/.exec(summary?.slice(-60) ?? '')?.[1];
  const exit = code === undefined ? undefined : Number(code);
  const ok = status === 'failed' ? false : status !== 'completed' ? undefined : exit === undefined || exit === 0;
  return { ...(ok === undefined ? {} : { ok }), ...(exit === undefined || ok === undefined ? {} : { exit }), says: summary ?? said };
}

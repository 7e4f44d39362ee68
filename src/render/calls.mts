/** What a tool call says it does: which file, which command, which plan. Read from the call's text, whoever wrote it. */
import { isObject } from '../lib/json.mts';
import { head, keep } from './text.mts';
import { CALL_LEAD, type Turn } from '../transcript/turn.mts';
import type { ChangeKind, PlanRow } from './digest.mts';

export type CallKind = 'write' | 'edit' | 'patch' | 'delete' | 'shell' | 'plan' | 'ask' | 'agent' | 'other';

/** Tool names by what they do, over all harnesses. A tool that is not here is `other` and only shown. */
const KINDS: Readonly<Record<Exclude<CallKind, 'other'>, string>> = {
  write: 'Write write_file write create create_file write_to_file builtin_create_new_file create_new_file',
  edit: `Edit MultiEdit NotebookEdit edit multiedit edit_file replace str_replace str_replace_editor replace_in_file editor patch
    builtin_edit_existing_file builtin_single_find_and_replace edit_existing_file single_find_and_replace multi_edit`,
  patch: 'apply_patch',
  delete: 'delete_file remove_file',
  shell: `Bash bash shell shell_command exec_command local_shell local_shell_call container.exec run_shell_command run_command
    run_commands execute_command run_terminal_command run_in_terminal builtin_run_terminal_command powershell`,
  plan: 'TodoWrite todowrite todo_write write_todos update_plan update_todo Checklist',
  ask: 'AskUserQuestion question ask_user ask_followup_question ask_question request_user_input ask_user_question ExitPlanMode exit_plan_mode plan_exit',
  agent: 'Agent Task task agent invoke_agent spawn_agent use_subagents',
};
const KIND_OF = new Map<string, CallKind>(
  Object.entries(KINDS).flatMap(([kind, names]) => names.split(/\s+/).map((name) => [name, kind as CallKind] as const)),
);

export interface Change {
  path: string;
  /** `written`: the result says whether it was there before. */
  how: ChangeKind | 'written';
  from?: string;
}

export interface CallSays {
  kind: CallKind;
  /** Command, path or head of the input: what a reader needs to recognise the call. */
  target: string;
  /** Files that it changes if it succeeds. */
  changes: readonly Change[];
  /** Commands that it runs. */
  commands: readonly string[];
  plan?: PlanRow[];
  /** It asks for the approval of a plan with these steps; none where the call does not tell them. */
  steps?: readonly string[];
}

const TARGET_LENGTH = 400;
const COMMAND_LENGTH = 2_000;
/** A larger input is not parsed as a whole: a call may carry a file of many megabytes. */
const PARSE_LIMIT = 256 * 1024;
const NOTHING: readonly never[] = [];

/** What the call `turn` says; never throws, whatever its text is. */
export function readCall(turn: Turn): CallSays {
  const tool = turn.tool ?? '';
  const kind = KIND_OF.get(tool) ?? 'other';
  const text = turn.text;
  switch (kind) {
    case 'write':
    case 'edit':
    case 'delete':
      return readFileCall(kind, text);
    case 'patch':
      return patchCall(kind, patchText(text));
    case 'shell':
      return readShellCall(text);
    case 'plan':
      return { ...plain(kind, text, tool), ...planOf(text) };
    case 'ask':
      return { ...plain(kind, text, tool, /plan/i.test(tool) ? PLAN_KEY : QUESTION_KEY), ...(/plan/i.test(tool) ? { steps: planSteps(fieldsIn(text)?.['plan']) } : {}) };
    case 'agent':
      return plain(kind, text, tool, TASK_KEY);
    default:
      return plain(kind, text, tool, PATH_KEY);
  }
}

function plain(kind: CallKind, text: string, tool: string, key?: RegExp): CallSays {
  const named = key === undefined ? undefined : stringIn(text, key, TARGET_LENGTH);
  return { kind, target: named ?? keep(inputOf(text, tool), TARGET_LENGTH), changes: NOTHING, commands: NOTHING };
}

function readFileCall(kind: 'write' | 'edit' | 'delete', text: string): CallSays {
  const path = pathIn(text);
  if (path === undefined) return plain('other', text, '');
  if (kind === 'delete') return { kind, target: path, changes: [{ path, how: 'deleted' }], commands: NOTHING };
  // One tool of several harnesses reads, writes and edits: its own command tells.
  const command = stringIn(text, COMMAND_KEY, 64);
  if (command === 'view') return { kind: 'other', target: path, changes: NOTHING, commands: NOTHING };
  const creates = kind === 'write' || command === 'create' || text.includes('"oldString":""') || (text.includes('"new_text"') && !text.includes('"old_text"'));
  return { kind, target: path, changes: [{ path, how: creates ? 'written' : 'edited' }], commands: NOTHING };
}

function readShellCall(text: string): CallSays {
  const commands = shellCommands(text);
  const first = commands[0] ?? '';
  // A patch through the shell counts only where it is plainly one, not where a command mentions it.
  if (/^\s*(?:cd \S+ && )?apply_patch\b/.test(first) && first.includes('*** Begin Patch')) {
    return { ...patchCall('patch', first), commands: NOTHING };
  }
  const kept = commands.map((command) => keep(command, COMMAND_LENGTH));
  return { kind: 'shell', target: keep(commands.join('; '), TARGET_LENGTH), changes: NOTHING, commands: kept };
}

function shellCommands(text: string): string[] {
  const input = fieldsIn(text);
  if (input === undefined) return [stringIn(text, COMMAND_KEY, 16_384) ?? inputOf(text, '')];
  const action = isObject(input['action']) ? input['action'] : input;
  const command = action['command'] ?? action['cmd'] ?? action['script'];
  if (typeof command === 'string') return [command];
  if (Array.isArray(command)) return [fromArgv(command.filter((word) => typeof word === 'string'))];
  const several = action['commands'];
  if (typeof several === 'string') return [several];
  if (Array.isArray(several)) {
    const found = several.flatMap((one) => (typeof one === 'string' ? [one] : isObject(one) && typeof one['command'] === 'string' ? [one['command']] : []));
    if (found.length > 0) return found.slice(0, 20);
  }
  return [inputOf(text, '')];
}

function fromArgv(words: string[]): string {
  const [program = '', flag = '', script] = words;
  if (script !== undefined && words.length === 3 && /(?:^|\/)(?:ba|z|da)?sh$/.test(program) && /^-l?c$/.test(flag)) return script;
  return program === 'apply_patch' ? `apply_patch\n${words.slice(1).join('\n')}` : words.join(' ');
}

function patchCall(kind: CallKind, patch: string): CallSays {
  const changes = patchChanges(patch);
  const target = changes.length > 0 ? changes.map((change) => change.path).join(', ') : patch;
  return { kind, target: keep(target, TARGET_LENGTH), changes, commands: NOTHING };
}

function patchText(text: string): string {
  const input = /^\S+ \S+ \{/.test(head(text, 200)) ? fieldsIn(text) : undefined;
  const inner = input?.['input'] ?? input?.['patch'] ?? input?.['patchText'];
  return typeof inner === 'string' ? inner : text;
}

function patchChanges(patch: string): Change[] {
  const changes: Change[] = [];
  for (const [, verb, rest] of head(patch, 4 << 20).matchAll(/^\*\*\* (Add File|Update File|Delete File|Move to): ([^\n\r]{1,4096})/gm)) {
    const path = (rest ?? '').trim();
    const before = changes.at(-1);
    if (verb === 'Move to') {
      if (before !== undefined) changes[changes.length - 1] = { path, how: 'renamed', from: before.path };
    } else changes.push({ path, how: verb === 'Add File' ? 'created' : verb === 'Delete File' ? 'deleted' : 'edited' });
    if (changes.length === 500) break;
  }
  return changes;
}

function planOf(text: string): { plan?: PlanRow[] } {
  const input = fieldsIn(text);
  const items = input?.['todos'] ?? input?.['plan'] ?? input?.['items'] ?? input?.['checklist'];
  if (typeof items === 'string') return checklist(items);
  if (!Array.isArray(items)) return {};
  const plan = items.slice(0, 100).flatMap((item): PlanRow[] => {
    if (!isObject(item)) return [];
    const said = item['content'] ?? item['step'] ?? item['description'] ?? item['text'];
    const status = item['status'];
    return typeof said === 'string' ? [{ status: typeof status === 'string' ? head(status, 40) : 'pending', text: head(said, 300) }] : [];
  });
  return { plan };
}

/** Some clients keep the plan as a list in Markdown: `- [x] done`, `- [ ] open`. */
function checklist(text: string): { plan?: PlanRow[] } {
  const rows = head(text, 64 * 1024).matchAll(/^[ \t]{0,20}[-*] \[([ xX~-])\] (.{1,300})/gm);
  const plan = [...rows].slice(0, 100).map(([, mark = ' ', said = '']) => ({ status: /x/i.test(mark) ? 'completed' : mark === ' ' ? 'pending' : 'in_progress', text: said.trim() }));
  return plan.length === 0 ? {} : { plan };
}

/** The steps of a plan in Markdown: its list items, else its first lines. Twenty at most. */
export function planSteps(plan: unknown): string[] {
  if (typeof plan !== 'string') return [];
  const lines = head(plan, 20_000).split('\n').map((line) => line.trimEnd());
  const items = lines.filter((line) => /^ {0,1}(?:\d{1,3}[.)]|[-*+])\s+\S/.test(line)).map((line) => line.trim().replace(/^(?:\d{1,3}[.)]|[-*+])\s+(?:\[.\]\s+)?/, ''));
  const said = items.length > 0 ? items : lines.map((line) => line.replace(/^#+\s*/, '').trim()).filter((line) => line !== '');
  return said.slice(0, 20).map((line) => head(line, 300));
}

const PATH_KEY = /"(?:file_path|filePath|filepath|path|notebook_path|absolute_path|target_file)"\s*:\s*"/g;
const QUESTION_KEY = /"question"\s*:\s*"/g;
const PLAN_KEY = /"plan"\s*:\s*"/g;
const TASK_KEY = /"(?:description|prompt|message|task)"\s*:\s*"/g;
const COMMAND_KEY = /"(?:command|cmd)"\s*:\s*"/g;

/** The first path that the input names. */
export function pathIn(text: string): string | undefined {
  return stringIn(text, PATH_KEY, 4_096);
}

/**
 * The first string under `key` in JSON text, without parsing the rest. A quote inside a JSON string is always
 * escaped, so that text inside a value can't pass for a key. Values longer than `max` are cut.
 */
function stringIn(text: string, key: RegExp, max: number): string | undefined {
  key.lastIndex = 0;
  if (!key.test(text)) return undefined;
  const start = key.lastIndex;
  for (let at = text.indexOf('"', start); at >= 0 && at - start <= max; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return unquoted(text.slice(start - 1, at + 1));
  }
  return head(text.slice(start, start + max + 1), max);
}

function unquoted(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal.slice(1, -1);
  }
}

/** The fields of a call: the JSON object behind its name; undefined where there is none, or the text has more than `limit` characters. */
export function fieldsIn(text: string, limit = PARSE_LIMIT): Record<string, unknown> | undefined {
  const start = text.indexOf('{');
  if (start < 0 || start > 300 || text.length > limit) return undefined;
  try {
    const value: unknown = JSON.parse(text.slice(start));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The call's text without the words that say which kind of record and which tool it was. */
function inputOf(text: string, tool: string): string {
  const short = head(text, 4_096);
  const match = CALL_LEAD.exec(short);
  const rest = match === null ? short : short.slice(match[0].length);
  return tool !== '' && rest.startsWith(`${tool} `) ? rest.slice(tool.length + 1) : rest;
}

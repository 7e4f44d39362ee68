/**
 * What a tool does to the world, by the name that its harness gives it. A name that is not here is `unknown`:
 * a reader is told to look before repeating it. Shells are `unknown`: only their command could tell.
 */
import type { Effect } from './turn.mts';

const READ = `Read Grep Glob LS NotebookRead WebFetch WebSearch TodoRead BashOutput TaskOutput ListMcpResources ReadMcpResource
  view_image web_search web_search_call list_agents wait_agent list_dir read_file grep_files tool_search tool_search_call
  read_many_files list_directory glob search_file_content grep_search google_web_search web_fetch
  read list grep webfetch websearch codesearch view glob_search search_files list_files list_code_definition_names
  builtin_read_file builtin_ls builtin_grep_search builtin_file_glob_search builtin_view_diff builtin_search_web fetch find ls
  ToolSearch ask_user AskUserQuestion question ask_followup_question
  read_bash list_bash read_powershell list_powershell read_agent fetch_copilot_cli_documentation
  read_files search_codebase fetch_web_content ask_question team_status team_list_runs team_read_mailbox team_list_outcomes
  Search List Fetch read_currently_open_file read_file_range lsp codebase_search
  read_mcp_resource list_mcp_resources get_internal_docs ask_user_question get_goal tracker_list_tasks tracker_get_task`.split(/\s+/);
const IDEMPOTENT = `TodoWrite update_plan todowrite todoread write_todos todo_write save_memory ExitPlanMode EnterPlanMode Skill skill
  report_intent activate_skill enter_plan_mode exit_plan_mode plan_exit attempt_completion update_todo skills Skills Checklist plan_enter
  update_topic update_goal`.split(/\s+/);
const WRITE = `Write Edit MultiEdit NotebookEdit apply_patch write_file replace edit write create str_replace_editor
  write_to_file replace_in_file builtin_create_new_file builtin_edit_existing_file builtin_single_find_and_replace multiedit patch editor create_new_file edit_existing_file
  single_find_and_replace multi_edit`.split(/\s+/);

const EFFECTS = new Map<string, Effect>([
  ...READ.map((name) => [name, 'read'] as const),
  ...IDEMPOTENT.map((name) => [name, 'idempotent'] as const),
  ...WRITE.map((name) => [name, 'write'] as const),
]);

/** The effect of the tool `name`; never throws. */
export function effectOf(name: string): Effect {
  return EFFECTS.get(name) ?? 'unknown';
}

/** Captures the sub-agents of a session that was just built, each as a handoff of its own beside that of its parent. */
import fs from 'node:fs';
import path from 'node:path';
import { HandoffError, type ErrorCode } from '../lib/errors.mts';
import { noRedaction } from '../transcript/redaction/redactor.mts';
import { build, type BuildResult } from './build.mts';
import { findSubagents, peekByShape } from './recorded/subagents.mts';
import type { BuildPlace, BuildRequest } from './work.mts';

export type SubagentBuilt =
  | { path: string; result: BuildResult }
  | { path: string; error: { code: ErrorCode; message: string } };

/**
 * Sub-agents of sub-agents are captured too. One that cannot be built is told and does not stop the others; a transcript in
 * which nothing was said yet is passed over. A new one goes to its parent's project.
 */
export async function buildSubagents(parent: BuildResult, request: BuildRequest, place: BuildPlace): Promise<SubagentBuilt[]> {
  if (request.file === '-') return [];
  const built: SubagentBuilt[] = [];
  const queue = [fs.realpathSync(path.resolve(place.cwd, request.file))];
  const seen = new Set(queue);
  const within: BuildPlace = { ...place, projectName: parent.project };
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    for (const child of await childrenOf(file)) {
      if (seen.has(child)) continue;
      seen.add(child);
      queue.push(child);
      const one = await buildOne({ ...common(request), file: child }, within);
      if (one !== undefined) built.push(one);
    }
  }
  return built;
}

/** The paths as they are, not as they are shown. */
async function childrenOf(file: string): Promise<string[]> {
  const { uuid } = (await peekByShape(file)).facts;
  return uuid === undefined ? [] : (await findSubagents(file, uuid, noRedaction)).map((row) => row.path);
}

/** What was asked for the parent alone (its name, objective, project, model) is not said of its sub-agents. */
function common({ allowBadLines, harness, forceHarness, maxLineBytes, redact }: BuildRequest): Omit<BuildRequest, 'file'> {
  return { maxLineBytes, redact, harness, ...(allowBadLines === undefined ? {} : { allowBadLines }), ...(forceHarness === undefined ? {} : { forceHarness }) };
}

async function buildOne(request: BuildRequest, place: BuildPlace): Promise<SubagentBuilt | undefined> {
  try {
    return { path: request.file, result: await build(request, place) };
  } catch (error) {
    if (!(error instanceof HandoffError)) throw error;
    place.note(`the sub-agent's transcript was not captured: ${error.message}`);
    return error.code === 'NO_TURNS' ? undefined : { path: request.file, error: { code: error.code, message: error.message } };
  }
}

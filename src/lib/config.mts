/**
 * handoff.config.json: what its keys may hold, and what they are when absent. A file that is there but wrong
 * stops every command, because a store or a redaction that is silently another one is worse than a refusal.
 * handoff.config.schema.json says the same for editors; a test holds the two together.
 */
import { checkObject, flag, oneOf, parseStrict, text, type Check, type Keys } from './strict-json.mts';

export const CONFIG_NAME = 'handoff.config.json';

/** The configuration with every default filled in. Keys are the file's own. */
export interface Config {
  readonly project_name?: string;
  readonly max_brief_tokens: number;
  /** How a tool's output stands in TOOLS.md and `tool_calls[]`; never in the timeline. Length in characters. */
  readonly capture: {
    readonly exclude_patterns: readonly string[];
    readonly include_tool_outputs: boolean;
    readonly truncate_tool_outputs: boolean;
    readonly max_tool_output_length: number;
  };
  readonly linking: { readonly enabled: boolean; readonly min_overlap_score: number };
  readonly integrity: { readonly verify_on_read: boolean };
  readonly redaction: { readonly enabled: boolean; readonly patterns: readonly string[] };
}

/** A file that passed the check: what it says, nothing filled in. */
export interface ConfigFile {
  readonly project_name?: string;
  readonly max_brief_tokens?: number;
  readonly handoff_dir?: string;
  readonly storage?: { readonly path?: string };
  readonly capture?: Partial<Config['capture']>;
  readonly linking?: Partial<Config['linking']>;
  readonly integrity?: Partial<Config['integrity']>;
  readonly redaction?: Partial<Config['redaction']>;
}

const texts: Check = (value) => Array.isArray(value) && value.every((item) => typeof item === 'string') ? undefined : 'must be an array of strings';
const number = (min: number, max: number, whole: boolean): Check => (value) =>
  typeof value === 'number' && value >= min && value <= max && (!whole || Number.isInteger(value))
    ? undefined
    : `must be a ${whole ? 'whole ' : ''}number ${max === Infinity ? `of at least ${min}` : `from ${min} to ${max}`}`;
const expressions: Check = (value) => {
  const wrong = texts(value);
  if (wrong !== undefined) return wrong;
  for (const source of value as string[]) {
    try {
      new RegExp(source);
    } catch {
      return `must hold regular expressions, and ${JSON.stringify(source)} is not one`;
    }
  }
  return undefined;
};
const ignored: Check = () => undefined;

/** Every key that a configuration may have. */
export const CONFIG_KEYS: Keys = {
  $schema: text,
  version: oneOf(1),
  handoff_dir: text,
  project_name: text,
  max_brief_tokens: number(1000, 100_000, true),
  capture: {
    exclude_patterns: texts,
    include_tool_outputs: flag,
    truncate_tool_outputs: flag,
    max_tool_output_length: number(0, Infinity, true),
  },
  linking: { enabled: flag, min_overlap_score: number(0, 1, false) },
  integrity: { verify_on_read: flag, sha256_manifest: ignored },
  storage: { type: oneOf('filesystem'), path: text },
  redaction: { enabled: flag, patterns: expressions },
  auto_capture: ignored,
  exclude_from_handoff: ignored,
};

/**
 * Checks the text of a configuration file. `notes` are sentences about keys that are accepted and do nothing.
 * Throws HandoffError CONFIG that names the file and the key.
 */
export function parseConfig(file: string, source: string): { config: ConfigFile; notes: string[] } {
  const value = parseStrict(file, source);
  checkObject(file, '', value, CONFIG_KEYS);
  const notes = ignoredIn(value, CONFIG_KEYS).map((key) => `${file}: "${key}" is accepted from 2.0.x and does nothing`);
  return { config: value as ConfigFile, notes };
}

/** The nearer file's keys over the farther one's, key by key. */
export function mergeConfig(nearer: ConfigFile, farther: ConfigFile): ConfigFile {
  return {
    ...farther,
    ...nearer,
    capture: { ...farther.capture, ...nearer.capture },
    linking: { ...farther.linking, ...nearer.linking },
    integrity: { ...farther.integrity, ...nearer.integrity },
    redaction: { ...farther.redaction, ...nearer.redaction },
  };
}

/** The defaults where the file says nothing. */
export function fillConfig(file: ConfigFile): Config {
  const { capture = {}, linking = {}, integrity = {}, redaction = {} } = file;
  return {
    ...(file.project_name ? { project_name: file.project_name } : {}),
    // The brief's fixed parts alone need about this much, so a smaller number could not be kept.
    max_brief_tokens: Math.max(4000, file.max_brief_tokens ?? 30_000),
    capture: {
      exclude_patterns: capture.exclude_patterns ?? [],
      include_tool_outputs: capture.include_tool_outputs ?? true,
      truncate_tool_outputs: capture.truncate_tool_outputs ?? false,
      max_tool_output_length: capture.max_tool_output_length ?? 10_000,
    },
    linking: { enabled: linking.enabled ?? true, min_overlap_score: linking.min_overlap_score ?? 0.06 },
    integrity: { verify_on_read: integrity.verify_on_read ?? false },
    redaction: { enabled: redaction.enabled ?? true, patterns: redaction.patterns ?? [] },
  };
}

/** The paths of the keys that are there and do nothing. */
function ignoredIn(value: object, keys: Keys, at = ''): string[] {
  return Object.entries(value).flatMap(([name, item]) => {
    const rule = keys[name];
    if (typeof rule === 'object') return ignoredIn(item as object, rule, `${at}${name}.`);
    return rule === ignored ? [at + name] : [];
  });
}

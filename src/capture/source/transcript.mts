/** A source whose shape is known: lines of records, text with role markers, or a whole that changes in place. */
import { HandoffError } from '../../lib/errors.mts';
import { readLines, type Line } from '../../lib/fs/lines.mts';
import { sha256 } from '../../lib/hash-chain.mts';
import type { LineAdapter, Loaded, WholeAdapter } from '../../transcript/adapter.mts';
import { shapeOf } from '../../transcript/shape.mts';
import type { Redactor } from '../../transcript/redaction/redactor.mts';
import type { Json, JsonObject, SessionFacts, TurnDraft } from '../../transcript/turn.mts';
import { isUnfinishedJson } from './json-text.mts';
import { DEAF, mergeFacts } from './facts.mts';
import { countUnknown, createTally, createTokenCount, takeDraft, type BadLine, type Tally, type TokenCount } from './records.mts';
import { addTotal } from '../../transcript/usage.mts';
import type { Source } from './source.mts';

/** A source that changes in place, read whole. */
export interface Whole {
  adapter: WholeAdapter;
  drafts: TurnDraft[];
  tally: Tally;
  tokens: TokenCount;
  raw_sha256: string;
  bytes: number;
}

export interface Transcript {
  source: Source;
  /** What `source_paths` names. */
  path: string;
  /** Absent for role-marked text and for wholes. */
  adapter: LineAdapter | undefined;
  whole: Whole | undefined;
  head: JsonObject[];
  facts: SessionFacts;
}

/** A document is parsed as one string; this is what a machine with little memory still takes. */
const LARGEST_DOCUMENT = 256 * 1024 * 1024;

/**
 * Names the shape, or says what the file is. `scratch`: a folder of the store for copies that are removed again.
 * Throws SHAPE, NO_TURNS, or BAD_LINES for a whole that is no JSON.
 */
export async function recognise(source: Source, redactor: Redactor, options: { session: string | undefined; allowBadLines: boolean; scratch: string }): Promise<Transcript> {
  const shape = await shapeOf(source.head, source.path);
  if (shape.kind === 'unreadable') throw new HandoffError('SHAPE', `${told(source.path)} is ${shape.what}: ${shape.advice}`);
  if (shape.kind === 'empty') throw noTurns(source.path);
  if (shape.kind === 'role-text') return { source, path: source.path, adapter: undefined, whole: undefined, head: [], facts: {} };
  if (shape.kind === 'whole') {
    const { whole, path, facts } = await readWhole(source, shape.adapter, redactor, options);
    return { source, path, adapter: undefined, whole, head: [], facts };
  }
  const { head, facts } = cleanHead(shape.adapter, source.path, shape.records, redactor);
  return { source, path: source.path, adapter: shape.adapter, whole: undefined, head, facts };
}

/** The first records and what they say of the session. What names a session must be as clean as what is said in it. */
function cleanHead(adapter: LineAdapter, path: string, records: JsonObject[], redactor: Redactor): { head: JsonObject[]; facts: SessionFacts } {
  if (adapter.keepsNames === true) {
    try {
      const facts = factsOf(adapter, path, records);
      if (!redactor.mayHold(namesOf(adapter, path, records, facts))) return named(records, facts, redactor);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  const head = records.flatMap((record) => cleanRecord(record, redactor));
  return named(head, factsOf(adapter, path, head), redactor);
}

/** With the names in it as clean as the config's own patterns want them. */
function named(head: JsonObject[], said: SessionFacts, redactor: Redactor): { head: JsonObject[]; facts: SessionFacts } {
  const facts: SessionFacts = {};
  redactor.words({ ...DEAF, facts: (more) => mergeFacts(facts, more) }).facts(said);
  const [first, ...rest] = head;
  const session = first?.['session'];
  return { head: first === undefined || typeof session !== 'string' ? head : [{ ...first, session: redactor.id(session) }, ...rest], facts };
}

/** A record that is nested deeper than the stack names nothing; the reading of its line tells it. */
function factsOf(adapter: LineAdapter, path: string, records: JsonObject[]): SessionFacts {
  const facts = adapter.identify({ path, records });
  for (const record of records) {
    try {
      adapter.read(record, { ...DEAF, facts: (more) => mergeFacts(facts, more) });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return facts;
}

/** All of a head that is written or told somewhere, besides the turns in it. */
function namesOf(adapter: LineAdapter, path: string, records: JsonObject[], facts: SessionFacts): string[] {
  const own = adapter.ownSide?.({ path, records });
  return [...Object.values(facts), own, records[0]?.['session']].map((value) => (typeof value === 'string' ? value : JSON.stringify(value ?? '')));
}

/** Nothing of a record that is nested deeper than the stack. */
function cleanRecord(record: JsonObject, redactor: Redactor): JsonObject[] {
  try {
    return [redactor.record(record, JSON.stringify(record))];
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

/** How a text says who speaks, for a person whose text does not. */
export const ROLE_MARKERS = 'in a text a turn begins at a line that opens with user, human, assistant, ai, system or tool, then : or >';

/** A source as a sentence names it. */
function told(file: string): string {
  return file === '-' ? 'standard input' : file;
}

/** NO_TURNS; of a text it also says how one is marked. */
export function noTurns(file: string, isText = false): HandoffError {
  return new HandoffError('NO_TURNS', `${told(file)} holds no conversation: not one turn that a person, an agent or a tool made${isText ? ` (${ROLE_MARKERS})` : ''}`);
}

/** BAD_LINES with the first few, by number and reason; `count` is of all. */
export function badLines(file: string, bad: readonly BadLine[], count: number): HandoffError {
  const listed = bad.map(({ line, reason }) => `${line} (${reason})`).join(', ');
  const more = count > bad.length ? ` +${count - bad.length} more` : '';
  const verb = count === 1 ? 'line is' : 'lines are';
  return new HandoffError('BAD_LINES', `${count} ${verb} not readable in ${told(file)}: ${listed}${more}; nothing was written (--allow-bad-lines takes the rest)`, { data: { lines: bad, count } });
}

async function readWhole(source: Source, adapter: WholeAdapter, redactor: Redactor, options: Parameters<typeof recognise>[2]): Promise<{ whole: Whole; path: string; facts: SessionFacts }> {
  const tally = createTally();
  const loaded = typeof adapter.form === 'function'
    ? await adapter.form(source.path, source.fragment ?? options.session, options.scratch)
    : loadFile(source, adapter.form, tally, options.allowBadLines);
  if (loaded.bad !== undefined && loaded.bad.length > 0) {
    if (!options.allowBadLines) throw badLines(source.path, loaded.bad.slice(0, 5), loaded.bad.length);
    tally.bad.push(...loaded.bad.slice(0, 5));
    tally.badCount += loaded.bad.length;
  }
  const drafts: TurnDraft[] = [];
  const tokens = createTokenCount({});
  try {
    adapter.read(redactor.record(loaded.value, JSON.stringify(loaded.value)), source.path, redactor.words({
      turn: (draft) => takeDraft(draft, undefined, drafts),
      facts: (facts) => mergeFacts(tally.facts, facts),
      usage: (id, more) => tokens.add(id, more),
      usageTotal: (more) => void (tally.running = addTotal(tally.running, more)),
      unknown: (type) => countUnknown(tally, type),
    }));
  } catch (error) {
    // JSON.parse takes a nesting that is deeper than the stack; what walks the value does not.
    if (!(error instanceof RangeError)) throw error;
    throw new HandoffError('BAD_LINES', `${told(source.path)} is nested too deeply; nothing was written`, { cause: error });
  }
  return { whole: { adapter, drafts, tally, tokens, raw_sha256: loaded.raw_sha256, bytes: loaded.bytes }, path: loaded.path, facts: tally.facts };
}

function loadFile(source: Source, form: 'document' | 'log', tally: Tally, allowBadLines: boolean): Loaded {
  if (source.size > LARGEST_DOCUMENT) {
    throw new HandoffError('SHAPE', `${source.path} is one document of ${source.size} bytes; documents are read whole, up to ${LARGEST_DOCUMENT} bytes`);
  }
  const bytes = source.bytes();
  const { value, used } = form === 'document' ? parseDocument(source, bytes) : parseLog(source, bytes, tally, allowBadLines);
  return { value, raw_sha256: sha256(bytes.subarray(0, used)), bytes: used, path: source.path };
}

function parseDocument(source: Source, bytes: Buffer): { value: Json; used: number } {
  try {
    return { value: JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, '')) as Json, used: bytes.length };
  } catch (error) {
    throw new HandoffError('BAD_LINES', `${told(source.path)} is a JSON document that does not parse; nothing was written (is the client writing it now?)`, { cause: error });
  }
}

/** Log lines as one list. A last line that is not finished yet is left out of it and of the hash. */
function parseLog(source: Source, bytes: Buffer, tally: Tally, allowBadLines: boolean): { value: Json; used: number } {
  const records: Json[] = [];
  let used = bytes.length;
  const lines = readLines(source.fd, { from: 0, to: bytes.length, maxLineBytes: LARGEST_DOCUMENT });
  let index = 0;
  for (let line: Line | undefined = lines.next(); line !== undefined; line = lines.next(), index += 1) {
    const text = line.bytes.toString('utf8').replace(/^\ufeff/, '');
    if (text.trim() === '') continue;
    try {
      records.push(JSON.parse(text) as Json);
    } catch {
      if (!line.ended && isUnfinishedJson(text)) {
        used = line.start;
        break;
      }
      tally.badCount += 1;
      if (tally.bad.length < 5) tally.bad.push({ line: index + 1, offset: line.start, reason: text.includes('\0') ? 'NUL bytes' : 'invalid JSON' });
    }
  }
  if (tally.badCount > 0 && !allowBadLines) throw badLines(source.path, tally.bad, tally.badCount);
  return { value: records, used };
}

/** Lives of a few sessions: sources that grow, are cut, edited, copied and moved, with verbs in between; all judged after each step. */
import fs from 'node:fs';
import path from 'node:path';
import { forgetSession, renameSession, renderSession, retitleSession } from '../../../src/capture/reseal.mts';
import { promoteSession } from '../../../src/runtime/promote.mts';
import { HandoffError } from '../../../src/lib/errors.mts';
import { checkSession } from '../../../src/store/checker.mts';
import { buildInto, failures, rowsOf } from '../../helpers/build.ts';
import { below, pick, type Random } from '../mutate.ts';
import { linesOf, manifestIn, storeHolds } from './holds.ts';
import { saidBy, takeDocument, takeLines, REWRITTEN, type Answer, type Session } from './model.ts';
import { DOCUMENT_SHAPES, LINE_SHAPES, type DocumentShape, type LineShape, type Message } from './shapes.ts';

interface Source {
  file: string;
  session: string;
  shape: LineShape | DocumentShape;
  /** Of a document: what it says now. */
  messages: Message[];
}

const isLines = (shape: LineShape | DocumentShape): shape is LineShape => 'record' in shape;
const SESSIONS = 2;

export interface Life {
  steps: string[];
  step(): Promise<void>;
}

export function live(random: Random, dir: string): Life {
  const root = path.join(dir, 'store');
  const sessions = new Map<string, Session>();
  const sources: Source[] = [];
  const records: string[] = [];
  const steps: string[] = [];
  let count = 0;
  const next = () => `tok${count += 1}x`;
  const bytesOf = ({ file }: Source) => (fs.existsSync(file) ? fs.readFileSync(file) : Buffer.alloc(0));
  const write = ({ file }: Source, bytes: string | Buffer) => fs.writeFileSync(file, bytes);
  const note = (step: string) => void steps.push(step);
  const sessionOf = (id: string): Session => {
    const known = sessions.get(id) ?? { id, rows: [], said: [], known: new Map() };
    sessions.set(id, known);
    return known;
  };
  const dirOf = (id: string): string | undefined => {
    const row = fs.existsSync(path.join(root, 'INDEX.json')) ? rowsOf(root).find(({ uuid }) => uuid === id) : undefined;
    return row === undefined ? undefined : path.join(root, 'projects', row.project, row.id);
  };
  const record = (shape: LineShape, session: string): string => {
    const line = shape.record(random, session, next);
    records.push(line);
    return line;
  };
  const shapes = Array.from({ length: SESSIONS }, () => pick<LineShape | DocumentShape>(random, random() < 0.7 ? LINE_SHAPES : DOCUMENT_SHAPES));

  function newSource(): void {
    const at = below(random, SESSIONS);
    const shape = shapes[at] as LineShape | DocumentShape;
    const session = `s${at}`;
    const source: Source = { file: path.join(dir, String(sources.length), `${session}${isLines(shape) ? shape.ending : '.json'}`), session, shape, messages: [] };
    fs.mkdirSync(path.dirname(source.file));
    sources.push(source);
    note(`source ${sources.length - 1} ${shape.name} of ${session}`);
    if (isLines(shape)) {
      const lines = shape.head(session, next);
      records.push(...lines);
      write(source, `${lines.join('\n')}\n`);
    } else {
      source.messages = [{ id: `m${next()}`, role: 'user', text: `do ${next()}` }];
      write(source, shape.write(session, source.messages));
    }
  }

  function changeLines(source: Source, shape: LineShape): void {
    const old = bytesOf(source).toString('utf8');
    const ended = old === '' || old.endsWith('\n');
    const whole = () => record(shape, source.session);
    const isText = shape.name === 'text';
    const lines = old.split('\n');
    // A text without its first marker says nothing.
    const keep = isText ? 1 : 0;
    switch (below(random, 12)) {
      case 0: {
        const line = whole();
        note('append half a line');
        const cut = isText ? Math.max(line.indexOf(': ') + 2, line.length - 3) : 1 + below(random, line.length - 1);
        return write(source, `${old}${ended ? '' : '\n'}${line.slice(0, cut)}`);
      }
      case 1: {
        const last = lines.at(-1) ?? '';
        const rest = ended ? undefined : records.find((one) => one !== last && one.startsWith(last));
        if (rest === undefined) return;
        note('finish the line');
        return write(source, `${old}${rest.slice(last.length)}\n`);
      }
      case 2: note('append without an end'); return write(source, `${old}${ended ? '' : '\n'}${whole()}`);
      case 3: note('append CRLF'); return isText ? undefined : write(source, `${old}${ended ? '' : '\r\n'}${whole()}\r\n`);
      case 4: note('append blank lines'); return write(source, `${old}\n\n`);
      case 5: note('append a bad line'); return isText ? undefined : write(source, `${old}${ended ? '' : '\n'}}${whole().slice(0, 30)}\n`);
      case 6: {
        const at = below(random, lines.length);
        note(`edit line ${at + 1}`);
        const edited = (lines[at] ?? '').replace(/tok\d+x(?!.*tok\d+x)/, next());
        // It may be one that is half there.
        records.push(edited);
        return write(source, lines.with(at, edited).join('\n'));
      }
      case 7: note('cut lines off'); return write(source, lines.slice(0, keep + below(random, lines.length - keep)).map((line) => `${line}\n`).join(''));
      case 8: note('cut bytes off'); return isText ? undefined : write(source, old.slice(0, old.length - below(random, Math.min(60, old.length))));
      case 9: {
        note('repeat a line');
        const line = pick(random, lines);
        return write(source, `${old}${ended ? '' : '\n'}${line}\n`);
      }
      case 10: {
        const at = keep + below(random, lines.length - keep);
        if (at >= lines.length) return;
        note(`take line ${at + 1} out`);
        return write(source, lines.filter((_, one) => one !== at).join('\n'));
      }
      default: {
        const more = Array.from({ length: 1 + below(random, 3) }, whole);
        note(`append ${more.length}`);
        return write(source, `${old}${ended ? '' : '\n'}${more.join('\n')}\n`);
      }
    }
  }

  function changeDocument(source: Source, shape: DocumentShape): void {
    const { messages } = source;
    const message = (): Message => ({ id: `m${next()}`, role: random() < 0.4 ? 'user' : 'assistant', text: `say ${next()}` });
    const at = below(random, messages.length);
    switch (below(random, 6)) {
      case 0: note(`edit message ${at}`); messages[at] = { ...(messages[at] ?? message()), text: `say ${next()}` }; break;
      case 1: note(`take message ${at} out`); if (messages.length > 1) messages.splice(at, 1); break;
      case 2: note(`insert before ${at}`); messages.splice(at, 0, message()); break;
      case 3: note('turn about'); messages.reverse(); break;
      default: note('append a message'); messages.push(message());
    }
    write(source, shape.write(source.session, messages));
  }

  function moveOrCopy(source: Source): void {
    if (!fs.existsSync(source.file)) return;
    const file = path.join(dir, String(sources.length), path.basename(source.file));
    fs.mkdirSync(path.dirname(file));
    const other = { ...source, file, messages: source.messages.map((one) => ({ ...one })) };
    if (random() < 0.5) {
      note(`copy source ${sources.indexOf(source)} to ${sources.length}`);
      fs.copyFileSync(source.file, file);
    } else {
      note(`move source ${sources.indexOf(source)} to ${sources.length}`);
      fs.renameSync(source.file, file);
    }
    sources.push(other);
  }

  const snapshot = () => (fs.existsSync(root) ? fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).sort().map((name) => {
    const file = path.join(root, name);
    return `${name} ${fs.statSync(file).isFile() ? fs.readFileSync(file, 'latin1') : ''}`;
  }).filter((line) => !line.startsWith('.locks')) : []);

  function judge(source: Source, allowBadLines: boolean): Answer {
    const session = sessionOf(source.session);
    const bytes = bytesOf(source);
    const found = dirOf(session.id);
    const watermark = found === undefined ? -1 : manifestIn(found).watermark;
    if (!fs.existsSync(source.file)) return { kind: 'refused', appended: [] };
    return isLines(source.shape)
      ? takeLines(session, { shape: source.shape, path: source.file, bytes, watermark, allowBadLines, isHalf: (piece) => piece.startsWith('{') && records.some((one) => one.startsWith(piece)) })
      : takeDocument(session, source.shape, source.messages, bytes, source.file);
  }

  async function build(source: Source): Promise<void> {
    const allowBadLines = random() < 0.5;
    note(`build ${sources.indexOf(source)}${allowBadLines ? ' --allow-bad-lines' : ''}`);
    const before = snapshot();
    const old = dirOf(source.session);
    const timeline = old === undefined ? Buffer.alloc(0) : fs.readFileSync(path.join(old, 'timeline.jsonl'));
    const answer = judge(source, allowBadLines);
    const request = { session: source.session, ...(allowBadLines ? { allowBadLines } : {}) };
    let kind: string;
    try {
      const result = await buildInto(root, source.file, request);
      kind = result.action === 'built' ? 'built' : 'same';
    } catch (error) {
      if (!(error instanceof HandoffError)) throw error;
      kind = `refused: ${error.message}`;
    }
    if (answer.kind === 'nothing' ? kind === 'built' : !kind.startsWith(answer.kind)) throw new Error(`the build was "${kind}", and should be "${answer.kind}" with ${answer.appended.map(({ said }) => said).join(', ')}`);
    if (kind !== 'built' && JSON.stringify(snapshot()) !== JSON.stringify(before)) throw new Error(`${kind}, and the store was changed`);
    const now = dirOf(source.session);
    if (now === undefined) return;
    if (!fs.readFileSync(path.join(now, 'timeline.jsonl')).subarray(0, timeline.length).equals(timeline)) throw new Error('a committed line was changed');
    const lines = linesOf(now);
    const [is, should] = [lines.map((line) => saidBy(line, source.shape.name)), sessionOf(source.session).said];
    if (JSON.stringify(is) !== JSON.stringify(should)) throw new Error(`the timeline says\n  ${is.join(', ')}\nand should say\n  ${should.join(', ')}`);
    if (isLines(source.shape)) traceable(source, answer, lines, now);
    if (kind !== 'built') return;
    const again = snapshot();
    const { action } = await buildInto(root, source.file, request);
    if (action !== 'up-to-date' || JSON.stringify(snapshot()) !== JSON.stringify(again)) throw new Error('the second build wrote something');
  }

  /** Every new turn leads to its line. */
  function traceable(source: Source, { appended }: Answer, lines: { seq: number }[], found: string): void {
    const row = manifestIn(found).sources.find((one) => one.path === source.file);
    appended.forEach(({ said, line, own }, at) => {
      if (said === REWRITTEN) return;
      const seq = lines[lines.length - appended.length + at]?.seq;
      const run = row?.runs.findLast(([from]) => from <= line);
      const traced = run === undefined ? undefined : run[1] + line - run[0];
      const isOwn = own !== undefined && seq === own;
      if (!isOwn && seq !== traced) throw new Error(`${said} of line ${line} has number ${seq}, and its source's runs ${JSON.stringify(row?.runs)} say ${traced}`);
    });
  }

  async function verb(): Promise<void> {
    if (!fs.existsSync(path.join(root, 'INDEX.json')) || rowsOf(root).length === 0) return;
    const row = pick(random, rowsOf(root));
    const place = { root, rules: { maxBriefTokens: 30_000, tools: { exclude_patterns: [], include_tool_outputs: true, truncate_tool_outputs: false, max_tool_output_length: 10_000 } }, onSignal: () => () => {} };
    const found = path.join(root, 'projects', row.project, row.id);
    const timeline = fs.readFileSync(path.join(found, 'timeline.jsonl'));
    const what = pick(random, ['rename', 'retitle', 'render', 'promote', 'damage', 'damage', 'forget']);
    note(`${what} ${row.uuid}`);
    switch (what) {
      case 'rename': await renameSession(place, row, `project-${next()}`); break;
      case 'retitle': await retitleSession(place, row, `name ${next()}`); break;
      case 'promote': await promoteSession(place, row, { force: true, by: 'me' }); break;
      case 'forget': {
        if (random() < 0.6) break;
        await forgetSession(place, row);
        sessions.delete(row.uuid);
        if (fs.existsSync(found)) throw new Error('forgotten and still there');
        return;
      }
      case 'render': {
        const before = JSON.stringify(snapshot());
        await renderSession(place, row);
        if (JSON.stringify(snapshot()) !== before) throw new Error('render made other bytes than the build');
        break;
      }
      default: {
        const file = path.join(found, pick(random, ['timeline.jsonl', 'chain.jsonl', 'manifest.json', 'HANDOFF.llm.json']));
        const bytes = fs.readFileSync(file);
        const at = below(random, bytes.length);
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] ?? 0) ^ 1;
        fs.writeFileSync(file, damaged);
        const { findings } = checkSession(root, row);
        fs.writeFileSync(file, bytes);
        if (!findings.some(({ level }) => level === 'fail')) throw new Error(`a damage of ${path.basename(file)} at ${at} was not found`);
        return;
      }
    }
    const now = dirOf(row.uuid);
    if (now === undefined || !fs.readFileSync(path.join(now, 'timeline.jsonl')).equals(timeline)) throw new Error(`${what} changed the timeline`);
  }

  return {
    steps,
    async step() {
      const source = sources.length === 0 ? undefined : pick(random, sources);
      const what = random();
      if (source === undefined || what < 0.04) newSource();
      else if (what < 0.09) moveOrCopy(source);
      else if (what < 0.19) await verb();
      else if (what < 0.2) { note(`delete source ${sources.indexOf(source)}`); fs.rmSync(source.file, { force: true }); }
      else {
        if (fs.existsSync(source.file)) {
          note(`at source ${sources.indexOf(source)}:`);
          if (isLines(source.shape)) changeLines(source, source.shape);
          else changeDocument(source, source.shape);
        }
        if (random() < 0.7) await build(source);
      }
      storeHolds(root);
      const bad = fs.existsSync(path.join(root, 'INDEX.json')) ? failures(root) : [];
      if (bad.length > 0) throw new Error(`does not verify: ${bad.join('; ')}`);
    },
  };
}

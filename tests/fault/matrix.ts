/**
 * The matrix of faults: every command that writes a session, struck at every system call that changes the store.
 * After each fault it is asked what docs/ARCHITECTURE.md promises: a revision happened or did not, whatever died when.
 */
import fs from 'node:fs';
import path from 'node:path';
import { callsOffMain, countCalls, failAt, killAt, strike, type Call, type Child, type Ended } from '../helpers/strace.ts';
import { LONG, SHORT, type Scenario } from './commands.ts';
import { MISSED, type Held, type Point } from './points.ts';
import { contents, EVIDENCE, explains, listing, manifests, type Workshop } from './workshop.ts';

/** One scenario with its store prepared, its calls counted and its undisturbed end known. */
export class Scene {
  readonly scenario: Scenario;
  readonly calls: Call[];
  readonly #workshop: Workshop;
  readonly #transcript: string;
  readonly #prepared: string;
  readonly #base: number;
  /** The manifest's hash before the command: another one is a commit. */
  readonly #baseHash: string | undefined;
  readonly #bystander: Record<string, string>;
  readonly #timeline: string;
  /** Listings that are right in the end: the command and then a build, or the command never and then a build. */
  readonly #ends: string[];

  constructor(workshop: Workshop, scenario: Scenario) {
    this.scenario = scenario;
    this.#workshop = workshop;
    this.#prepared = `prepared ${scenario.name}`;
    scenario.before?.(workshop);
    fs.rmSync(workshop.root, { recursive: true, force: true });
    workshop.must('build', workshop.transcript('bystander', SHORT), '--project', 'aside');
    this.#transcript = workshop.transcript('subject', SHORT);
    if (scenario.known) {
      workshop.must('build', this.#transcript, '--project', 'here');
      fs.appendFileSync(path.join(workshop.root, 'projects/here/subject/HANDOFF.md'), EVIDENCE);
    }
    workshop.transcript('subject', LONG, scenario.padding);
    scenario.spoil?.(workshop, this.#transcript);
    workshop.keep(this.#prepared);
    this.#base = this.#subject()?.revisions ?? 0;
    this.#baseHash = this.#subject()?.manifest_sha256;
    this.#bystander = this.#bystanderFiles();

    this.calls = countCalls(workshop.child(this.argv, scenario.entry));
    const ends = new Set<string>();
    workshop.must('build', this.#transcript);
    if (scenario.renews === true) this.#repeat();
    ends.add(listing(workshop.root).join('\n'));
    this.#timeline = this.#subjectTimeline();
    if (scenario.again === undefined) {
      workshop.restore(this.#prepared);
      workshop.must('build', this.#transcript);
      ends.add(listing(workshop.root).join('\n'));
    }
    this.#ends = [...ends];
  }

  get argv(): string[] {
    return this.scenario.argv(this.#transcript);
  }

  #repeat(): ReturnType<Workshop['run']> {
    return this.#workshop.run(this.scenario.entry ?? 'handoff', this.argv);
  }

  #subject(session = 'subject'): ReturnType<typeof manifests>[number] | undefined {
    return manifests(this.#workshop.root).find((found) => found.session === session);
  }

  #subjectTimeline(): string {
    const found = this.#subject();
    return found === undefined ? '' : fs.readFileSync(path.join(this.#workshop.root, found.folder, 'timeline.jsonl'), 'utf8');
  }

  #bystanderFiles(): Record<string, string> {
    return contents(path.join(this.#workshop.root, 'projects/aside/bystander'));
  }

  /** The command, with the store as it was prepared. */
  fresh(): Child {
    this.#workshop.restore(this.#prepared);
    return this.#workshop.child(this.argv, this.scenario.entry);
  }

  /** What other threads do: syncs, which change nothing but may fail. */
  callsOff(): Call[] {
    return callsOffMain(this.fresh());
  }

  /** Where it opens something of the store to read it, or a folder to sync it. */
  readings(): Call[] {
    return countCalls(this.fresh(), true).filter(({ name, reads }) => reads === true && /^open/.test(name));
  }

  /** Strikes the command at the point, in a fresh copy of the prepared store, and asks what held. */
  try(point: Point): Held {
    const { call, fault } = point;
    const ended = strike(() => this.fresh(), call, (child, aim) => (fault.kind === 'kill' ? killAt(child, aim) : failAt(child, aim, fault.errno, fault.lasting)));
    const problems = ended.hit ? [] : [MISSED];
    if (fault.kind === 'kill') {
      if (ended.signal !== 'SIGKILL') problems.push(`ended with ${ended.status ?? ended.signal} where it should have been killed`);
    } else problems.push(...this.#afterError(ended, !fault.lasting));
    problems.push(...this.#afterFault(), ...this.#afterNextBuild());
    return { ended: ended.signal === 'SIGKILL' ? 'killed' : `exit ${ended.status}`, problems };
  }

  /** A state that is in the store now, not of a process that died but of a disk that lost power: reads it, then goes on. */
  meet(): string[] {
    return [...this.#readers(), ...this.#afterNextBuild(true)];
  }

  /** The same state where no build comes, only somebody who settles what was left: the old revision or the new one is whole. */
  unlocked(): string[] {
    for (const session of ['subject', 'bystander']) this.#workshop.run('agents-handoff', ['unlock', session, '--force']);
    const said = this.#workshop.handoff('verify', '--all');
    const nothing = /no handoffs/.test(said.stderr);
    return said.status === 0 || nothing ? [] : [`verify --all after unlock: exit ${said.status}: ${said.stdout}${said.stderr}`];
  }

  /** Sessions may wait for the next run here; what was committed before is there, others are whole, and nobody meets a bug. */
  #readers(): string[] {
    const problems: string[] = [];
    for (const argv of [['list'], ['show', 'subject'], ['verify', '--all']]) {
      const said = this.#workshop.handoff(...argv);
      if (said.status !== 0 && !(argv[0] === 'verify' && said.stdout !== '') && !explains(said.stderr)) problems.push(`${argv.join(' ')} right after it: exit ${said.status}: ${said.stderr}`);
      if (/^FAIL bystander/m.test(said.stdout)) problems.push(`another session is damaged: ${said.stdout}`);
    }
    const subject = this.#subject();
    if (this.scenario.known && this.scenario.name !== 'forget' && (subject === undefined || subject.revisions < this.#base)) problems.push(`revision ${this.#base} is gone`);
    return problems;
  }

  /** `undone`: the undo met no fault itself, so what was refused before it was committed must have left nothing. */
  #afterError(ended: Ended, undone: boolean): string[] {
    if (ended.status === 0) return [];
    // The gate refuses what it cannot read, and says why; nothing of the refusal stays.
    if (ended.status === 6 && ended.stderr.includes('EMFILE')) return [];
    if (ended.status !== 1) return [`exit ${ended.status ?? ended.signal}: ${ended.stderr}`];
    const problems = explains(ended.stderr) ? [] : [`exit 1 without one plain sentence: ${JSON.stringify(ended.stderr)}`];
    const { makes, settles, keeps } = this.scenario;
    const now = listing(this.#workshop.root).filter((name) => name !== '.locks/' && name !== keeps);
    const before = listing(this.#workshop.path(this.#prepared)).filter((name) => name !== '.locks/');
    const committed = makes === undefined ? this.#subject()?.manifest_sha256 !== this.#baseHash : this.#subject(makes) !== undefined;
    if (undone && settles !== true && !committed && now.join('\n') !== before.join('\n')) problems.push(`refused, and yet it left: ${difference(now, [before.join('\n')])}`);
    return problems;
  }

  /** Readers must find every session whole at a revision that was committed. */
  #afterFault(): string[] {
    const problems: string[] = [];
    const verified = this.#workshop.handoff('verify', '--all');
    if (verified.status !== 0) problems.push(`verify --all right after it: exit ${verified.status}: ${verified.stdout}${verified.stderr}`);
    const subject = this.#subject();
    if (subject === undefined) {
      if (this.scenario.known && this.scenario.name !== 'forget') problems.push('the session is gone');
    } else if (subject.revisions < this.#base || subject.revisions > this.#base + this.scenario.revisions) problems.push(`revision ${subject.revisions} from ${this.#base}`);
    return problems;
  }

  /** The next build of the same transcript finishes what was left, and nothing shows that there was a fault. */
  #afterNextBuild(cut = false): string[] {
    const problems: string[] = [];
    const { root } = this.#workshop;
    const { again, renews } = this.scenario;
    const repeated = again === undefined ? undefined : this.#repeat();
    if (repeated !== undefined && repeated.status !== 0) return [`the same command once more: exit ${repeated.status}: ${repeated.stderr}`];
    const next = this.#workshop.handoff('build', this.#transcript);
    if (next.status !== 0) return [`the next build: exit ${next.status}: ${next.stderr}`];
    const renewed = renews === true ? this.#repeat() : undefined;
    if (renewed !== undefined && renewed.status !== 0) return [`the same command behind the build: exit ${renewed.status}: ${renewed.stderr}`];
    const verified = this.#workshop.handoff('verify', '--all', '--strict');
    if (verified.status !== 0) problems.push(`verify --all --strict after the next build: exit ${verified.status}: ${verified.stdout}${verified.stderr}`);
    const passes = verified.stdout.split('\n').filter((line) => line.startsWith('PASS ')).length;
    if (passes !== (again ?? 2)) problems.push(`${passes} sessions pass where there are ${again ?? 2}: ${verified.stdout}`);
    const timeline = this.#subjectTimeline();
    if (timeline !== this.#timeline) problems.push('the timeline is not the undisturbed one');
    if (!turnsAreUnique(timeline)) problems.push('turns are there twice');
    let now = listing(root);
    const ends = cut ? this.#ends.map((end) => withoutRemains(end.split('\n')).join('\n')) : this.#ends;
    if (cut && !ends.includes(now.join('\n'))) {
      // A page is not synced, and a lock or a staged file there may outlive its end: whoever writes there next clears it.
      this.#workshop.run('agents-handoff', ['index']);
      now = withoutRemains(listing(root));
    }
    if (!ends.includes(now.join('\n'))) problems.push(`files differ from an undisturbed run: ${difference(now, ends)}`);
    if (JSON.stringify(this.#bystanderFiles()) !== JSON.stringify(this.#bystander)) problems.push('another session was touched');
    problems.push(...this.#indexProblems());
    const subject = this.#subject();
    if (this.scenario.known && this.scenario.name !== 'forget' && subject !== undefined) {
      const brief = fs.readFileSync(path.join(root, subject.folder, 'HANDOFF.md'), 'utf8');
      if (!brief.endsWith(EVIDENCE)) problems.push('the evidence block was lost');
    }
    return problems;
  }

  #indexProblems(): string[] {
    const { root } = this.#workshop;
    const rows = JSON.parse(fs.readFileSync(path.join(root, 'INDEX.json'), 'utf8')) as { uuid: string; id: string; manifest_sha256: string }[];
    const want = manifests(root).map((found) => `${path.basename(found.folder)} ${found.session} ${found.manifest_sha256}`).sort();
    const have = rows.map((row) => `${row.id} ${row.uuid} ${row.manifest_sha256}`).sort();
    return want.join('\n') === have.join('\n') ? [] : [`INDEX.json has ${have.join(', ')} for ${want.join(', ')}`];
  }
}

/** A power cut may cost a note, and leave a staged page, or a folder that was to go and holds a page of no session at the most. */
function withoutRemains(names: readonly string[]): string[] {
  const others = names.filter((name) => !/^links\/|\.new\.tmp$/.test(name));
  const alone = (name: string): boolean => !others.some((one) => one !== name && one.startsWith(name.slice(0, -'PROJECT.md'.length)) && !one.endsWith('/'));
  const kept = others.filter((name) => !/^projects\/[^/]+\/PROJECT\.md$/.test(name) || !alone(name));
  return kept.filter((name) => !/^projects\/.*\/$/.test(name) || kept.some((one) => one !== name && one.startsWith(name)));
}

function turnsAreUnique(timeline: string): boolean {
  const keys = timeline.split('\n').filter(Boolean).map((line) => {
    const turn = JSON.parse(line) as { seq: number; part?: number };
    return `${turn.seq}.${turn.part ?? 0}`;
  });
  return new Set(keys).size === keys.length;
}

function difference(now: readonly string[], ends: readonly string[]): string {
  const best = ends.map((end) => {
    const want = end.split('\n');
    return [...now.filter((name) => !want.includes(name)).map((name) => `+${name}`), ...want.filter((name) => !now.includes(name)).map((name) => `-${name}`)];
  }).sort((a, b) => a.length - b.length)[0]!;
  return best.join(' ');
}

/** The page's program, second part: what the session comes down to, section by section. */
export const FACTS = String.raw`
function section(id, title, count, ...inside) {
  const heading = make('h2', {}, title, count === undefined ? undefined : plain('span', 'count', number(count)));
  return make('section', { id, 'aria-label': title }, heading, ...inside);
}
const nothing = (text) => plain('p', 'soft', text);
const card = (title, ...inside) => make('div', { class: 'card' }, plain('h3', '', title), ...inside);

const turnsOf = (seqs) => seqs.flatMap((seq, at) => [at === 0 ? 'turn ' : ', ', toTurn(seq)]);

function fromTurn(words, seq) {
  return seq === undefined ? plain('p', 'from', words + '.') : make('p', { class: 'from' }, words + ', turn ', toTurn(seq), '.');
}

function warnings() {
  const notes = [];
  const warn = (...inside) => notes.push(make('p', { class: 'note warn' }, ...inside));
  const checked = digest.verification;
  if (checked.stale) {
    warn(plain('strong', '', 'Unverified: '), 'the last edit is turn ', toTurn(checked.last_edit), checked.last_test === undefined ? ', and no test run is recorded' : ', the last test run is turn ', checked.last_test === undefined ? '' : toTurn(checked.last_test), told.claims ? '. A claim that tests pass is older than the code.' : '.');
  } else if (checked.last_test_ok === false) warn(plain('strong', '', 'The last test run failed: '), 'turn ', toTurn(checked.last_test), '.');
  else if (checked.last_test !== undefined && checked.last_test_ok === undefined) warn('How the last test run ended is not recorded: turn ', toTurn(checked.last_test), '.');
  if (told.changedSince.length > 0) warn(plain('strong', '', 'May be unverified: '), many(told.changedSince.length, 'command') + ' after the last test run may have changed files: ', ...turnsOf(told.changedSince), '.');
  if (digest.interruptedAt !== undefined) warn('The work was interrupted at turn ', toTurn(digest.interruptedAt), ', and nothing follows.');
  const broke = digest.errors.findLast((one) => one.tool === 'api');
  if (broke) warn('The last request to the model failed, and the agent said nothing since: turn ', toTurn(broke.seq), '.');
  else if (digest.endsAtResult !== undefined && digest.interruptedAt === undefined) warn('The record ends with the result of a call, turn ', toTurn(digest.endsAtResult), ': the agent said nothing after it.');
  if (digest.compactions > 0) warn('The context was compacted ' + many(digest.compactions, 'time') + '. A summary that stands there is the model\'s own, not a record.');
  if (view.bad_lines > 0) warn(many(view.bad_lines, 'line') + ' of the transcript were not valid JSON and are missing here.');
  if (view.unread !== undefined) warn(view.unread + '.');
  if (view.fork !== undefined) warn('Forked from ' + (view.fork.of || 'a session that the transcript does not name') + (view.fork.elsewhere ? '; what went before the fork stands in that session\'s transcript, not here.' : view.fork.until_seq === undefined ? '.' : '; turns up to ' + view.fork.until_seq + ' are copies, not new work.'));
  return notes;
}

function facts() {
  const rows = [
    ['Turns', number(view.turn_count)],
    ['Tool calls', number(digest.counts.calls)],
    ['Commands', number(digest.commandsTotal) + (digest.commandsFailed > 0 ? ', ' + number(digest.commandsFailed) + ' failed' : '')],
    ['Sub-agents', digest.subagents > 0 ? number(digest.subagents) : ''],
    ['Began', when(digest.firstTs)],
    ['Last turn', when(digest.lastTs)],
    ['Folder', view.cwd],
    ['Branch', view.git && view.git.branch],
    ['Commit', view.git && view.git.commit && view.git.commit.slice(0, 12)],
    ['Tokens in / out', view.usage && number(view.usage.input || 0) + ' / ' + number(view.usage.output || 0)],
    ['Sub-agent of', view.parent_session],
    ['Promoted', view.promoted_gate && view.promoted_gate + ' ' + view.promoted_when],
  ];
  return make('dl', { class: 'facts' }, ...rows.filter(([, value]) => value).map(([name, value]) => make('div', {}, plain('dt', '', name), plain('dd', '', value))));
}

/** The session began from another handoff: what that says is not in this record. */
function inherited() {
  const from = digest.inherited;
  if (from === undefined) return '';
  return card('Second-hand, from another handoff',
    make('p', {}, 'The session began from ' + (from.session || 'another handoff') + ', read at turn ', toTurn(from.seq), '. What was done before is not in this record, and unverified.'),
    from.objective === undefined ? '' : make('div', {}, plain('h3', '', 'Its objective'), said(from.objective)),
    from.state === undefined ? '' : make('div', {}, plain('h3', '', 'Its last words'), said(from.state)));
}

function summary() {
  const from = { flag: 'Given when it was captured', task: 'The parent agent\'s task', prompt: 'The first request', none: 'No request is recorded' }[digest.objectiveFrom];
  const who = { AGENT: 'The agent\'s last words, a claim and not a check', USER: 'The last prompt, which the agent did not answer', none: 'Nobody spoke' }[digest.stateFrom];
  const steering = digest.steering.map((one) => make('li', {}, 'Turn ', toTurn(one.seq), ' changed the course: ', plain('span', 'said', one.text)));
  return section('summary', 'Summary', undefined,
    ...warnings(),
    card('Objective', said(digest.objective, digest.objectiveLeft, digest.objectiveSeq), fromTurn(from, digest.objectiveSeq), steering.length > 0 ? make('ul', { class: 'small' }, ...steering) : ''),
    inherited(),
    card('State at the end', said(digest.stateNow), fromTurn(who, digest.stateSeq)),
    digest.openLoops.length === 0 ? '' : card('Open loops', make('ul', {}, ...digest.openLoops.map((loop) => make('li', {}, plain('span', 'said', loop.text.replace(/^\s*[-*]\s+/, '')), ' ', toTurn(loop.seq))))),
    evidence === '' ? '' : card('Evidence contract, written by hand', said(evidence)),
    facts());
}

function pending() {
  const safe = (row) => row.effect === 'read' || row.effect === 'idempotent';
  const what = (row) => (row.kind === 'prompt' ? (row.unanswered ? 'Prompt, not answered' : 'Queued prompt') : (row.refused === 'perhaps' ? 'Refused or stopped ' : row.stopped ? 'Stopped ' : row.kind === 'background' ? 'Background ' : '') + (row.tool || 'call') + (row.interrupted && !row.stopped ? ', interrupted' : '') + (row.ended ? ', ended by the client\'s note: ' + row.ended : ''));
  const advice = (row) => (row.kind === 'prompt' ? (row.unanswered ? 'Answer it' : 'Never delivered: answer it') : row.kind === 'background' ? 'Never reported: look first' : safe(row) ? 'Safe to repeat' : 'Outcome unknown: look first');
  const rows = [...digest.stopped.map((row) => ({ ...row, stopped: true })), ...(digest.unanswered ? [{ ...digest.unanswered, unanswered: true }] : []), ...digest.pending];
  const total = rows.length + digest.pendingLeft;
  const show = (rows) => table([['Turn', 'at'], ['What', 'short'], ['Before you go on', ''], ['About', '']], rows.map((row) => [toTurn(row.seq), what(row), plain('span', row.kind === 'call' && safe(row) ? 'good' : 'bad', advice(row)), plain('span', 'said', row.target)]));
  return section('pending', 'Pending', total, total === 0 ? nothing('Nothing: every recorded call has its result, and every prompt reached the agent.' + told.unfinished) : some(rows, 20, show));
}

function asked() {
  const notes = (row) => [row.steers && 'changes course', row.abandoned && 'abandoned branch', row.replayed && 'before the fork', row.note].filter(Boolean).join(', ');
  const noted = digest.prompts.some((row) => notes(row) !== '');
  const show = (rows) => table([['Turn', 'at'], ['When', 'short'], ['Prompt', ''], ...(noted ? [['Note', 'small']] : [])], rows.map((row) => [toTurn(row.seq), when(row.ts), plain('span', 'said', row.text), ...(noted ? [notes(row)] : [])]));
  const decisions = digest.decisions.map((row) => make('li', {}, { answer: 'Answered', refused: 'Refused', approved: 'Approved' }[row.kind] + ', turn ', toTurn(row.seq), ' (' + row.tool + '): ', plain('span', 'said', row.text)));
  return section('asked', 'What was asked', digest.promptsTotal,
    digest.prompts.length === 0 ? nothing('No typed prompt is recorded.') : some(digest.prompts, 30, show),
    digest.promptsLeft > 0 ? plain('p', 'from', number(digest.promptsLeft) + ' prompts in between stand in the timeline only.') : '',
    decisions.length === 0 ? '' : card('Answers and refusals', make('ul', {}, ...decisions)));
}

/** A file with its edits; they are put in when it is opened. */
function fileBox(path, rows) {
  const own = edits.filter((edit) => edit.path === path);
  const how = rows.map((row) => row.how + (row.times > 1 ? ' ×' + row.times : '') + (row.from ? ' from ' + row.from : '') + (row.side ? ', by a sub-agent' : '') + (row.replayed ? ', before the fork' : '') + (row.abandoned ? ', abandoned branch' : '')).join(', ');
  const last = rows.at(-1);
  const box = make('details', { class: 'file' }, make('summary', {}, plain('span', 'path', path), plain('span', 'small soft', how), last === undefined ? '' : plain('span', 'small soft', when(last.ts))));
  box.addEventListener('toggle', () => {
    if (!box.open || box.childElementCount > 1) return;
    for (const edit of own) {
      box.append(make('div', { class: 'edit' }, make('p', { class: 'from' }, 'Turn ', toTurn(edit.at), ', ' + edit.tool + (edit.side ? ', by a sub-agent' : '')),
        edit.rows === '' ? nothing('The record does not show the text of this edit.') : diffOf(edit),
        edit.left ? plain('p', 'from', number(edit.left) + ' more lines: the turn has them.') : ''));
    }
    if (own.length === 0) box.append(make('p', { class: 'from' }, 'No text of an edit is recorded; see turn ', toTurn(last.seq), '.'));
  });
  return box;
}

function files() {
  const byPath = new Map();
  for (const row of digest.filesChanged) byPath.set(row.path, [...(byPath.get(row.path) || []), row]);
  const boxes = [...byPath].reverse();
  return section('files', 'Files changed', byPath.size + digest.filesLeft,
    told.changing.length === 0 ? '' : make('p', { class: 'from' }, many(told.changing.length, 'command') + ' may have changed files: ', ...turnsOf(told.changing.slice(-12)), told.changing.length > 12 ? ', and others before them.' : '.'),
    boxes.length === 0 ? nothing('None by a tool that edits files. What commands changed is not in the record.') : some(boxes, 60, (rows) => make('div', {}, ...rows.map(([path, of]) => fileBox(path, of)))));
}

function commands() {
  const result = (row) => (row.refused ? 'refused' : row.stopped ? (row.stopped === 'perhaps' ? 'refused or stopped' : 'failed, stopped') : row.says ? row.says + ', by its output' : !row.ended ? 'no result' : row.masked ? (row.ok === false ? 'failed, of the whole line' : 'status is of the last command in the line') : row.exit !== undefined ? (row.exit === 0 && row.ok === false ? 'failed' : 'exit ' + row.exit) : row.ok === undefined ? 'not recorded' : row.ok ? 'ok' : 'failed');
  const tone = (row) => (row.ok === false || row.refused || row.says === 'failed' ? 'bad' : row.says === 'passed' ? 'good' : row.masked ? 'soft' : row.ok === true || row.exit === 0 ? 'good' : 'soft');
  const row = (one) => [toTurn(one.seq), plain('span', tone(one), result(one)), plain('span', 'command', one.command.length > 400 ? one.command.slice(0, 400).toWellFormed() + '…' : one.command)];
  const show = (rows) => table([['Turn', 'at'], ['Result', 'short'], ['Command', '']], rows.map(row));
  const latest = [...digest.commands].reverse();
  return section('commands', 'Commands', digest.commandsTotal,
    digest.tests.length === 0 ? '' : card('The last run of each check', show(digest.tests)),
    latest.length === 0 ? nothing('None recorded.') : some(latest, 15, show));
}

function errors() {
  const total = digest.errors.length + digest.errorsLeft;
  const show = (rows) => table([['Turn', 'at'], ['Tool', 'short'], ['What failed', '']], rows.map((row) => [toTurn(row.seq), row.tool + (row.times > 1 ? ' ×' + row.times : ''), make('div', {}, plain('span', 'command', row.target), plain('pre', 'printed', row.text))]));
  return section('errors', 'Errors', total, total === 0 ? nothing('None open.') : plain('p', 'from', 'Failures that nothing later in the record has put right.'), total === 0 ? '' : some([...digest.errors].reverse(), 15, show));
}

function provenance() {
  const rows = [['Sources', view.sources.join('\n')], ['SHA-256 of the source', view.raw_sha256], ['SHA-256 of the manifest', view.manifest_sha256], ['Revision', String(view.revisions)], ['Session', view.session]];
  if (view.redaction) rows.push(['Redaction', view.redaction.on ? 'on, ' + number(Object.values(view.redaction.counts).reduce((sum, one) => sum + one, 0)) + ' replaced' : 'off']);
  return section('provenance', 'Provenance', undefined, make('dl', { class: 'fields card' }, ...rows.map(([name, value]) => make('div', {}, plain('dt', '', name), make('dd', { class: 'said path' }, value)))));
}

function plan() {
  if (digest.plan.length === 0) return '';
  return section('plan', 'Plan', digest.plan.length, table([['Status', 'short'], ['Step', '']], digest.plan.map((one) => [one.status.replaceAll('_', ' '), plain('span', 'said', one.text)])));
}
`;

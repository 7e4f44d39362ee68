/** The page's program, third part: one row of the timeline. What is folded is made when it is opened. */
export const ROWS = String.raw`
/** Numbers of the rows that are unfolded; a row that leaves the page and comes back is as it was. */
const unfolded = new Set();
/** Numbers of the rows that open a sub-agent whose turns are shown. */
const opened = new Set();
const WHO = { USER: 'Prompt', AGENT: 'Agent', THOUGHT: 'Thought' };

const isBad = (end) => end !== undefined && end !== 'ok' && end !== 'done';
const firstLine = (text) => text.slice(0, 600).trimStart().split('\n', 1)[0].slice(0, 300);
function whoOf(item) {
  if (item.class === 'TOOL') return item.tool || (item.end === undefined ? 'Tool' : 'Result');
  return WHO[item.class] || (item.meta ? item.meta.replaceAll('-', ' ') : 'Other');
}

function rowOf(index) {
  const item = items[index];
  const depth = Math.min(3, item.depth || 0);
  const row = make('article', { class: 'turn ' + item.class + (depth > 0 ? ' d' + depth : ''), 'data-row': String(index), tabindex: '-1' });
  if (item.class === 'SUB') row.append(plain('span', 'at', '↳'), subRow(item, index));
  else {
    const name = 'turn ' + item.at + (item.far ? ' of its own session' : '');
    row.append(item.far ? plain('span', 'at', item.at) : make('a', { class: 'at', href: '#t' + item.at, 'aria-label': name }, item.at));
    row.append(item.class === 'USER' || item.class === 'AGENT' ? spoken(item) : folded(item, index));
  }
  return row;
}

function spoken(item) {
  const line = make('div', { class: 'line' }, plain('span', 'who', whoOf(item)), item.meta ? plain('span', 'small soft', item.meta) : '', make('time', { title: item.ts }, clock(item.ts)));
  return make('div', {}, line, said(item.text, item.left, item.at));
}

function subRow(item, index) {
  const isOpen = opened.has(index);
  const inside = below.get(index) || 0;
  const button = isSearch() || inside === 0 ? '' : make('button', { type: 'button', 'aria-expanded': String(isOpen), click: () => turnGroup(index) }, (isOpen ? 'Hide ' : 'Show ') + many(inside, 'entry', 'entries'));
  const line = make('div', { class: 'line' }, plain('span', 'who', 'Sub-agent'), plain('span', 'about', item.text || item.at), make('time', { title: item.ts }, clock(item.ts)));
  return make('div', {}, line, button);
}

function folded(item, index) {
  const isCall = item.class === 'TOOL' && item.about !== undefined;
  const fold = make('details', { class: 'fold' }, make('summary', {},
    plain('span', 'who', whoOf(item)),
    plain('span', 'about', isCall ? item.about : firstLine(item.text)),
    item.end === undefined ? '' : plain('span', 'end' + (isBad(item.end) ? ' bad' : ''), item.end),
    make('time', { title: item.ts }, clock(item.ts))));
  const fill = () => {
    if (fold.childElementCount === 1) fold.append(isCall ? callBody(item) : make('div', { class: 'body' }, said(item.text, item.left, item.at, 'pre')));
  };
  fold.addEventListener('toggle', () => {
    if (fold.open) unfolded.add(index);
    else unfolded.delete(index);
    if (fold.open) fill();
    markFound();
  });
  if (unfolded.has(index)) {
    fold.open = true;
    fill();
  }
  return make('div', {}, fold);
}

function callBody(item) {
  const body = make('div', { class: 'body' });
  const effects = { read: 'It only reads: safe to repeat.', idempotent: 'Doing it again changes nothing: safe to repeat.', unknown: 'The outcome is unknown: look before you repeat it.' };
  body.append(make('div', {}, plain('h3', '', 'Input'), inputOf(item)));
  for (const result of item.results || []) {
    const title = 'Result, turn ' + result.at + (result.ts ? ', ' + clock(result.ts) : '');
    body.append(make('div', {}, plain('h3', '', title), result.text === '' ? plain('p', 'soft', '(empty)') : said(result.text, result.left, result.at, 'pre')));
  }
  if (item.end === 'no result') body.append(plain('p', 'bad', 'No result is recorded. ' + (effects[item.effect] || effects.unknown)));
  return body;
}

/** The input's fields by name, where it is one JSON object; else the text as it stands. */
function inputOf(item) {
  const start = item.text.indexOf('{');
  let input;
  if (!item.left && start >= 0 && start < 300) {
    try {
      input = JSON.parse(item.text.slice(start));
    } catch {
      input = undefined;
    }
  }
  if (input === null || typeof input !== 'object' || Object.keys(input).length === 0) return said(item.text, item.left, item.at, 'pre');
  return make('dl', { class: 'fields' }, ...Object.entries(input).map(([name, value]) =>
    make('div', {}, plain('dt', '', name), make('dd', {}, said(typeof value === 'string' ? value : JSON.stringify(value, null, 2), 0, item.at, 'pre')))));
}
`;

/** The page's program, first part: elements, made one by one and filled with text. Nothing here takes markup. */
export const DOM = String.raw`
const { view, digest, told, evidence, edits, turnsLeft } = JSON.parse(document.getElementById('data').textContent);
const items = JSON.parse(document.getElementById('turns').textContent);

/** An element; 'about' gives its class, attributes and listeners, the rest what stands in it (strings are text). */
function make(tag, about, ...inside) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(about || {})) {
    if (value === undefined) continue;
    if (typeof value === 'function') element.addEventListener(name, value);
    else element.setAttribute(name, value);
  }
  element.append(...inside.filter((one) => one !== undefined && one !== ''));
  return element;
}
const plain = (tag, name, text) => make(tag, { class: name }, text);

const number = (value) => Number(value).toLocaleString('en');
const many = (count, one, several) => number(count) + ' ' + (count === 1 ? one : several || one + 's');

/** The time of a record as a person reads it; what is no ISO time is shown as it is. */
function when(ts) {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(ts || '') ? ts.slice(0, 10) + ' ' + ts.slice(11, 16) : (ts || '').slice(0, 20);
}
const clock = (ts) => (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(ts || '') ? ts.slice(11, 19) : (ts || '').slice(0, 20));

/** A link to a turn of the timeline. */
const toTurn = (seq) => make('a', { href: '#t' + seq, 'aria-label': 'turn ' + seq }, String(seq));

/** Text that was said; a long one begins with its head and a button for the rest. */
function said(text, left, at, tag) {
  const most = 3000;
  const box = make('div');
  const body = make(tag || 'div', { class: 'said', dir: 'auto' });
  box.append(body);
  const rest = text.length - most;
  if (rest > 500) {
    body.textContent = text.slice(0, most).toWellFormed() + '…';
    const more = make('button', { type: 'button', class: 'more', click: () => { body.textContent = text; more.remove(); } }, 'Show ' + number(rest) + ' more characters');
    box.append(more);
  } else body.textContent = text;
  if (left) box.append(plain('p', 'from', number(left) + ' more characters are not in this page: turn ' + at + ' of the timeline has them.'));
  return box;
}

/** A table whose cells know their column's name, for narrow screens. Each column: [name, class]. */
function table(columns, rows) {
  const head = make('tr', {}, ...columns.map(([name]) => make('th', { scope: 'col' }, name)));
  const body = rows.map((cells) => make('tr', {}, ...cells.map((cell, at) => make('td', { class: columns[at][1], 'data-label': columns[at][0] }, ...(Array.isArray(cell) ? cell : [cell])))));
  return make('table', {}, make('thead', {}, head), make('tbody', {}, ...body));
}

function diffOf(edit) {
  const names = { '+': 'add', '-': 'del', '…': 'gap' };
  return make('div', { class: 'diff' }, ...edit.rows.split('\n').map((line) => plain('div', names[line[0]], line)));
}

/** The first 'most' of 'rows', and a button that shows the others. */
function some(rows, most, show) {
  const box = make('div');
  box.append(show(rows.slice(0, most)));
  if (rows.length > most) {
    const more = make('button', { type: 'button', class: 'more', click: () => box.replaceChildren(show(rows)) }, 'Show all ' + number(rows.length));
    box.append(more);
  }
  return box;
}
`;

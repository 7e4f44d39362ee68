/** The page's program, last part: the controls of the timeline, keys, the colour scheme, paper, and the page itself. */
export const KEYS = String.raw`
const search = make('input', { type: 'search', placeholder: 'Search the timeline', 'aria-label': 'Search the timeline', autocomplete: 'off', spellcheck: 'false', input: () => {
  words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  update();
} });

const counts = Object.fromEntries(classes.map((name) => [name, 0]));
let failures = 0;
for (const item of items) {
  if (item.class === 'SUB') continue;
  counts[item.class] += 1;
  if (item.class === 'TOOL' && isBad(item.end)) failures += 1;
}
const names = { USER: 'Prompts', AGENT: 'Agent', THOUGHT: 'Thoughts', TOOL: 'Tools', OTHER: 'Other' };
const chips = classes.filter((name) => counts[name] > 0).map((name) => chip(names[name], counts[name], () => chosen.has(name), () => {
  if (!chosen.delete(name)) chosen.add(name);
}));
if (failures > 0) chips.push(chip('Only failed', failures, () => failedOnly, () => { failedOnly = !failedOnly; }));

function chip(name, amount, isOn, turn) {
  const button = make('button', { type: 'button', click: () => {
    turn();
    pressed();
    update();
  } }, name, plain('span', 'count', number(amount)));
  button.isOn = isOn;
  return button;
}
function pressed() {
  for (const button of chips) button.setAttribute('aria-pressed', String(button.isOn()));
}

const themes = ['auto', 'light', 'dark'];
const theme = make('button', { type: 'button', click: () => setTheme(themes[(themes.indexOf(theme.value) + 1) % themes.length]) });
function setTheme(name) {
  theme.value = name;
  theme.textContent = 'Colours: ' + name;
  if (name === 'auto') document.documentElement.removeAttribute('data-theme');
  else document.documentElement.setAttribute('data-theme', name);
  try {
    localStorage.setItem('handoff-theme', name);
  } catch {
    // A page from a file may have no storage; the choice then ends with it.
  }
}
function storedTheme() {
  try {
    const stored = localStorage.getItem('handoff-theme');
    return themes.includes(stored) ? stored : 'auto';
  } catch {
    return 'auto';
  }
}

const keys = make('details', { id: 'keys', class: 'file' }, make('summary', {}, 'Keys'), make('dl', { class: 'keys small' },
  ...[['/', 'search the timeline'], ['Esc', 'end the search'], ['j', 'next entry'], ['k', 'entry before'], ['o', 'fold or unfold the entry'], ['t', 'other colours'], ['?', 'these keys']]
    .flatMap(([key, does]) => [make('dt', {}, plain('kbd', '', key)), plain('dd', '', does)])));

/** The place in the list of the row that has the focus, else just before the first one in view. */
function here() {
  const row = document.activeElement && document.activeElement.closest('.turn');
  if (row) return list.indexOf(Number(row.dataset.row));
  for (const block of blocks) {
    if (block.box.getBoundingClientRect().bottom < 0) continue;
    fill(block);
    const rows = [...block.box.children];
    const first = rows.findIndex((one) => one.getBoundingClientRect().bottom > 120);
    return block.from + Math.max(0, first) - 1;
  }
  return -1;
}

function foldHere() {
  const row = document.activeElement && document.activeElement.closest('.turn');
  const fold = row && (row.querySelector('summary') || row.querySelector('button'));
  if (fold) fold.click();
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === search) {
    if (event.key !== 'Escape') return;
    search.value = '';
    words = [];
    update();
    search.blur();
    return;
  }
  const does = {
    '/': () => { search.focus(); search.select(); },
    j: () => goTo(Math.min(list.length - 1, here() + 1)),
    k: () => goTo(Math.max(0, here() - 1)),
    o: foldHere,
    t: () => theme.click(),
    '?': () => { keys.open = !keys.open; keys.scrollIntoView({ block: 'nearest' }); keys.firstChild.focus(); },
  }[event.key];
  if (does === undefined) return;
  event.preventDefault();
  does();
});

const byHash = () => /^#t\d/.test(location.hash) && showTurn(location.hash.slice(2));
addEventListener('hashchange', byHash);
// A link to the turn that the address names already changes no address.
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element && event.target.closest('a[href^="#t"]');
  if (link && /^#t\d/.test(link.getAttribute('href')) && link.getAttribute('href') === location.hash) byHash();
});

// Paper has no scrolling: what is listed is put in, up to what a browser lays out in a moment.
const MOST_PRINTED = 2000;
addEventListener('beforeprint', () => {
  for (const block of blocks) if (block.from < MOST_PRINTED) fill(block);
});

/** The first line, cut between words. */
function headline(text) {
  const line = text.trimStart().split('\n', 1)[0];
  return line.length <= 90 ? line : line.slice(0, 90).replace(/\s\S*$/, '').toWellFormed() + '…';
}

function build() {
  const title = view.title || headline(digest.objective) || view.session;
  document.title = 'Handoff: ' + title;
  const timeline = section('timeline', 'Timeline', view.turn_count,
    turnsLeft > 0 ? plain('p', 'note warn', 'The first ' + number(turnsLeft) + ' turns are not in this page; the handoff\'s timeline has them.') : '',
    make('div', { class: 'tools', role: 'search' }, search, ...chips, count), host);
  const parts = [summary(), pending(), asked(), plan(), files(), commands(), errors(), timeline, provenance()].filter((one) => one !== '');
  const links = parts.map((part) => make('a', { href: '#' + part.id }, part.getAttribute('aria-label'), ...[...part.querySelectorAll(':scope > h2 > .count')].map((one) => plain('span', '', one.textContent))));
  document.getElementById('app').append(
    make('a', { class: 'skip', href: '#timeline' }, 'To the timeline'),
    make('header', { class: 'top' },
      plain('p', 'kicker', [view.project, view.harness, view.model].filter(Boolean).join(' · ')), theme,
      plain('h1', '', title),
      make('p', { class: 'meta' }, plain('span', '', 'Updated ' + when(view.updated_at)), plain('span', '', many(view.turn_count, 'turn')), plain('span', '', 'Revision ' + view.revisions), plain('span', '', 'Quoted text is a record, not an instruction.'))),
    make('nav', { class: 'parts', 'aria-label': 'Sections' }, ...links),
    make('main', {}, ...parts, keys));
  setTheme(storedTheme());
  pressed();
  update();
  byHash();
  setTimeout(prepare, 50, 0);
}
build();
`;

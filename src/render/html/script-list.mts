/**
 * The page's program, fourth part: the list of rows. It is cut into blocks; a block near the view holds its rows, all others
 * are empty boxes of about the right height. So a search over any number of turns makes a few boxes, and nothing more.
 */
export const LIST = String.raw`
const BLOCK = 40;
const NEAR = '1200px 0px';
const classes = ['USER', 'AGENT', 'THOUGHT', 'TOOL', 'OTHER'];
const chosen = new Set(['USER', 'AGENT', 'THOUGHT', 'TOOL']);
let words = [];
let failedOnly = false;
let list = [];
let blocks = [];
const host = make('div', { id: 'list' });
const count = make('output', { 'aria-live': 'polite' });

/** Each row's text for the search, made in idle moments; a search makes what is still missing. */
function searchable(item) {
  if (item.low === undefined) item.low = [item.at, item.tool, item.about, item.meta, item.text, ...(item.results || []).map((one) => one.text)].filter(Boolean).join('\n').toLowerCase();
  return item.low;
}
function prepare(from) {
  const until = performance.now() + 8;
  let at = from;
  while (at < items.length && performance.now() < until) searchable(items[at++]);
  if (at < items.length) setTimeout(prepare, 4, at);
}

const isWanted = (item) => item.class !== 'SUB' && chosen.has(item.class) && (!failedOnly || (isBad(item.end) && item.class === 'TOOL'));

/** Folds of sub-agents do not hide what is looked for. */
const isSearch = () => words.length > 0 || failedOnly;

/** Numbers of rows that open a sub-agent, with how many entries below them are wanted. */
const below = new Map();

/** What is listed: with words every row that has them all, below its sub-agent's row; without, what is not folded away. */
function choose() {
  const hides = isSearch();
  const shownGroups = new Set();
  const chosenRows = [];
  let found = 0;
  below.clear();
  const open = (index) => {
    if (index === undefined || shownGroups.has(index)) return;
    open(items[index].in);
    shownGroups.add(index);
    chosenRows.push(index);
  };
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (item.class === 'SUB') {
      if (hides) continue;
      if (item.in === undefined || (opened.has(item.in) && shownGroups.has(item.in))) {
        shownGroups.add(index);
        chosenRows.push(index);
      }
      continue;
    }
    if (!isWanted(item) || (words.length > 0 && !words.every((word) => searchable(item).includes(word)))) continue;
    found += 1;
    for (let group = item.in; group !== undefined; group = items[group].in) below.set(group, (below.get(group) || 0) + 1);
    if (hides) open(item.in);
    else if (item.in !== undefined && !(opened.has(item.in) && shownGroups.has(item.in))) continue;
    chosenRows.push(index);
  }
  return { chosenRows, found };
}

const total = items.reduce((sum, item) => sum + (item.class === 'SUB' ? 0 : 1), 0);
function update() {
  const { chosenRows, found } = choose();
  list = chosenRows;
  observer.disconnect();
  blocks = [];
  for (let from = 0; from < list.length; from += BLOCK) {
    const box = make('div', { class: 'block' });
    const block = { box, from, to: Math.min(list.length, from + BLOCK), full: false };
    box.style.height = estimate(block) + 'px';
    box.block = block;
    blocks.push(block);
  }
  host.replaceChildren(...blocks.map((block) => block.box));
  if (list.length === 0) host.append(plain('p', 'empty', 'No turn fits. Try fewer words, or choose more kinds of turns.'));
  count.textContent = found === total ? many(total, 'entry', 'entries') + '. A call and its result are one entry.' : number(found) + ' of ' + many(total, 'entry', 'entries');
  // The first blocks at once: the observer speaks a frame later.
  if (blocks[0]) fill(blocks[0]);
  for (const block of blocks) observer.observe(block.box);
  markFound();
}

function estimate({ from, to }) {
  const wide = Math.max(30, Math.min(110, host.clientWidth / 9));
  let height = 0;
  for (let at = from; at < to; at += 1) {
    const item = items[list[at]];
    height += item.class === 'USER' || item.class === 'AGENT' ? 52 + 26 * Math.min(40, Math.ceil(item.text.length / wide)) : 50;
  }
  return height;
}

function fill(block) {
  if (block.full) return;
  block.full = true;
  block.box.style.height = '';
  block.box.replaceChildren(...list.slice(block.from, block.to).map(rowOf));
}
function empty(block) {
  if (!block.full || block.box.contains(document.activeElement)) return;
  block.full = false;
  block.box.style.height = block.box.offsetHeight + 'px';
  block.box.replaceChildren();
}
const observer = new IntersectionObserver((changes) => {
  for (const { target, isIntersecting } of changes) {
    if (target.block !== blocks[target.block.from / BLOCK]) continue;
    if (isIntersecting) fill(target.block);
    else empty(target.block);
  }
  markFound();
}, { rootMargin: NEAR });

/** Colours the words that were looked for, without touching what stands in the page. */
function markFound() {
  if (!window.CSS || !CSS.highlights) return;
  CSS.highlights.delete('found');
  if (words.length === 0) return;
  const ranges = [];
  for (const block of blocks) {
    if (!block.full) continue;
    const walker = document.createTreeWalker(block.box, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null && ranges.length < 2000; node = walker.nextNode()) {
      const low = node.data.toLowerCase();
      if (low.length !== node.data.length) continue;
      for (const word of words) {
        for (let at = low.indexOf(word); at >= 0 && ranges.length < 2000; at = low.indexOf(word, at + word.length)) {
          const range = new Range();
          range.setStart(node, at);
          range.setEnd(node, at + word.length);
          ranges.push(range);
        }
      }
    }
  }
  CSS.highlights.set('found', new Highlight(...ranges));
}

function turnGroup(index) {
  if (!opened.delete(index)) opened.add(index);
  update();
  goTo(list.indexOf(index));
}

/** Brings the row at 'place' of the list into view and gives it the focus. */
function goTo(place) {
  const block = blocks[Math.floor(place / BLOCK)];
  if (place < 0 || block === undefined) return;
  fill(block);
  const row = block.box.children[place - block.from];
  row.scrollIntoView({ block: 'start' });
  row.focus({ preventScroll: true });
  // Blocks above may take their real height now.
  requestAnimationFrame(() => requestAnimationFrame(() => row.scrollIntoView({ block: 'start' })));
}

const placeOfTurn = new Map();
items.forEach((item, index) => {
  if (item.far || item.class === 'SUB') return;
  for (const at of [item.at, ...(item.results || []).map((one) => one.at)]) {
    placeOfTurn.set(at, index);
    // Where the first part of a record gave no row, its number leads to the next one.
    const whole = at.split('.', 1)[0];
    if (!placeOfTurn.has(whole)) placeOfTurn.set(whole, index);
  }
});

/** Shows turn 'at', whatever hides it. False where the page does not have it. */
function showTurn(at) {
  const index = placeOfTurn.get(at);
  if (index === undefined) return false;
  if (!list.includes(index)) {
    search.value = '';
    words = [];
    failedOnly = false;
    chosen.add(items[index].class);
    for (let group = items[index].in; group !== undefined; group = items[group].in) opened.add(group);
    update();
    pressed();
  }
  unfolded.add(index);
  const place = list.indexOf(index);
  const fold = blocks[Math.floor(place / BLOCK)].box.querySelector('[data-row="' + index + '"] details');
  if (fold) fold.open = true;
  goTo(place);
  return true;
}
`;

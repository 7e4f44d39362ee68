/** How the page looks: one column of text, quiet colours, both schemes from one set of names, and paper. */
const LIGHT = `
  --paper: #faf9f7; --card: #ffffff; --ink: #1f2328; --soft: #59616b; --line: #e4e1dc; --code: #f4f2ee;
  --link: #17569b; --user: #17569b; --agent: #3d4650; --tool: #0f6a63; --thought: #6c4a9c;
  --good: #17682f; --bad: #a8201a; --good-back: #e6f4e8; --bad-back: #fcebe9;
  --warn: #6a4900; --warn-back: #fdf3d8; --warn-line: #e2c26f; --mark: #ffe58a; --mark-ink: #1f2328;
`;
const DARK = `
  --paper: #14171a; --card: #1b1f24; --ink: #e3e5e8; --soft: #a0a9b4; --line: #30363d; --code: #23282e;
  --link: #86bbff; --user: #86bbff; --agent: #c3cad2; --tool: #6fcfc5; --thought: #c7a8f0;
  --good: #84d39a; --bad: #ff9d93; --good-back: #172c1e; --bad-back: #3a1e1c;
  --warn: #f2d488; --warn-back: #362c13; --warn-line: #6f5a1f; --mark: #6d5a00; --mark-ink: #fff6d0;
`;

export const STYLE = `
:root { color-scheme: light; ${LIGHT} }
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { color-scheme: dark; ${DARK} } }
:root[data-theme="dark"] { color-scheme: dark; ${DARK} }

* { box-sizing: border-box; }
html { scroll-padding-top: 5rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; overflow-wrap: anywhere; }
h1, h2, h3, p, dl, dd, ol, ul, pre, table { margin: 0; }
ol, ul { padding-left: 1.3rem; }
li + li { margin-top: .3rem; }
h1 { font-size: 1.7rem; line-height: 1.25; font-weight: 650; letter-spacing: -.01em; text-wrap: balance; }
h2 { font-size: 1.2rem; line-height: 1.3; font-weight: 650; }
h2 .count { color: var(--soft); font-weight: 400; margin-left: .4rem; font-variant-numeric: tabular-nums; }
h3 { font-size: .82rem; line-height: 1.4; font-weight: 600; color: var(--soft); }
a { color: var(--link); text-underline-offset: .18em; text-decoration-thickness: 1px; }
code, pre, .path, .command { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .86em; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4; line-height: 1.5; }
.said { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; }
.soft { color: var(--soft); }
.small { font-size: .86rem; line-height: 1.5; }
.good { color: var(--good); }
.bad { color: var(--bad); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 4px; }

#app { max-width: 60rem; margin: 0 auto; padding: 0 1.5rem 6rem; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--card); padding: .5rem .8rem; z-index: 5; }
.top { padding: 2.5rem 0 1.25rem; display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .4rem 1.5rem; }
.top .kicker, .top .meta { color: var(--soft); font-size: .9rem; }
.top .meta { grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: .15rem 1.25rem; }
.top h1 { grid-column: 1 / -1; }
.parts { display: flex; flex-wrap: wrap; gap: .2rem 1.25rem; padding: .7rem 0; border-block: 1px solid var(--line); font-size: .92rem; }
.parts a { text-decoration: none; padding: .1rem 0; }
.parts a:hover { text-decoration: underline; }
.parts span { color: var(--soft); font-variant-numeric: tabular-nums; margin-left: .3rem; }

section { margin-top: 2.75rem; }
section > h2 { margin-bottom: .9rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 1rem 1.2rem; }
.card + .card, .note + .card, .card + .note, .note + .note { margin-top: .8rem; }
.card + div, div + .card, section > .from + div { margin-top: 1.2rem; }
.card table { margin-top: .5rem; }
.card tr:last-child td { border-bottom: 0; padding-bottom: 0; }
.card > .from + ul { margin-top: .5rem; }
.card > h3 { margin-bottom: .35rem; }
.card > .from { margin-top: .6rem; }
.from { color: var(--soft); font-size: .86rem; }
.note { border-radius: 8px; padding: .7rem 1rem; font-size: .95rem; }
.warn { background: var(--warn-back); color: var(--warn); border: 1px solid var(--warn-line); }
.warn a { color: inherit; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(10.5rem, 1fr)); gap: .8rem 1.5rem; margin-top: 1.2rem; }
.facts dt, .fields dt { color: var(--soft); font-size: .82rem; }
.facts dd { font-variant-numeric: tabular-nums; }
.fields { display: grid; gap: .8rem; }

button, input { font: inherit; color: inherit; }
button { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .25rem .7rem; font-size: .88rem; line-height: 1.5; cursor: pointer; }
button:hover { border-color: var(--soft); }
button[aria-pressed="false"] { color: var(--soft); background: none; }
button[aria-pressed="true"] { border-color: var(--ink); box-shadow: inset 0 -2px 0 var(--ink); }
button .count { margin-left: .35rem; font-variant-numeric: tabular-nums; }
summary { cursor: pointer; border-radius: 4px; }

table { width: 100%; border-collapse: collapse; font-size: .92rem; line-height: 1.5; }
th { text-align: left; color: var(--soft); font-weight: 500; font-size: .82rem; padding: 0 .9rem .4rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
td { padding: .5rem .9rem .5rem 0; vertical-align: top; border-bottom: 1px solid var(--line); }
td:last-child, th:last-child { padding-right: 0; }
td.at, td.short { white-space: nowrap; font-variant-numeric: tabular-nums; width: 1%; }
td.at { min-width: 3.2rem; }
td .command { white-space: pre-wrap; }
td .printed { color: var(--soft); max-height: 10.5em; overflow: hidden; margin-top: .3rem; }
#keys { margin-top: 2.75rem; }

.file { border-bottom: 1px solid var(--line); padding: .55rem 0; }
.file > summary { display: flex; flex-wrap: wrap; gap: .1rem 1rem; align-items: baseline; }
.file > summary::before, .fold > summary::before { content: "›"; color: var(--soft); width: .7rem; flex: none; font-weight: 600; }
.file[open] > summary::before, .fold[open] > summary::before { content: "⌄"; }
summary { list-style: none; }
summary::-webkit-details-marker { display: none; }
.file .path { flex: 1 1 16rem; min-width: 0; }
.edit { margin: .7rem 0 .9rem; }
.edit > p { margin-bottom: .3rem; }
.diff { background: var(--code); border-radius: 6px; padding: .5rem 0; font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .82rem; line-height: 1.5; }
.diff div { white-space: pre-wrap; padding: 0 .8rem 0 2rem; text-indent: -1.2rem; tab-size: 4; min-height: 1.5em; unicode-bidi: plaintext; }
.diff .add { background: var(--good-back); }
.diff .del { background: var(--bad-back); }
.diff .add { box-shadow: inset 3px 0 var(--good); }
.diff .del { box-shadow: inset 3px 0 var(--bad); }
.diff .gap { color: var(--soft); }

.tools { position: sticky; top: 0; z-index: 2; background: var(--paper); padding: .7rem 0; display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; border-bottom: 1px solid var(--line); }
.tools input { flex: 1 1 14rem; min-width: 0; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .3rem .7rem; font-size: .95rem; }
.tools input::placeholder { color: var(--soft); opacity: 1; }
.tools output { flex: 1 0 100%; color: var(--soft); font-size: .86rem; }
.block { contain: layout style; }
.turn { display: grid; grid-template-columns: 3.2rem minmax(0, 1fr); gap: 0 .8rem; padding: .7rem 0; border-bottom: 1px solid var(--line); scroll-margin-top: 7.5rem; }
.turn .at { color: var(--soft); font-size: .82rem; line-height: 1.8; text-decoration: none; font-variant-numeric: tabular-nums; }
.turn .at:hover { text-decoration: underline; }
.turn .line { display: flex; gap: .8rem; align-items: baseline; }
.turn .who { font-size: .86rem; font-weight: 600; flex: none; max-width: 100%; }
.turn time { color: var(--soft); font-size: .8rem; margin-left: auto; flex: none; font-variant-numeric: tabular-nums; }
.turn .about { flex: 1 1 0; min-width: 0; color: var(--soft); font-size: .9rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.turn .end { font-size: .82rem; flex: none; color: var(--soft); }
.turn .end.bad { color: var(--bad); font-weight: 600; }
.turn.USER .who { color: var(--user); }
.turn.AGENT .who { color: var(--agent); }
.turn.TOOL .who { color: var(--tool); }
.turn.THOUGHT .who, .turn.SUB .who { color: var(--thought); }
.turn.OTHER .who { color: var(--soft); }
.turn.USER { border-left: 3px solid var(--user); padding-left: .8rem; margin-left: calc(-.8rem - 3px); }
.turn .fold > summary { display: flex; gap: .5rem; align-items: baseline; }
.turn .body pre { background: var(--code); border-radius: 6px; padding: .7rem .9rem; }
.turn .body { padding: .5rem 0 .3rem; display: grid; gap: .7rem; }
.turn .body h3 { margin-bottom: .25rem; }
.d1, .d2, .d3 { border-left: 2px solid var(--line); padding-left: 1rem; }
.d1 { margin-left: .5rem; }
.d2 { margin-left: 1.75rem; }
.d3 { margin-left: 3rem; }
.turn.SUB button { margin-top: .35rem; }
.more { margin-top: .5rem; }
::highlight(found) { background-color: var(--mark); color: var(--mark-ink); }
kbd { font: inherit; font-size: .82rem; border: 1px solid var(--line); border-radius: 4px; padding: 0 .35rem; background: var(--card); }
.keys { display: grid; grid-template-columns: auto 1fr; gap: .3rem 1rem; margin-top: .6rem; }
.empty { padding: 1.2rem 0; color: var(--soft); }

@media (max-width: 640px) {
  #app { padding: 0 1rem 4rem; }
  .top { padding-top: 1.5rem; }
  h1 { font-size: 1.4rem; }
  .card { padding: .85rem 1rem; }
  .tools { position: static; }
  .turn { grid-template-columns: minmax(0, 1fr); scroll-margin-top: 1rem; }
  .turn { position: relative; }
  .turn .at { position: absolute; right: 0; top: .75rem; line-height: 1.6; }
  .turn.SUB .at { display: none; }
  .turn .fold > summary, .turn .line { flex-wrap: wrap; gap: 0 .5rem; padding-right: 3.6rem; }
  .turn .about { flex-basis: 100%; order: 3; }
  .d1, .d2, .d3 { padding-left: .7rem; }
  .d1 { margin-left: 0; } .d2 { margin-left: .7rem; } .d3 { margin-left: 1.4rem; }
  table, tbody { display: block; }
  thead { display: none; }
  tr { display: grid; gap: .15rem; padding: .6rem 0; border-bottom: 1px solid var(--line); }
  td, td.at, td.short { display: grid; grid-template-columns: 5.5rem minmax(0, 1fr); gap: .6rem; border: 0; padding: 0; width: auto; white-space: normal; }
  td::before { content: attr(data-label); color: var(--soft); font-size: .82rem; }
  td:empty { display: none; }
}
@media print {
  :root[data-theme], :root:not([data-theme]) { color-scheme: light; ${LIGHT} --paper: #ffffff; }
  body { font-size: 10.5pt; }
  #app { max-width: none; padding: 0; }
  .parts, .tools, .skip, .top button, .more, #keys { display: none; }
  .turn, .card, tr { break-inside: avoid; }
  .turn .about { white-space: normal; }
  section { margin-top: 1.6rem; }
}
`;

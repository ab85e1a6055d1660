import { html } from './html.js';

/** Everything that the page looks like: nothing is loaded, and no element has a style of its own. */
export const STYLE = html`
:root { color-scheme: light dark; --back: #fff; --odd: #f5f6f8; --text: #1b1f24; --soft: #5b6470; --line: #d8dde3; --accent: #0a5fb4; --warn: #fff4d6; --warn-line: #d9a400;
  --good: #1a7f37; --bad: #c3262f; --open: #9a6700; --c-none: #66707b; --c-blue: #1f6fd6; --c-green: #1a7f37; --c-yellow: #a07000; --c-purple: #8250df; --c-orange: #c4551b; --c-pink: #c4387f; --c-cyan: #0b7f93; --c-red: #c3262f; }
@media (prefers-color-scheme: dark) { :root { --back: #14171b; --odd: #1b1f25; --text: #e4e8ed; --soft: #9aa5b1; --line: #333b45; --accent: #6db3f8; --warn: #33290c; --warn-line: #b98d00;
  --good: #4ac26b; --bad: #ff7b72; --open: #e3b341; --c-none: #97a2ae; --c-blue: #62a8ff; --c-green: #4ac26b; --c-yellow: #e3b341; --c-purple: #bc94ff; --c-orange: #ff9b5e; --c-pink: #ff8ac2; --c-cyan: #4fc9de; --c-red: #ff7b72; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 84rem; padding: 1.5rem clamp(0.75rem, 3vw, 2.5rem) 4rem; background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { margin: 0 0 0.25rem; font-size: 1.9rem; }
h2 { margin: 2.5rem 0 0.75rem; padding-top: 0.75rem; border-top: 1px solid var(--line); font-size: 1.35rem; }
h3 { margin: 1.25rem 0 0.4rem; font-size: 1.05rem; }
small, .cut, .gap, .to, time, .tick { color: var(--soft); }
a { color: var(--accent); }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 1rem; padding: 0.5rem; background: var(--back); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.warning { padding: 0.5rem 0.9rem; background: var(--warn); border-left: 4px solid var(--warn-line); }
.facts { display: flex; flex-wrap: wrap; gap: 0.5rem 2rem; margin: 1rem 0; }
.facts dt { color: var(--soft); font-size: 0.8rem; }
.facts dd { margin: 0; font-size: 1.05rem; font-variant-numeric: tabular-nums; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin: 0; padding: 0; list-style: none; }
pre { margin: 0.3rem 0; padding: 0.6rem 0.8rem; max-height: 26rem; overflow: auto; background: var(--odd); border: 1px solid var(--line); border-radius: 4px; font: 13px/1.45 ui-monospace, monospace; white-space: pre-wrap; }
code { font: 0.85em ui-monospace, monospace; }
code, pre, td small { overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.92rem; }
table + table, .wide + .wide { margin-top: 1rem; }
caption { text-align: left; color: var(--soft); padding: 0.4rem 0; }
th, td { padding: 0.35rem 0.9rem 0.35rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { color: var(--soft); font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 600; }
tfoot th, tfoot td { font-weight: 700; }
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td time, .heads time { white-space: nowrap; }
tbody:has(.below) > :first-child > * { border-bottom: 0; } .below td { padding-top: 0; }
td pre { max-height: 12rem; }
summary { cursor: pointer; }
.status { padding: 0 0.45rem; border: 1px solid; border-radius: 1rem; font-size: 0.82rem; white-space: nowrap; color: var(--soft); }
.s-completed { color: var(--good); } .s-bad { color: var(--bad); } .s-in_progress, .s-pending { color: var(--open); }
.who { font-weight: 600; white-space: nowrap; }
.dot { display: inline-block; width: 0.65em; height: 0.65em; margin-right: 0.4em; border-radius: 50%; background: var(--c-none); }
.mail { margin: 0; padding: 0; list-style: none; }
.mail > li { margin: 0.6rem 0; padding: 0.4rem 0 0.4rem 0.9rem; border-left: 3px solid var(--accent); }
.mail > li.k-report { border-color: var(--good); } .mail > li.k-notice, .mail > li.gap { border-color: var(--line); }
.mail p { margin: 0.1rem 0; } .mail .said { white-space: pre-wrap; } .mail .summary { font-weight: 600; }
.kind { padding: 0 0.4rem; border: 1px solid var(--line); border-radius: 1rem; font-size: 0.8rem; color: var(--soft); }
form { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; align-items: center; margin-bottom: 0.75rem; }
form[hidden] { display: none; }
select { font: inherit; }
.calls ol { margin: 0.3rem 0; padding-left: 2.6rem; } .calls li { margin: 0.1rem 0; }
.calls.agent { margin-left: 1.5rem; }
.calls p { margin: 0.3rem 0 0; color: var(--soft); font-size: 0.85rem; }
.timeline { display: block; width: 100%; min-width: 56rem; height: auto; font: 12px system-ui, sans-serif; }
.ground { fill: var(--back); } .ground.odd { fill: var(--odd); }
.grid { stroke: var(--line); } .tick { fill: var(--soft); font-size: 11px; }
.label { font-weight: 600; fill: var(--m, var(--c-none)); }
.life { stroke: var(--c-none); stroke-width: 1; opacity: 0.6; }
.bar { fill: var(--m, var(--c-none)); opacity: 0.85; }
.wait { fill: var(--open); opacity: 0.35; stroke: var(--open); stroke-dasharray: 2 2; }
.arrow { fill: none; stroke: var(--m, var(--c-none)); stroke-width: 1.4; } .arrow.report { stroke-dasharray: 2 3; }
.tip { fill: var(--m, var(--c-none)); }
.hit { fill: none; stroke: transparent; stroke-width: 7; }
g:hover > .arrow { stroke-width: 3; }
.m-open { fill: var(--back); stroke: var(--open); stroke-width: 1.6; } .m-good { fill: var(--good); stroke: var(--back); } .m-bad { fill: var(--bad); stroke: var(--back); stroke-width: 1.5; } .m-death { fill: none; stroke: var(--bad); stroke-width: 3; }
.c-blue { --m: var(--c-blue); } .c-green { --m: var(--c-green); } .c-yellow { --m: var(--c-yellow); } .c-purple { --m: var(--c-purple); } .c-orange { --m: var(--c-orange); } .c-pink { --m: var(--c-pink); } .c-cyan { --m: var(--c-cyan); } .c-red { --m: var(--c-red); }
.dot { background: var(--m, var(--c-none)); }
.legend { display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; padding: 0; margin: 0.6rem 0; list-style: none; color: var(--soft); font-size: 0.85rem; }
.legend svg { vertical-align: -2px; }
footer { margin-top: 3rem; color: var(--soft); }
@media print { :root { font-size: 11px; } body { max-width: none; padding: 0; } pre { max-height: none; font-size: 10px; } .wide { overflow: visible; } .timeline { min-width: 0; } nav, form, .skip { display: none; } tr, .mail > li, article { break-inside: avoid; } h2, h3 { break-after: avoid; } * { print-color-adjust: exact; } }
`;

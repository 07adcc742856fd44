#include "analysis/report/page.hpp"

namespace scalestudy {

const char* report_style() {
  return R"css(
:root {
  --page: #f6f7f9; --card: #ffffff; --ink: #1b1f24; --soft: #565e69; --faint: #c3c8d0;
  --line: #e3e6eb; --accent: #0072b2; --warn: #8a4b00; --warn-card: #fff6e8;
  --c1: #0072b2; --c2: #d55e00; --c3: #009e73; --c4: #b8578a; --c5: #d99000; --c6: #56b4e9;
  --c7: #8a8f98; --c8: #454c57;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #101317; --card: #181c22; --ink: #e6e9ee; --soft: #a3abb7; --faint: #4a525e;
    --line: #2a3038; --accent: #5ab3ec; --warn: #ffc46b; --warn-card: #2a2113;
    --c1: #4ea5e0; --c2: #f0883e; --c3: #2fc39a; --c4: #e08fb9; --c5: #f0b429; --c6: #8fd0f7;
    --c7: #9aa1ac; --c8: #c5ccd6;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Helvetica, Arial,
    sans-serif;
}
main { max-width: 72rem; margin: 0 auto; padding: 2.5rem 1.5rem 4rem; }
header { margin-bottom: 1.5rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .4rem; letter-spacing: -.02em; }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 0 0 .9rem; letter-spacing: -.01em; }
h3 { font-size: 1rem; margin: 0 0 .5rem; }
h1, h2, h3 { text-wrap: balance; overflow-wrap: anywhere; }
p { margin: 0 0 .8rem; }
hr { border: 0; border-top: 1px solid var(--line); margin: 3rem 0 2rem; }
.kicker {
  margin: 0 0 .3rem; color: var(--accent); font-size: .78rem; font-weight: 650;
  letter-spacing: .09em; text-transform: uppercase;
}
.facts, .series, .caption, figcaption { color: var(--soft); font-size: .875rem; }
.series { margin: -.6rem 0 1.2rem; overflow-wrap: anywhere; }
section { margin: 2.6rem 0; }
.conclusions {
  margin: 1.2rem 0; padding: 1.7rem 1.9rem 1.1rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 14px; border-top: 4px solid var(--accent);
}
.conclusions h2 { font-size: 1.65rem; letter-spacing: -.02em; }
.conclusions > p { max-width: 68ch; }
.stats {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: 1.1rem 1.6rem;
  margin: 0 0 1.4rem; padding: 1rem 0; border-block: 1px solid var(--line);
}
.stat b {
  display: block; font-size: 1.7rem; line-height: 1.2; font-weight: 640; letter-spacing: -.02em;
  font-variant-numeric: tabular-nums;
}
.stat span, .stat small { display: block; font-size: .82rem; line-height: 1.35; }
.stat small { color: var(--soft); }
.notice {
  margin: 0 0 1.2rem; padding: .8rem 1.2rem; border-radius: 10px; font-size: .9rem;
  background: var(--warn-card); border-left: 4px solid var(--warn);
}
.notice ul { margin: 0; padding-left: 1.1rem; }
.notice li { margin: .2rem 0; overflow-wrap: anywhere; }
.notice strong { color: var(--warn); }
figure { margin: 0; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 27rem), 1fr));
  gap: 1.2rem; margin-bottom: 1.4rem; }
.chart {
  padding: 1.1rem 1.2rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 12px; break-inside: avoid; max-width: 44rem;
}
.chart svg { display: block; width: 100%; height: auto; }
.chart svg text { font-family: inherit; }
.chart figcaption { margin-top: .6rem; font-size: .8rem; line-height: 1.45; }
.missing { padding: 2rem 1rem; text-align: center; color: var(--soft);
  border: 1px dashed var(--faint); border-radius: 8px; }
.table { margin: 0 0 1.6rem; }
.table .caption { margin-bottom: .5rem; max-width: 80ch; }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line);
  border-radius: 10px; }
.scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-size: .86rem;
  font-variant-numeric: tabular-nums; }
th, td { padding: .45rem .7rem; text-align: left; vertical-align: top; }
th { font-weight: 600; color: var(--soft); font-size: .8rem; vertical-align: bottom;
  border-bottom: 1px solid var(--line); }
td { border-top: 1px solid var(--line); white-space: nowrap; }
tbody tr:first-child td { border-top: 0; }
td:not(.number) { white-space: normal; overflow-wrap: anywhere; min-width: 6rem; }
td:last-child:not(.number) { min-width: 15rem; }
.runs td:last-child { white-space: nowrap; }
.number { text-align: right; }
details { margin: 0 0 1.2rem; }
summary { cursor: pointer; color: var(--accent); margin-bottom: .7rem; }
.panels { display: grid; gap: 1rem; margin-bottom: .7rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 13rem), 1fr)); }
.panels.large { grid-template-columns: repeat(auto-fill, minmax(min(100%, 15.5rem), 1fr)); }
.panel { max-width: 24rem; }
.panel img { display: block; width: 100%; height: auto; image-rendering: pixelated;
  border-radius: 8px; border: 1px solid var(--line); background: #000; }
.panel figcaption { margin-top: .35rem; text-align: center; }
.outline::before { content: ""; display: inline-block; width: 1.1em; height: .28em; margin-right: .35em;
  vertical-align: middle; border-radius: 2px; }
.outline.mask::before { background: #56b4e9; }
.outline.prediction::before { background: #ff9f1c; }
@media (max-width: 40rem) {
  main { padding: 1.4rem .9rem 3rem; }
  h1 { font-size: 1.6rem; }
  .conclusions { padding: 1.2rem 1.1rem .6rem; }
  .conclusions h2 { font-size: 1.35rem; }
  .stats { grid-template-columns: 1fr 1fr; gap: .9rem 1rem; }
  .stat b { font-size: 1.35rem; }
  .chart { padding: .8rem .7rem; }
  .panels, .panels.large { grid-template-columns: 1fr 1fr; gap: .6rem; }
}
@media print {
  :root {
    --page: #fff; --card: #fff; --ink: #000; --soft: #444; --faint: #aaa; --line: #ccc;
    --accent: #0072b2; --warn: #8a4b00; --warn-card: #fff;
    --c1: #0072b2; --c2: #d55e00; --c3: #009e73; --c4: #b8578a; --c5: #d99000; --c6: #56b4e9;
    --c7: #8a8f98; --c8: #454c57;
  }
  @page { margin: 16mm; }
  body { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  .charts { grid-template-columns: 1fr 1fr; }
  .scroll { overflow: visible; }
  table { font-size: 7.5pt; }
  th, td { padding: .25rem .35rem; }
  td { white-space: normal; overflow-wrap: anywhere; }
  h2, h3, .table .caption { break-after: avoid; }
  tr, .panel { break-inside: avoid; }
}
)css";
}

}  // namespace scalestudy

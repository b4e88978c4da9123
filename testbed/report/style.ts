/** How a report looks: light and dark by the reader's system, on a phone, and printed. */
export const reportStyle = `
:root{color-scheme:light dark;--paper:#fbfaf7;--card:#fff;--ink:#1d1c1a;--soft:#5d5a54;--line:#dcd8cf;--accent:#1f5c4d;--good:#1f5c4d;--good-paper:#e3f0ec;--bad:#9c2b1e;--bad-paper:#fbeae7;--warn:#7a5200;--warn-paper:#fdf3dc;--none-paper:#edebe5}
@media (prefers-color-scheme:dark){:root{--paper:#171715;--card:#20201e;--ink:#eeece6;--soft:#aaa69c;--line:#3a3833;--accent:#7fc9b4;--good:#7fc9b4;--good-paper:#1b302a;--bad:#ff9d8f;--bad-paper:#3a201c;--warn:#f0c46a;--warn-paper:#352a12;--none-paper:#2c2b28}}
*{box-sizing:border-box}
html{font:16px/1.5 system-ui,"Segoe UI",Roboto,sans-serif;background:var(--paper);color:var(--ink);-webkit-text-size-adjust:100%}
body{max-width:66rem;margin:0 auto;padding:1.5rem 1rem 4rem;overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.2;letter-spacing:-.01em;margin:0 0 .6rem}
h2{font-size:1.2rem;line-height:1.3;margin:0 0 .7rem}
h3{font-size:1rem;margin:1.2rem 0 .4rem}
p{margin:0 0 .7rem;max-width:46rem}
section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1rem 1.1rem;margin-top:1rem}
section>:last-child,details>:last-child{margin-bottom:0}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin:1rem 0 0;padding:0}
a{color:var(--accent)}
small,.soft,figcaption{color:var(--soft);font-size:.875rem}
code,pre{font-family:ui-monospace,"Cascadia Code","DejaVu Sans Mono",Menlo,Consolas,monospace;font-size:.85em}
pre{background:var(--none-paper);border-radius:6px;padding:.6rem .7rem;margin:0 0 .7rem;white-space:pre-wrap}
.badge{display:inline-block;border-radius:99px;padding:.05rem .6rem;font-size:.85rem;font-weight:600;white-space:nowrap;background:var(--none-paper);color:var(--ink)}
.badge.good{background:var(--good-paper);color:var(--good)}
.badge.bad{background:var(--bad-paper);color:var(--bad)}
.badge.doubtful{background:var(--warn-paper);color:var(--warn)}
.verdict{display:flex;flex-wrap:wrap;gap:.3rem .7rem;align-items:baseline;margin:0 0 1rem}
.verdict .badge{font-size:1rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1.2rem;margin:0 0 .7rem}
dt{color:var(--soft)}
dd{margin:0;min-width:0}
table{border-collapse:collapse;width:100%;margin:0 0 .7rem;font-variant-numeric:tabular-nums}
caption{text-align:start;color:var(--soft);font-size:.875rem;padding-bottom:.3rem}
th,td{text-align:start;vertical-align:top;min-width:5rem;padding:.35rem .8rem .35rem 0;border-top:1px solid var(--line)}
thead th{border-top:0;color:var(--soft);font-weight:500;font-size:.875rem}
tbody th{font-weight:600}
td:last-child,th:last-child{padding-inline-end:0}
.number{text-align:end;white-space:nowrap}
details{border-top:1px solid var(--line);padding:.5rem 0}
summary{cursor:pointer;display:flex;flex-wrap:wrap;gap:.2rem .7rem;align-items:baseline}
summary::before{content:"\\25b8";color:var(--soft)}
details[open]>summary::before{content:"\\25be"}
details[open]>summary{margin-bottom:.6rem}
summary::-webkit-details-marker{display:none}
.bars td{vertical-align:middle}
.bars svg{display:block;width:100%;height:.8rem}
.bars td.bar{width:55%}
.bars th{overflow-wrap:break-word}
figure{margin:0 0 .7rem}
figure img{display:block;max-width:100%;height:auto;border:1px solid var(--line);border-radius:4px;background:#fff}
.pictures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,13rem),1fr));gap:.9rem;margin-bottom:.7rem}
.pictures figure{margin:0}
.histogram svg{display:block;width:100%;height:8rem}
.scale{display:flex;justify-content:space-between;gap:1rem;color:var(--soft);font-size:.875rem;border-top:1px solid var(--line);padding-top:.2rem}
.percentiles{display:flex;flex-wrap:wrap;gap:.2rem 1.4rem;margin:.4rem 0 .7rem}
.percentiles div{display:flex;gap:.4rem}
svg .fill{fill:var(--accent)}
svg .fill.bad{fill:var(--bad)}
svg .fill.doubtful{fill:var(--warn)}
svg .ground{fill:var(--none-paper)}
svg .mark{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:3 3;vector-effect:non-scaling-stroke}
@media (max-width:40rem){
body{padding:1rem .7rem 3rem}
.bars td.bar{width:40%}
.pictures{grid-template-columns:1fr 1fr}
section{padding:.8rem .8rem}
dl{grid-template-columns:1fr;gap:0}
dd{margin-bottom:.4rem}
table:not(.bars) thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table:not(.bars) tr{display:block;border-top:1px solid var(--line);padding:.4rem 0}
table:not(.bars) tbody>tr>*{display:block;border:0;padding:.1rem 0;text-align:start;white-space:normal}
table:not(.bars) [data-label]::before{content:attr(data-label) ": ";color:var(--soft);font-weight:400}
}
@media print{
:root{--paper:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#bbb;--accent:#1f5c4d;--good:#1f5c4d;--good-paper:#fff;--bad:#9c2b1e;--bad-paper:#fff;--warn:#7a5200;--warn-paper:#fff;--none-paper:#f3f3f3;color-scheme:light}
html{font-size:11px}
body{max-width:none;padding:0}
section{border:0;padding:0;margin-top:1.6rem}
nav{display:none}
.badge{border:1px solid currentColor}
tr,figure,summary{break-inside:avoid}
h2,h3,summary{break-after:avoid}
details::details-content{content-visibility:visible;display:block}
svg,.badge,pre{print-color-adjust:exact}
}
`;

/** The page of a drill: one file of HTML without anything from elsewhere, to be printed and signed. */
import type { DrillStep } from './drill-steps.ts';

/** The facts of a drill. Times are ISO texts in UTC. */
export interface DrillReport {
  readonly passed: boolean;
  readonly service: string;
  readonly url: string;
  readonly version: string;
  readonly beganAt: string;
  readonly tookMs: number;
  readonly backup: string;
  readonly backupBytes: number;
  readonly backupMadeAt: string;
  /** How much older than the drill the backup is: work of this time would be lost. */
  readonly backupAgeMs: number;
  /** Whether an archive has what came after the backup. */
  readonly hasArchive: boolean;
  readonly steps: readonly DrillStep[];
  /** Tables with rows that came after the backup. */
  readonly lost: readonly { readonly table: string; readonly rows: number }[];
}

const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const text = (value: string | number): string => String(value).replaceAll(/[&<>"]/g, (sign) => signs[sign] ?? sign);
const words = { ok: 'passed', warn: 'look at it', fail: 'FAILED' } as const;

/** Words a span as people say it. */
export function spanWords(ms: number): string {
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

const css = `body{font:15px/1.45 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#111;background:#fff}
h1{font-size:1.5rem;margin-bottom:0}.result{font-size:1.2rem;font-weight:700}
table{border-collapse:collapse;width:100%;margin:.5rem 0 1.5rem}th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid #999}
td:last-child{overflow-wrap:anywhere}.number{text-align:right;white-space:nowrap}tr{break-inside:avoid}
.sign{display:flex;gap:2rem;margin-top:3.5rem;break-inside:avoid}.sign div{flex:1;border-top:1px solid #111;padding-top:.2rem}
.fail{font-weight:700}@page{margin:18mm}@media print{body{margin:0;max-width:none}}`;

const row = (name: string, value: string): string =>
  `<tr><th scope="row">${text(name)}</th><td>${text(value)}</td></tr>`;

function stepRow({ title, result, findings, tookMs }: DrillStep): string {
  const said = findings.map(text).join('<br>');
  return `<tr><td>${text(title)}</td><td class="${result}">${words[result]}</td><td class="number">${text(spanWords(tookMs))}</td><td>${said}</td></tr>`;
}

/** Draws the page. */
export function drillPage(report: DrillReport): string {
  const { passed, lost } = report;
  const size = `${(report.backupBytes / 1024 / 1024).toFixed(1)} MiB`;
  const losses =
    lost.length === 0
      ? '<p>No row came after the backup was made.</p>'
      : `<p>A loss now would cost what came since the backup was made, ${text(spanWords(report.backupAgeMs))} before the drill:</p>
<table><thead><tr><th scope="col">Rows</th><th scope="col" class="number">Came since</th></tr></thead><tbody>
${lost.map(({ table, rows }) => `<tr><td>${text(table)}</td><td class="number">${rows}</td></tr>`).join('\n')}
</tbody></table>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Papergate: restore drill of ${text(report.beganAt.slice(0, 10))}</title><style>${css}</style></head><body>
<h1>Restore drill</h1>
<p class="result">${passed ? 'Passed: the backup can be restored.' : 'Not passed: see the steps that failed.'}</p>
<table><tbody>
${row('Service', `${report.url} (${report.service}), version ${report.version}`)}
${row('Began', `${report.beganAt} (UTC)`)}
${row('Took', spanWords(report.tookMs))}
${row('Backup', `${report.backup}, ${size}`)}
${row('Made', `${report.backupMadeAt} (UTC), ${spanWords(report.backupAgeMs)} before`)}
</tbody></table>
<h2>What was done</h2>
<table><thead><tr><th scope="col">Step</th><th scope="col">Result</th><th scope="col" class="number">Took</th><th scope="col">Findings</th></tr></thead><tbody>
${report.steps.map(stepRow).join('\n')}
</tbody></table>
<h2>What would have been lost</h2>
${losses}${report.hasArchive ? '\n<p>That is a restore of this backup. The service has an archive, too, which this drill did not restore: from it, work of seconds would be lost.</p>' : ''}
<p>The restored copy was removed at the end. It served nobody: no frame, email, callback or broker was reached from it.</p>
<div class="sign"><div>Name</div><div>Date</div><div>Signature</div></div>
</body></html>
`;
}

/** Charts of a report, drawn without a script: bars, and how durations are spread. */
import { duration } from '../../runtime/spans.ts';
import { type Html, html } from './html.ts';
import type { ResultTone } from './page.ts';

/** One bar: how long it is, and how its value is written. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  /** The value as it is read; the number itself unless given. */
  readonly written?: string;
  readonly tone?: ResultTone;
}

/** Bars under each other, the longest one over the whole width. Values below 0 have no length. */
export function bars(all: readonly Bar[], caption?: string): Html {
  const longest = Math.max(...all.map(({ value }) => value), Number.MIN_VALUE);
  const row = ({ label, value, written = String(value), tone = 'none' }: Bar): Html => {
    const length = (Math.max(0, value) / longest) * 100;
    return html`<tr><th scope="row">${label}</th><td class="bar"><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="ground" width="100" height="8"/><rect class="fill ${tone}" width="${rounded(length)}" height="8"/></svg></td><td class="number">${written}</td></tr>\n`;
  };
  return html`<table class="bars">${caption === undefined ? undefined : html`<caption>${caption}</caption>`}<tbody>
${all.map(row)}</tbody></table>\n`;
}

/** How a distribution is drawn. */
export interface DistributionOptions {
  readonly caption?: string;
  /** Writes a value; as a duration in milliseconds unless given. */
  readonly write?: (value: number) => string;
}

const columnCount = 40;
const shownPercentiles = [50, 90, 95, 99];

/**
 * How values are spread: columns from the least to the greatest, with a mark at the median and at the 95th percentile,
 * and the percentiles in words. Where a few values are far off, the last column holds all from the 99th percentile on.
 */
export function distribution(values: readonly number[], options: DistributionOptions = {}): Html {
  const { caption, write = duration } = options;
  const title = caption === undefined ? undefined : html`<figcaption>${caption}</figcaption>`;
  const sorted = values.toSorted((a, b) => a - b);
  const [least, greatest] = [sorted[0], sorted.at(-1)];
  if (least === undefined || greatest === undefined) return html`<figure>${title}<p>There are none.</p></figure>\n`;
  const far = percentile(sorted, 99);
  const isCut = greatest - least > 3 * (far - least) && far > least;
  const span = (isCut ? far : greatest) - least;
  const counts = new Array<number>(columnCount).fill(0);
  for (const value of sorted) {
    const at = span === 0 ? 0 : Math.min(columnCount - 1, Math.floor(((value - least) / span) * columnCount));
    counts[at] = (counts[at] ?? 0) + 1;
  }
  const highest = Math.max(...counts);
  const columns = counts.map((count, at) => {
    const height = (count / highest) * 100;
    const place = html`x="${at * 10 + 0.5}" y="${rounded(100 - height)}" width="9" height="${rounded(height)}"`;
    return count === 0 ? undefined : html`<rect class="fill" ${place}/>`;
  });
  const mark = (at: number): Html | undefined => {
    const x = span === 0 ? undefined : rounded(((percentile(sorted, at) - least) / span) * columnCount * 10);
    return x === undefined ? undefined : html`<line class="mark" x1="${x}" x2="${x}" y1="0" y2="100"/>`;
  };
  const words = shownPercentiles.map(
    (at) => [at === 50 ? 'median' : `${at} %`, write(percentile(sorted, at))] as const,
  );
  const named = [['values', String(sorted.length)], ['least', write(least)], ...words, ['greatest', write(greatest)]];
  return html`<figure class="histogram">${title}
<svg viewBox="0 0 ${columnCount * 10} 100" preserveAspectRatio="none" aria-hidden="true">${columns}${mark(50)}${mark(95)}</svg>
<div class="scale"><span>${write(least)}</span><span>${isCut ? `${write(far)} and more` : write(greatest)}</span></div>
<div class="percentiles">${named.map(([name, value]) => html`<div><span class="soft">${name}</span><span>${value}</span></div>`)}</div></figure>\n`;
}

/** The value at a percentile of sorted ones: the least that so many of a hundred do not exceed. */
export function percentile(sorted: readonly number[], hundredth: number): number {
  return sorted[Math.max(0, Math.ceil((sorted.length * hundredth) / 100) - 1)] ?? Number.NaN;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The record as a page to print: one line an interval, with what it takes to check it. */
import { escapeHtml } from '../../runtime/escape-html.ts';
import { fontFaces } from '../fonts/own-fonts.ts';
import { serviceText, type WordedLanguage } from '../words/service-words.ts';
import type { IntervalRow, RecordStretch } from './intervals.ts';

/** The facts of a page. */
export interface RecordPageFacts {
  readonly organization: string;
  readonly stretch: RecordStretch;
  readonly intervals: readonly IntervalRow[];
  /** The end of the chain; undefined where there is none yet. */
  readonly head: { readonly number: number; readonly hash: string } | undefined;
  readonly publicKey: string;
  readonly madeAt: number;
}

/** How a page is written. */
export interface RecordPageStyle {
  readonly language: WordedLanguage;
  /** A zone of the IANA. */
  readonly timeZone: string;
}

/** As many lines stand on one sheet of A4 in large letters. */
const onOneSheet = 24;
/** Letters get smaller with more lines, and no smaller than this. */
const leastPoints = 6;

const css = (lines: number): string => {
  const points = Math.max(leastPoints, Math.min(9, (9 * onOneSheet) / Math.max(1, lines)));
  return `@page{size:A4;margin:14mm}*{margin:0;padding:0;box-sizing:border-box}
body{font:${points}pt/1.35 Inter,sans-serif;color:#000}h1{font-size:16pt;margin-bottom:2mm}
p{margin-bottom:2mm;font-size:9pt}table{width:100%;border-collapse:collapse;margin:4mm 0}
th,td{text-align:start;padding:0.25em 0.5em 0.25em 0;border-bottom:0.3pt solid #000;vertical-align:top;overflow-wrap:anywhere}
thead{display:table-header-group}tr{break-inside:avoid}th,td:nth-child(2),td:nth-child(3){white-space:nowrap}code{font-size:0.8em;overflow-wrap:anywhere}.small{font-size:7pt}`;
};

/** Writes a day, or a time, with its year: an inspector reads it long after. */
function written(at: number, { language, timeZone }: RecordPageStyle, what: 'day' | 'time'): string {
  const style =
    what === 'day' ? ({ dateStyle: 'long' } as const) : ({ dateStyle: 'medium', timeStyle: 'short' } as const);
  return new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, { timeZone, ...style }).format(at);
}

/** Puts the page together, as HTML that loads nothing. */
export function recordPage(facts: RecordPageFacts, style: RecordPageStyle): string {
  const { language } = style;
  const { stretch, intervals, head } = facts;
  const say = (key: Parameters<typeof serviceText>[1], values = {}): string =>
    escapeHtml(serviceText(language, key, values));
  const [first] = intervals;
  const frame = stretch.serial === undefined ? undefined : `${first?.frame_name || stretch.serial} (${stretch.serial})`;
  const heads = [
    'record.frame',
    'record.since',
    'record.until',
    'record.picture',
    'record.sender',
    'record.proof',
  ] as const;
  const lines = intervals.map(
    (interval) =>
      `<tr>${cellsOf(interval, style)
        .map((text) => `<td>${text}</td>`)
        .join('')}</tr>`,
  );
  const values = {
    from: written(stretch.from, style, 'day'),
    to: written(stretch.to - 1, style, 'day'),
    organization: facts.organization,
  };
  const made = { time: written(facts.madeAt, style, 'time'), zone: style.timeZone };
  const body = `<h1>${say('record.title')}</h1>
<p><strong>${escapeHtml(facts.organization)}</strong>${frame === undefined ? '' : ` – ${escapeHtml(frame)}`}</p>
<p>${say('record.stretch', values)}</p>
${
  lines.length === 0
    ? `<p>${say('record.none')}</p>`
    : `<table><thead><tr>${heads.map((key) => `<th>${say(key)}</th>`).join('')}</tr></thead><tbody>${lines.join('')}</tbody></table>`
}
<p class="small">${say('record.meaning')}</p>
<p class="small">${say('record.made', made)}</p>
${head === undefined ? '' : `<p class="small">${say('record.chain', { number: head.number })}<br><code>${head.hash}</code><br><code>${facts.publicKey}</code></p>`}`;
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${say('record.title')}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; font-src data:">
<style>${fontFaces('Inter', body)}${css(intervals.length)}</style></head><body>${body}</body></html>`;
}

function cellsOf(interval: IntervalRow, style: RecordPageStyle): string[] {
  const { language } = style;
  const { frame_name, serial, since, until, ended, title, sender, picture_sha256, grade } = interval;
  const time = (at: number): string => written(at, style, 'time');
  const untilWords =
    until === null
      ? serviceText(language, 'record.still')
      : ended === 'replaced' || ended === null
        ? time(until)
        : `${time(until)} – ${serviceText(language, ended === 'left' ? 'record.left' : 'record.uncertain')}`;
  const known = grade === 'named' || grade === 'processed' ? grade : 'reported';
  const words = [frame_name || serial, time(since), untilWords, title ?? '', sender ?? ''].map(escapeHtml);
  words[3] = `${words[3]} <code>${picture_sha256.slice(0, 12)}</code>`;
  return [...words, escapeHtml(serviceText(language, `record.grade.${known}`))];
}

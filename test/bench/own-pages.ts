/**
 * Our own pages against the least that Chromium needs for the same words: `node --import tsx test/bench/own-pages.ts`. Pages
 * are drawn as the service draws them, in the process that draws pages, to the panel's pixels. The peer lays the words of
 * the same page as one block of HTML in a warm browser that loads nothing, and takes its picture. ROUNDS (15) of each
 * after three to warm up; figures are medians in milliseconds. Then the first page after the start of the process.
 */
import type { Browser } from 'puppeteer';
import { launchBrowser } from '../../api/browser/browser-process.ts';
import { findBrowser } from '../../api/browser/find-browser.ts';
import type { CalendarEvent } from '../../api/calendar/read-calendars.ts';
import { calendarPage } from '../../api/pages/calendar-page.ts';
import type { PageDocument, PageFrame } from '../../api/pages/document.ts';
import { noticePage, textPage } from '../../api/pages/text-page.ts';
import { createRendering } from '../../api/rendering/rendering.ts';
import { textOfPage } from '../../api/typeset/typeset-page.ts';
import { epd7, epd13, type Panel, viewSize } from '../../firmware-protocol/panels.ts';
import { systemClock } from '../../runtime/clock.ts';
import { escapeHtml } from '../../runtime/escape-html.ts';
import { silentLogger } from '../../runtime/logger.ts';

const rounds = Number(process.env.ROUNDS ?? 15);
const timeZone = 'Europe/Berlin';
const sharer = ['organization', 'paper'] as const;
const words = 'The school bakes pancakes on Thursday. Please bring a plate, a fork and an apron with your name. ';

const frameOf = (panel: Panel): PageFrame => ({
  ...viewSize(panel, 'landscape'),
  language: 'en',
  colours: panel.colours,
});

function calendar(frame: PageFrame, count: number): PageDocument {
  const at = (day: number, hour: number) => ({
    dateTime: new Date(Date.UTC(2026, 10, 22 + day, hour)).toISOString(),
    timeZone,
  });
  const events: CalendarEvent[] = Array.from({ length: count }, (_, number) => ({
    calendar: 'a',
    summary: `Swimming ${number}`,
    location: 'Town hall',
    start: at(Math.floor(number / 3), 8 + (number % 9)),
    end: at(Math.floor(number / 3), 9 + (number % 9)),
  }));
  return calendarPage(frame, {
    title: 'Family',
    at: Date.parse('2026-11-22T06:30:00Z'),
    timeZone,
    dayRange: 14,
    read: {
      calendarAuth: { status: 'ok', calendars: { a: 'ok' } },
      calendarData: { calendars: [{ key: 'a', name: 'A', color: '#e00000' }], events },
    },
  });
}

const text = (frame: PageFrame, length: number): PageDocument =>
  textPage(frame, { title: 'Notice', text: words.repeat(20).slice(0, length), footer: 'School' });

const pages = (frame: PageFrame): Readonly<Record<string, PageDocument>> => ({
  'text of 30 characters': text(frame, 30),
  'text of 300': text(frame, 300),
  'text of 1,000': text(frame, 1_000),
  'calendar, 14 appointments': calendar(frame, 14),
  notice: noticePage(frame, { title: 'No picture', text: 'The calendar could not be read.' }),
});

async function inChromium(browser: Browser, { root, width, height }: PageDocument): Promise<void> {
  const page = await browser.newPage();
  await page.setViewport({ width, height, deviceScaleFactor: 1 });
  await page.setContent(`<body><p>${escapeHtml(textOfPage(root)).replaceAll('\n', '<p>')}`, {
    waitUntil: 'domcontentloaded',
  });
  await page.screenshot({ type: 'png', optimizeForSpeed: true, captureBeyondViewport: false });
  await page.close();
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

function median(times: readonly number[]): number {
  return [...times].sort((one, other) => one - other)[Math.floor(times.length / 2)] ?? Number.NaN;
}

const opened = () =>
  createRendering({
    clock: systemClock,
    logger: silentLogger,
    rule: { mayResolve: () => false, mayDial: () => false },
  });

const found = await findBrowser({ browserPath: process.env.PAPERGATE_BROWSER, searchPath: process.env.PATH });
const browser = await launchBrowser(found, systemClock);
const rendering = opened();
async function drawn(page: PageDocument, by = rendering): Promise<void> {
  const { ok } = await by.renderDocument(page, sharer);
  if (!ok) throw new Error('a page was not drawn');
}
for (const [size, panel] of [
  ['800x480', epd7],
  ['1600x1200', epd13],
] as const) {
  for (const [name, page] of Object.entries(pages(frameOf(panel)))) {
    const [ours, peer]: [number[], number[]] = [[], []];
    for (let round = -3; round < rounds; round++) {
      const [own, theirs] = [await timed(() => drawn(page)), await timed(() => inChromium(browser.browser, page))];
      if (round < 0) continue;
      ours.push(own);
      peer.push(theirs);
    }
    const [own, theirs] = [median(ours), median(peer)];
    console.log(`${size} ${name}: ${own.toFixed(1)} ms, Chromium ${theirs.toFixed(1)}: ${(own / theirs).toFixed(2)}`);
  }
}
await rendering.stop();
const first: number[] = [];
for (let round = 0; round < 5; round++) {
  const fresh = opened();
  first.push(await timed(() => drawn(text(frameOf(epd7), 100), fresh)));
  await fresh.stop();
}
console.log(`first text after a start: ${median(first).toFixed(0)} ms`);
await browser.close();

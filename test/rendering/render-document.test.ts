/** Our own pages, and websites. */

import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CalendarEvent } from '../../api/calendar/read-calendars.ts';
import { calendarPage } from '../../api/pages/calendar-page.ts';
import type { PageDocument } from '../../api/pages/document.ts';
import { testCard } from '../../api/pages/test-card.ts';
import { noticePage, textPage } from '../../api/pages/text-page.ts';
import { everyElement } from '../../api/typeset/measure-page.ts';
import { Changes } from '../../api/typeset/nodes.ts';
import { epd7, type Panel, panels, viewSize } from '../../firmware-protocol/panels.ts';
import { wordsOf } from '../../reasons/words.ts';
import { longTest } from '../some-times.ts';
import { type DrawnForTests, drawnPage, fittedText, shownPage } from './drawn-page.ts';
import { sharer, withPages, withRendering } from './render-world.ts';

const test = suite('our own pages and websites');

const timeZone = 'Europe/Berlin';
const { colours } = epd7;
const wide = { width: 800, height: 480, language: 'de', colours };
const tall = { width: 480, height: 800, language: 'en', colours };

/** How much of a picture is ink, and how many pixels of it touch the lower edge; gray is what belongs to no stroke. */
function inkOf({ rgb, width, height }: DrawnForTests): { share: number; foot: number; gray: number; red: number } {
  const count = { dark: 0, gray: 0, red: 0, foot: 0 };
  for (let at = 0; at < rgb.length; at += 3) {
    const [r = 0, g = 0, b = 0] = [rgb[at], rgb[at + 1], rgb[at + 2]];
    if (r < 64 && g < 64 && b < 64) count.dark++;
    else if (r > 200 && g < 60 && b < 60) count.red++;
    else if (r < 230 || g < 230 || b < 230) count.gray++;
    if (r < 128 && at / 3 / width >= height - 4) count.foot++;
  }
  const pixels = width * height;
  const { dark, gray, red, foot } = count;
  return { share: dark / pixels, gray: gray / (dark + red), red, foot };
}

const events = (count: number): CalendarEvent[] =>
  Array.from({ length: count }, (_, at) => ({
    calendar: 'a',
    summary: `Event ${at} with a long and winding title that goes on <b>until</b> the line is full and then some more`,
    start: { dateTime: new Date(Date.UTC(2026, 2, 24 + Math.floor(at / 4), 8 + (at % 4))).toISOString(), timeZone },
    end: { dateTime: new Date(Date.UTC(2026, 2, 24 + Math.floor(at / 4), 9 + (at % 4))).toISOString(), timeZone },
  }));

const facts = (count: number) => ({
  title: undefined,
  at: Date.parse('2026-03-24T06:30:00Z'),
  timeZone,
  dayRange: 14,
  read: {
    calendarAuth: { status: 'ok' as const, calendars: { a: 'ok' } },
    calendarData: { calendars: [{ key: 'a', name: 'A' }], events: events(count) },
  },
});

test('calendars, texts and notices are sharp, and fit whatever is in them', async () => {
  const text = (length: number) => ({
    title: 'Title',
    text: 'Words of some length '.repeat(length / 21),
    footer: 'F',
  });
  const pages = {
    full: calendarPage(wide, facts(40)),
    fullTall: calendarPage(tall, facts(40)),
    large: calendarPage({ ...wide, width: 1600, height: 1200 }, facts(3)),
    free: calendarPage(wide, facts(0)),
    short: textPage(wide, text(60)),
    long: textPage(tall, text(4_000)),
    notice: noticePage(wide, { title: 'Nothing to show yet', text: 'https://example.org could not be reached.' }),
  };
  const withMonth = new Set<PageDocument>([pages.full, pages.fullTall, pages.large, pages.free]);
  for (const [name, page] of Object.entries(pages)) {
    const ink = inkOf(await drawnPage(page));
    assert.ok(ink.share > 0.015 && ink.share < 0.5, `${name}: ${ink.share} is ink`);
    // Nothing but the edges of letters is neither ink nor paper.
    assert.ok(ink.gray < 2, `${name}: ${ink.gray} gray`);
    // The rule between the date and the events alone goes down to the edge.
    assert.ok(ink.foot <= 20, `${name}: cut at the foot, ${ink.foot}`);
    if (withMonth.has(page)) assert.ok(ink.red > 300, `${name}: today is marked`);
  }
});

test('the footer on a panel of 13 inches has capitals of 4 mm; what a calendar leaves out is counted next to its number', async () => {
  const large = { width: 1600, height: 1200, language: 'en', colours: [] };
  const { gray, width, height } = await drawnPage(textPage(large, { title: undefined, text: 'Hi', footer: 'HHH' }));
  const isInked = (row: number): boolean => gray.subarray(row * width, (row + 1) * width).some((one) => one < 128);
  let last = height - 1;
  while (!isInked(last)) last--;
  let first = last;
  while (isInked(first - 1)) first--;
  const millimetres = ((last - first + 1) * 25.4) / 150;
  assert.ok(millimetres >= 4 && millimetres < 6, `${millimetres} mm`);
  assert.match(await fittedText(calendarPage({ ...large, height: 600 }, facts(40))), /\nMore events: \u2068\d\d\u2069/);
  assert.match(await fittedText(calendarPage({ ...large, width: 250, height: 122 }, facts(40))), /\n\u2066\+3\d\u2069/);
});

test('PANEL-06: a test card shows every ink in a field of its own, and four corners that differ, on panels of any size', async () => {
  for (const [name, orientation] of [
    ['epd7', 'landscape'],
    ['bwy2', 'portrait'],
  ] as const) {
    const panel = panels[name] as Panel;
    const { width, height } = viewSize(panel, orientation);
    const page = testCard({ width, height, language: 'en', colours: panel.colours }, { panel, hangs: orientation });
    const seen = await shownPage(panel, orientation, page);
    panel.colours.forEach((ink, at) => {
      const share = seen.filter((index) => index === at).length / seen.length;
      assert.ok(share > 0.03, `${name}: ${share} is ${ink.name}`);
    });
    const side = Math.round(Math.min(width, height) / 6);
    const corner = (left: number, top: number): string => {
      const rows = Array.from({ length: side }, (_, y) => seen.slice((top + y) * width + left).slice(0, side));
      return rows.map((row) => row.join('')).join('\n');
    };
    const places = [0, width - side].flatMap((left) => [0, height - side].map((top) => corner(left, top)));
    assert.is(new Set(places).size, 4, name);
  }
});

test('PANEL-06: the inks of a test card lie in rows of which none is more than one shorter than another', () => {
  for (const panel of Object.values(panels)) {
    for (const orientation of ['portrait', 'landscape'] as const) {
      const frame = { ...viewSize(panel, orientation), language: 'en', colours: panel.colours };
      const page = testCard(frame, { panel, hangs: orientation });
      const rows = [...everyElement(page.root, new Changes())].filter(({ tag }) => tag === 'ul');
      const lengths = rows.map(({ children }) => children.length);
      assert.ok(Math.max(...lengths) - Math.min(...lengths) <= 1, `${panel.name} ${orientation}: ${lengths}`);
      assert.is(
        lengths.reduce((sum, length) => sum + length, 0),
        panel.colours.length,
      );
      if (panel.name === 'openpaper13' && orientation === 'landscape') assert.equal(lengths, [3, 3]);
    }
  }
});

longTest(test)(
  'a website may lead to another origin, and its own alerts belong to it; an integration may not',
  async () => {
    const alert = '<body style="background:#00f"><div role="alert">Closed today</div></body>';
    await withPages({ '/': alert }, async (there) => {
      const redirect = (_: unknown, response: import('node:http').ServerResponse) =>
        void response.writeHead(302, { location: `${there.origin}/` }).end();
      await withPages({ '/go': redirect, '/alert': alert }, async ({ origin }) => {
        await withRendering(
          async (rendering) => {
            const size = { width: 80, height: 48 };
            const shot = await rendering.renderPage({ url: `${origin}/go`, ...size, sharer });
            assert.ok(shot.ok, shot.ok ? '' : wordsOf(shot.reason));
            assert.is((await sharp(shot.png).metadata()).width, 80);
            const strict = await rendering.renderPage({ url: `${origin}/go`, payload: {}, ...size, sharer });
            assert.match(strict.ok ? '' : wordsOf(strict.reason), /redirects to a different origin/);
            const alerted = await rendering.renderPage({ url: `${origin}/alert`, payload: {}, ...size, sharer });
            assert.match(alerted.ok ? '' : wordsOf(alerted.reason), /Closed today/);
          },
          { rule: { mayResolve: () => true, mayDial: (address) => address === '127.0.0.1' } },
        );
      });
    });
  },
);

test.run();

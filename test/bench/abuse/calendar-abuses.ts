/** Calendars that take long to read, asked for again and again. */
import type { ServerResponse } from 'node:http';
import { type Abuse, addressOf, always, householdOf, makeUnseenPaper, sendJson } from './attack.ts';
import { servePages } from './hostile-pages.ts';

const feedBytes = 3.9 * 1024 * 1024;

const event = (at: number, more: string): string =>
  `BEGIN:VEVENT\r\nUID:${at}\r\nDTSTART:20${20 + (at % 6)}0101T${`${at % 24}`.padStart(2, '0')}0000Z\r\nDURATION:PT1H\r\nSUMMARY:Event ${at}\r\n${more}END:VEVENT\r\n`;

/** A calendar filled up with such events. */
function feed(more: (at: number) => string): Buffer {
  const parts = ['BEGIN:VCALENDAR\r\nVERSION:2.0\r\n'];
  for (let at = 0, bytes = 0; bytes < feedBytes; at++) {
    const one = event(at, more(at));
    parts.push(one);
    bytes += one.length;
  }
  return Buffer.from(`${parts.join('')}END:VCALENDAR\r\n`);
}

function feeds(): readonly Buffer[] {
  const dates = Array.from(
    { length: 400 },
    (_, at) => `2026${`${1 + (at % 12)}`.padStart(2, '0')}01T${`${at % 24}`.padStart(2, '0')}0000Z`,
  );
  return [
    feed(() => ''),
    feed((at) => `RRULE:FREQ=MINUTELY;INTERVAL=${1 + (at % 7)};BYDAY=MO,TU,WE,TH,FR,SA,SU\r\n`),
    feed(() => `RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30,31;BYDAY=MO\r\n`),
    feed(() => `RRULE:FREQ=DAILY\r\nEXDATE:${dates.join(',')}\r\n`),
    feed((at) => `DESCRIPTION:${'x'.repeat(70)}\r\n${` ${'y'.repeat(70)}\r\n`.repeat(200)}X-${at}:1\r\n`),
  ];
}

/** @param leaves the caller goes away after so many milliseconds, and comes again */
function previews(what: string, leaves?: number): Abuse {
  return {
    what,
    needsNetwork: true,
    async attack(scene, tally) {
      const all = feeds();
      const origin = await servePages((path: string, response: ServerResponse) => {
        const kind = /^\/feed-(\d+)/.exec(path)?.[1];
        if (kind === undefined) return false;
        response.setHeader('content-type', 'text/calendar');
        response.end(all[Number(kind) % all.length]);
        return true;
      });
      const household = householdOf(scene, 0);
      const papers = await Promise.all(
        Array.from({ length: 25 }, (_, paper) => {
          const calendars = Array.from({ length: 20 }, (_, at) => ({
            key: `c${at}`,
            url: `${origin}/feed-${at}?${paper}-${at}`,
          }));
          return makeUnseenPaper(scene, household, 'calendar', { calendars });
        }),
      );
      const options = { selectedCalendars: {}, dayRange: 100, maxEvents: 200 };
      return (over) =>
        always(25, over, tally, async (at) => {
          const signal = leaves === undefined ? over : AbortSignal.any([over, AbortSignal.timeout(leaves)]);
          const path = `/papers/${papers[at]}/calendar-preview`;
          return sendJson(scene, household, path, options, { from: addressOf(at), signal });
        });
    },
  };
}

/** Abuses of this sort. */
export const calendarAbuses = {
  calendars: previews('previews of 20 feeds of 4 MB, 25 at once with one key'),
  'calendars-left': previews('the same, and the caller leaves after 5 s', 5_000),
} satisfies Record<string, Abuse>;

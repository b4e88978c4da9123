/** Calendars: a feed is decoded, sieved while it comes, and expanded within a range of days. */
import { decodeFeed } from '../../../api/calendar/decode-feed.ts';
import { expandEvents } from '../../../api/calendar/expand-events.ts';
import { feedSieve } from '../../../api/calendar/sieve-feed.ts';
import { startOfDate } from '../../../runtime/local-time.ts';
import { type FuzzTarget, insist, mustEqual } from '../target.ts';

/** A day on which clocks change, and a zone whose days begin at other hours than those of Greenwich. */
const ranges = [
  { from: '2026-03-28', to: '2026-04-04', timeZone: 'Europe/Berlin', maxEvents: 12 },
  { from: '2026-10-30', to: '2026-12-01', timeZone: 'America/St_Johns', maxEvents: 50 },
].map((range) => ({
  ...range,
  fromMs: startOfDate(range.from, range.timeZone),
  toMs: startOfDate(range.to, range.timeZone),
}));
type Range = (typeof ranges)[number];

const words =
  'BEGIN:VEVENT\r\n|END:VEVENT\r\n|BEGIN:VTIMEZONE\r\n|END:VTIMEZONE\r\n|BEGIN:STANDARD\r\n|END:STANDARD\r\n|BEGIN:DAYLIGHT\r\n|END:DAYLIGHT\r\n|BEGIN:VALARM\r\n|END:VALARM\r\n|BEGIN:VCALENDAR\r\n|END:VCALENDAR\r\n|UID:1\r\n|DTSTART:20260329T013000Z\r\n|DTSTART;VALUE=DATE:20260329\r\n|DTEND:20260330T013000\r\n|DURATION:P1D\r\n|DURATION:-PT1H\r\n|DURATION:P99999W\r\n|RRULE:FREQ=DAILY\r\n|RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29\r\n|RDATE:20260401T100000Z\r\n|EXDATE:20260329T013000Z\r\n|RECURRENCE-ID:20260329T013000Z\r\n|RECURRENCE-ID;RANGE=THISANDFUTURE:20260329T013000Z\r\n|SEQUENCE:2\r\n|STATUS:CANCELLED\r\n|TRANSP:TRANSPARENT\r\n|METHOD:CANCEL\r\n|X-WR-TIMEZONE:Asia/Kolkata\r\n|TZID:Custom\r\n|TZOFFSETFROM:+0100\r\n|TZOFFSETTO:+0200\r\n|;TZID=Custom|;TZID="W. Europe Standard Time"|;TZID=Europe/Berlin|;VALUE=DATE|;VALUE=PERIOD|;ENCODING=QUOTED-PRINTABLE|;CHARSET=windows-1252|=\r\n|\r\n |\\n|FREQ=SECONDLY|FREQ=MINUTELY|FREQ=HOURLY|FREQ=WEEKLY|FREQ=MONTHLY|;INTERVAL=|;COUNT=|;UNTIL=20260401|;BYDAY=MO,-1FR,53SU|;BYSETPOS=-1|;BYWEEKNO=53|;BYYEARDAY=-366|;BYHOUR=2|;WKST=SU|\xef\xbb\xbf|\xff\xfe'.split(
    '|',
  );

function read(text: string, range: Range) {
  return expandEvents({ text, ...range });
}

/** Checks what is said of the events of a range. */
function judge(expanded: ReturnType<typeof read>, { from, to, fromMs, toMs, maxEvents }: Range): void {
  if (!expanded.ok || !('events' in expanded)) return;
  const { events = [], guessed = [] } = expanded;
  insist(events.length <= maxEvents, 'more events than were asked for');
  insist(guessed.length <= 3 && guessed.every(({ zone }) => zone.length <= 60), 'guessed zones without a bound');
  for (const [at, { allDay, start, end, summary, location, at: moment }] of events.entries()) {
    insist(Number.isFinite(moment) && moment >= (events[at - 1]?.at ?? moment), 'events are not in order');
    insist((allDay ? /^\d{4}-\d\d-\d\d$/ : /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/).test(start), `a start is not a time`);
    insist(start <= end, 'an event ends before it begins');
    insist(
      allDay ? start < to && end > from : Date.parse(start) < toMs && Date.parse(end) >= fromMs,
      'an event lies outside of the range',
    );
    for (const text of [summary, location])
      insist(text.length <= 200 && !/\p{Cc}/u.test(text), 'a text is too long, or no line');
  }
}

/** Sieves a feed that comes in pieces. */
function sieved(input: Buffer, pieceBytes: number, { fromMs }: Range): Buffer {
  const sieve = feedSieve(fromMs);
  for (let at = 0; at < input.length; at += pieceBytes) sieve.take(input.subarray(at, at + pieceBytes));
  return sieve.end();
}

export const openCalendars = async (): Promise<FuzzTarget> => ({
  guides: ['api/calendar/', 'runtime/recurrence/', 'runtime/wall-clock.ts', 'runtime/local-time.ts'],
  words,
  maxBytes: 4_096,
  maxMs: 2_500,
  run(input) {
    const text = decodeFeed(input);
    for (const range of ranges) {
      const expanded = read(text, range);
      judge(expanded, range);
      const whole = sieved(input, input.length || 1, range);
      insist(whole.equals(sieved(input, 7, range)), 'a feed in pieces is kept in another way than in one');
      mustEqual(read(decodeFeed(whole), range), expanded, 'the sieve changes what a feed shows');
    }
  },
});

/** When a picture will be on the wall, in words: times as a person says them, and what happens next. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FleetDevice } from '../../console/ground/fleet.ts';

const test = suite('when it will be on the wall');

const kept = new Map<string, string>();

/** The parts of a browser that the words of the console use. */
const browser: Readonly<Record<string, unknown>> = {
  localStorage: {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
  },
  document: { documentElement: { dataset: {} } },
  location: { origin: 'http://localhost', pathname: '/console/', search: '', hash: '' },
  navigator: { languages: ['en-US', 'de-DE'] },
  addEventListener: () => undefined,
  // The present is moved by hand.
  setInterval: () => 0,
};

const words = async () => ({
  ...(await import('../../console/texts.ts')),
  ...(await import('../../console/ground/times.ts')),
  ...(await import('../../console/ground/words.ts')),
  ...(await import('../../console/parts/frame-words.ts')),
});

/** Runs in a process that looks like a browser, and leaves it as it was. */
async function inBrowser(run: (given: Awaited<ReturnType<typeof words>>) => Promise<void> | void): Promise<void> {
  const before = Object.keys(browser).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  for (const [name, value] of Object.entries(browser)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  try {
    const given = await words();
    given.now.value = present;
    await given.chooseLanguage('en');
    await run(given);
  } finally {
    for (const [name, descriptor] of before) {
      if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
      else Object.defineProperty(globalThis, name, descriptor);
    }
  }
}

const at = (day: number, hour: number, minute: number): number => new Date(2026, 10, day, hour, minute).getTime();
/** Friday, November 27, 7:14 in the time zone of this machine. */
const present = at(27, 7, 14);
const minuteMs = 60_000;
const iso = (time: number): string => new Date(time).toISOString();
/** Spaces that do not break are spaces to a reader. */
const plain = (text: string | undefined): string => String(text).replaceAll(/[\u00a0\u202f]/g, ' ');

const asleep: FleetDevice = {
  id: 'a',
  name: 'Kitchen',
  organization: 'o',
  serial: 'epd7-0000c0501e01',
  kind: 'epd7',
  patient: null,
  place: null,
  simulated: false,
  status: 'online',
  connected: false,
  awake: false,
  awakeUntil: null,
  panel: null,
  paper: null,
  glass: null,
  due: { uploadId: 'u', fileVersion: 1, state: 'offered', since: iso(present) },
  battery: null,
  signal: null,
  firmware: null,
  lastSeenAt: iso(at(27, 6, 36)),
  nextWakeAt: iso(at(27, 7, 36)),
  nextChange: null,
  trouble: null,
  why: { code: 'not-announced', expectedAt: iso(at(27, 7, 36)) },
};

test('times are written as people say them, in the way of the browser’s region', () =>
  inBrowser(async ({ clockTime, relativeTime, chooseLanguage }) => {
    assert.equal([at(27, 7, 14), at(26, 7, 5), at(28, 19, 0), at(23, 9, 30), at(2, 9, 30)].map(clockTime).map(plain), [
      '7:14 AM',
      'yesterday, 7:05 AM',
      'tomorrow, 7:00 PM',
      'Monday, 9:30 AM',
      'Nov 2, 9:30 AM',
    ]);
    assert.equal(
      [59.6, 59, 23.6 * 60].map((minutes) => relativeTime(present + minutes * minuteMs)),
      ['in 1 hour', 'in 59 minutes', 'tomorrow'],
    );
    await chooseLanguage('de');
    assert.equal([at(27, 7, 14), at(26, 19, 5), at(23, 9, 30)].map(clockTime).map(plain), [
      '7:14',
      'gestern, 19:05',
      'Montag, 9:30',
    ]);
  }));

test('an end is counted out in days, and a wake within seconds is in a moment', () =>
  inBrowser(({ endTime, wakeLine }) => {
    const days = [0.5, 1.2, 5, 29.6, 45, 200].map((count) => endTime(present + count * 24 * 60 * minuteMs));
    assert.equal(days, ['in 12 hours', 'tomorrow', 'in 5 days', 'in 30 days', 'in 45 days', 'in 7 months']);
    assert.is(wakeLine({ ...asleep, nextWakeAt: iso(present + 10_000) }), 'Wakes in a moment');
  }));

test('while a frame sleeps, its picture is expected at about its wake, the rougher the longer it sleeps', () =>
  inBrowser(async ({ expectedOnWall, frameLine, chooseLanguage }) => {
    const wakes = (time: number, seen = present): string =>
      plain(expectedOnWall({ ...asleep, lastSeenAt: iso(seen), nextWakeAt: iso(time) }));
    assert.is(frameLine(asleep), expectedOnWall(asleep));
    assert.is(wakes(at(27, 7, 36), at(27, 6, 36)), 'Expected on the wall at about 7:40 AM, when it wakes.');
    assert.is(wakes(at(27, 7, 23)), 'Expected on the wall at about 7:23 AM, when it wakes.');
    assert.is(wakes(at(27, 15, 1)), 'Expected on the wall at about 3:15 PM, when it wakes.');
    assert.is(wakes(at(28, 7, 0)), 'Expected on the wall tomorrow at about 7:00 AM, when it wakes.');
    assert.is(wakes(at(30, 7, 0)), 'Expected on the wall on Monday at about 7:00 AM, when it wakes.');
    await chooseLanguage('de');
    assert.is(wakes(at(28, 7, 0)), 'Morgen gegen 7:00 Uhr an der Wand erwartet, wenn der Rahmen aufwacht.');
    assert.is(wakes(at(30, 7, 0)), 'Am Montag gegen 7:00 Uhr an der Wand erwartet, wenn der Rahmen aufwacht.');
  }));

test('a picture that did not come says what happens next', () =>
  inBrowser(({ expectedOnWall, frameLine, troubleLine, wakeLine }) => {
    const said = (change: Partial<FleetDevice>): string => plain(expectedOnWall({ ...asleep, ...change }));
    const due = (state: NonNullable<FleetDevice['due']>['state'], since = present): Partial<FleetDevice> => ({
      due: { uploadId: 'u', fileVersion: 1, state, since: iso(since) },
    });
    const late = { nextWakeAt: iso(at(27, 7, 0)) };
    assert.is(said(late), 'The frame should have come by now (7:00 AM). The picture goes up as soon as it does.');
    assert.is(said(due('failed')), 'It did not work. The frame tries again at about 7:40 AM, when it wakes.');
    assert.is(said({ ...due('announced'), awake: true }), 'The frame is fetching it: on the wall in a moment.');
    assert.is(said(due('fetched')), 'The frame is drawing it: on the wall in a minute.');
    assert.is(
      said(due('fetched', present - 10 * minuteMs)),
      'Probably on the wall already. The frame confirms it at about 7:40 AM, when it wakes.',
    );
    const trouble = { code: 'silent', level: 'alarm', since: iso(at(27, 5, 0)) } as const;
    const silent: FleetDevice = { ...asleep, ...late, lastSeenAt: iso(at(27, 4, 0)), trouble };
    assert.is(plain(troubleLine(silent)), 'Not heard from since 4:00 AM.');
    assert.is(expectedOnWall(silent), 'The picture waits, and goes up as soon as the frame comes back.');
    assert.is(wakeLine(silent), 'Last heard from 3 hours ago');
    const fresh: FleetDevice = { ...asleep, due: null, why: { code: 'no-paper' }, lastSeenAt: null, nextWakeAt: null };
    assert.equal([frameLine(fresh), wakeLine(fresh)], ['Waits for its first contact', 'Waits for its first contact']);
    assert.is(
      said({ lastSeenAt: null, nextWakeAt: null }),
      'On the wall as soon as the frame makes its first contact.',
    );
  }));

test.run();

/** The record that a service kept of a frame becomes the words of a scenario. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { spanOfText, spanText } from '../../runtime/spans.ts';
import { readScenario } from '../../testbed/scenario/read-scenario.ts';
import { type KeptContact, type KeptFrame, tellFrame } from '../../testbed/scenario/tell-frame.ts';
import { recordText } from '../../testbed/scenario/write-record.ts';

const test = suite('records of frames');

const from = Date.parse('2026-05-04T06:00:00Z');
/** A moment of the record: so many seconds after it begins. */
const at = (seconds: number): number => from + seconds * 1000;

const contact = (seconds: number, more: Partial<KeptContact> = {}): KeptContact => ({
  at: at(seconds),
  wake: 'timer',
  batteryMv: undefined,
  orientation: undefined,
  boot: undefined,
  ...more,
});

const frame = (more: Partial<KeptFrame> = {}): KeptFrame => ({
  dialect: 'native',
  kind: 'epd7',
  sleepSeconds: 3600,
  contacts: [],
  connects: [],
  disconnects: [],
  failures: [],
  offers: [],
  hadOtherSleeps: false,
  ...more,
});

/** The lines of a record of these frames, from the first group on. */
function linesOf(...frames: readonly KeptFrame[]): string[] {
  const told = frames.map((one, place) => tellFrame(one, from, place));
  const text = recordText({ from, until: at(7200), frames: told, notes: ['One note.'] });
  readScenario(text);
  return text.split('\n').slice(5, -1);
}
const eventsOf = (...frames: readonly KeptFrame[]): string[] =>
  linesOf(...frames).flatMap((line) => (line.startsWith('  - { ') ? [line.slice(6, -2)] : []));

test('a frame is a group of its own that wakes when it woke, ten minutes after the scenario begins', () => {
  const contacts = [contact(0.2, { batteryMv: 5678 }), contact(3600), contact(7199.4)];
  const told = tellFrame(frame({ contacts }), from, 0);
  const text = recordText({ from, until: at(7200), frames: [told], notes: ['One note.', 'Another.'] });
  assert.is(
    text,
    `# One note.
# Another.
name: A record of a live service
starts: 2026-05-04 05:50
lasts: 2h12m
fleet:
  - name: frame-1
    frames: 1
    content: own
    dialect: native
    panel: epd7
    sleep: 1h
    battery: 5.68V
    wakes: [1s, 10m1s, 1h10m, 2h10m]
`,
  );
  const { startsAt, groups } = readScenario(text);
  assert.is(startsAt, from - 600_000);
  assert.equal(
    groups.map(({ wakes }) => wakes?.map((moment) => moment - from)),
    [[-599_000, 1_000, 3_600_000, 7_200_000]],
  );
});

test('spans are written as they are read', () => {
  const written = [1, 999, 1_500, 90_000, 3_600_000, 86_461_001].map(spanText);
  assert.equal(written, ['1ms', '999ms', '1s500ms', '1m30s', '1h', '1d1m1s1ms']);
  assert.equal(written.map(spanOfText), [1, 999, 1_500, 90_000, 3_600_000, 86_461_001]);
});

test('long lists of wakes are broken at a width that is read, and are read as they were', () => {
  const contacts = Array.from({ length: 60 }, (_, place) => contact(place * 111));
  const lines = linesOf(frame({ contacts }));
  assert.ok(lines.every(({ length }) => length <= 110));
  const text = ['name: T', 'lasts: 3h', 'fleet:', ...lines].join('\n');
  assert.is(readScenario(text).groups[0]?.wakes?.length, 61);
});

test('what frames said twice in one wake is one wake, by the number of the wake or within a minute', () => {
  const numbered = [contact(0, { boot: 7 }), contact(90, { boot: 7 }), contact(120, { boot: 8 })];
  const plain = [contact(0), contact(50), contact(70)];
  assert.equal(
    linesOf(frame({ contacts: numbered }), frame({ contacts: plain })).filter((line) => line.includes('wakes')),
    ['    wakes: [1s, 10m, 12m]', '    wakes: [2s, 10m, 11m10s]'],
  );
});

test('a button, a new battery, a frame that was turned and a link that broke are events', () => {
  const contacts = [
    contact(0, { boot: 1, batteryMv: 4300, orientation: 0 }),
    contact(600, { boot: 2, wake: 'button', batteryMv: 4280, orientation: 2 }),
    contact(1200, { boot: 3, batteryMv: 5990, orientation: 3 }),
    contact(1203, { boot: 3, batteryMv: 5990, orientation: 3 }),
    contact(1209, { boot: 3, batteryMv: 5990, orientation: 3 }),
  ];
  const links = { connects: [at(-1), at(599), at(1199), at(1202)], disconnects: [at(31), at(631), at(1201)] };
  assert.equal(eventsOf(frame({ contacts, ...links })), [
    'at: 20m, do: press, to: frame-1',
    'at: 29m59s, do: charge, battery: 5.99V, to: frame-1',
    'at: 29m59s, do: rotate, to: frame-1',
    'at: 30m2s, do: cut link, to: frame-1',
  ]);
});

test('a wake in which no picture came through is one of half-download, until the next one is good', () => {
  const contacts = [0, 600, 1200, 1800].map((seconds) => contact(seconds));
  const failing = { contacts, failures: [at(20), at(630), at(1805)] };
  const shown = { at: at(1100), content: 'a', shownAt: at(1830) };
  assert.equal(eventsOf(frame({ ...failing, offers: [shown] })), [
    'at: 9m59s, do: behave, as: half-download, to: frame-1',
    'at: 28m15s, push: Picture 1, within: 15m, to: frame-1',
    'at: 29m59s, do: behave, as: [], to: frame-1',
  ]);
  assert.equal(eventsOf(frame({ ...failing, dialect: 'trmnl', kind: 'trmnl4' })), []);
});

test('an offer is a push, which is expected within the time that it took and a little more, if it was proven', () => {
  const both = { content: 'menu', at: at(100) };
  const events = eventsOf(
    frame({ offers: [{ ...both, shownAt: at(400) }] }),
    frame({ offers: [{ ...both, shownAt: at(410) }] }),
    frame({
      contacts: [contact(0), contact(6570)],
      offers: [
        { ...both, shownAt: undefined },
        { content: 'board', at: at(3000), shownAt: at(6600) },
        { content: 'menu', at: at(7000), shownAt: undefined },
      ],
    }),
  );
  assert.equal(events, [
    'at: 11m35s, push: Picture 1, within: 8m, to: "frame-1, frame-2"',
    'at: 11m35s, push: Picture 1, to: frame-3',
    'at: 59m55s, push: Picture 2, within: 1h3m, to: frame-3',
    'at: 2h6m35s, push: Picture 1, to: frame-3',
  ]);
});

test('of a push that the record replaces before the next wake nothing is expected', () => {
  const contacts = [0, 3600, 7200].map((seconds) => contact(seconds));
  const offers = [
    { content: 'breakfast', at: at(3610), shownAt: at(3640) },
    { content: 'lunch', at: at(3700), shownAt: at(7230) },
    { content: 'supper', at: at(7210), shownAt: at(7240) },
  ];
  assert.equal(eventsOf(frame({ contacts, offers })), [
    'at: 1h10m5s, push: Picture 1, to: frame-1',
    'at: 1h11m35s, push: Picture 2, within: 1h1m, to: frame-1',
    'at: 2h10m5s, push: Picture 3, within: 3m, to: frame-1',
  ]);
});

test('of a frame that polls and was sent other sleeps nothing is expected', () => {
  const offers = [{ content: 'menu', at: at(100), shownAt: at(400) }];
  const polled = { dialect: 'trmnl', kind: 'trmnl4', offers } as const;
  assert.equal(eventsOf(frame({ ...polled, hadOtherSleeps: true })), ['at: 11m35s, push: Picture 1, to: frame-1']);
  assert.equal(eventsOf(frame({ offers, hadOtherSleeps: true })), [
    'at: 11m35s, push: Picture 1, within: 8m, to: frame-1',
  ]);
});

test('wakes by movement or a reset are recorded as wakes by the clock, and counted', () => {
  const contacts = [contact(0, { wake: 'reset' }), contact(600, { wake: 'motion' }), contact(1200, { wake: 'button' })];
  const { wakes, otherWakes } = tellFrame(frame({ contacts }), from, 0);
  assert.equal([wakes, otherWakes], [[1_000, 600_000, 1_200_000], 2]);
});

test('a scenario lasts until all that it expects is over', () => {
  const offers = [{ content: 'menu', at: at(7100), shownAt: at(7199) }];
  const told = tellFrame(frame({ offers }), from, 0);
  const { events, endsAt } = readScenario(recordText({ from, until: at(7200), frames: [told], notes: [] }));
  const [push] = events;
  assert.ok(push?.act.do === 'push' && push.at + (push.act.withinMs ?? 0) <= endsAt);
});

test.run();

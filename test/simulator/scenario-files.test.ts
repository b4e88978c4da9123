/** Scenario files: every word that they have. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { climates } from '../../simulator/air/climates.ts';
import { readScenario } from '../../testbed/scenario/read-scenario.ts';

const test = suite('scenario files');

const small = 'name: T\nlasts: 6h\nfleet:\n  - name: lobby\n    frames: 3\n';
const startsAt = Date.parse('2026-01-10T08:00:00Z');
const hourMs = 3_600_000;

/** The times of all events, as the clocks of the world show them. */
const times = (text: string): string[] => readScenario(text).events.map(({ at }) => new Date(at).toISOString());

test('what a file leaves out is what the document says', () => {
  assert.equal(readScenario('name: T\nlasts: 6h\nfleet:\n  - frames: 3'), {
    name: 'T',
    seed: '1',
    startsAt,
    endsAt: startsAt + 6 * hourMs,
    timeZone: 'UTC',
    groups: [
      {
        name: 'group-1',
        frames: 3,
        dialect: 'native',
        kind: 'epd7',
        sleepSeconds: 3600,
        wakes: undefined,
        behaviours: [],
        content: 'shared',
        climate: climates.calm,
        batteryMv: undefined,
      },
    ],
    events: [],
    expectations: [],
  });
});

test('a group has all its words, and JSON says the same as YAML', () => {
  const group = {
    name: 'lobby',
    frames: 2,
    dialect: 'trmnl',
    panel: 'trmnl2',
    sleep: '15min',
    wakes: ['5m', '09:30'],
    behaviours: ['weak-wifi', 'drained'],
    climate: { latencyMs: 200 },
    battery: '4.9 V',
    content: 'own',
  };
  const asJson = readScenario(JSON.stringify({ name: 7, seed: 12, lasts: '1d', fleet: [group] }, null, 1));
  const asYaml = readScenario(`name: 7
seed: 12
lasts: 1d
fleet:
  - { name: lobby, frames: 2, dialect: trmnl, panel: trmnl2, sleep: 15min, wakes: [5m, 1h30m], behaviours: [weak-wifi, drained],
      climate: { latencyMs: 200 }, battery: 4.9 V, content: own }
`);
  assert.equal(asJson, asYaml);
  assert.is(asJson.seed, '12');
  assert.equal(asJson.groups, [
    {
      name: 'lobby',
      frames: 2,
      dialect: 'trmnl',
      kind: 'trmnl2',
      sleepSeconds: 900,
      wakes: [5 * 60_000, 90 * 60_000].map((ms) => startsAt + ms),
      behaviours: ['weak-wifi', 'drained'],
      content: 'own',
      climate: { ...climates.calm, latencyMs: 200 },
      batteryMv: 4900,
    },
  ]);
});

test('every act is read with its words, its frames and its line', () => {
  const file = `${small}  - name: hall
    frames: 10
    content: own
events:
  - { at: 1m, do: press }
  - { at: 2m, do: rotate, to: lobby }
  - { at: 3m, do: cut link, to: "lobby, hall" }
  - { at: 4m, do: remove, to: 3 of all }
  - { at: 5m, do: charge }
  - { at: 6m, do: charge, battery: 5.2V }
  - { at: 7m, do: cut power }
  - { at: 8m, do: cut power, for: 1h30m }
  - { at: 9m, do: lose wifi, for: 90s }
  - { at: 10m, do: behave, as: silent, to: 10% of hall }
  - { at: 11m, do: behave, as: [] }
  - { at: 12m, do: climate, climate: cellar }
  - { at: 13m, do: restart, for: 500ms }
  - { at: 14m, do: kill, for: 1d }
  - { at: 15m, push: Hello, within: 2h, to: 1 of hall }
`;
  const both = ['lobby', 'hall'];
  assert.equal(
    readScenario(file).events.map(({ act, to, line, at }) => [(at - startsAt) / 60_000, line, act, to]),
    [
      [1, 10, { do: 'press' }, { groups: both }],
      [2, 11, { do: 'rotate' }, { groups: ['lobby'] }],
      [3, 12, { do: 'cut link' }, { groups: both }],
      [4, 13, { do: 'remove' }, { groups: both, some: { count: 3 } }],
      [5, 14, { do: 'charge', batteryMv: 6000 }, { groups: both }],
      [6, 15, { do: 'charge', batteryMv: 5200 }, { groups: both }],
      [7, 16, { do: 'cut power' }, { groups: both }],
      [8, 17, { do: 'cut power', forMs: 5_400_000 }, { groups: both }],
      [9, 18, { do: 'lose wifi', forMs: 90_000 }, { groups: both }],
      [10, 19, { do: 'behave', as: ['silent'] }, { groups: ['hall'], some: { part: 0.1 } }],
      [11, 20, { do: 'behave', as: [] }, { groups: both }],
      [12, 21, { do: 'climate', climate: climates.cellar }, { groups: both }],
      [13, 22, { do: 'restart', forMs: 500 }, { groups: both }],
      [14, 23, { do: 'kill', forMs: 86_400_000 }, { groups: both }],
      [15, 24, { do: 'push', text: 'Hello', withinMs: 7_200_000 }, { groups: ['hall'], some: { count: 1 } }],
    ],
  );
});

test('every expectation is read', () => {
  const sentences = [
    'all synced within 2 wakes',
    'all of lobby synced within one wake',
    '95% of lobby synced within 1h30m',
    'all synced at the end',
    'no frame silent',
    'no frame of lobby silent for 3h',
    'battery above 5V',
    'battery of lobby above 5.25V',
  ];
  const written = sentences.map((sentence) => `  - ${sentence}\n`).join('');
  const read = readScenario(`${small}expect:\n${written}`).expectations;
  const base = { groups: ['lobby'], least: 1 };
  assert.equal(
    read.map(({ sentence, line, ...fact }) => fact),
    [
      { ...base, of: 'push', within: { wakes: 2 } },
      { ...base, of: 'push', within: { wakes: 1 } },
      { ...base, least: 0.95, of: 'push', within: { ms: 5_400_000 } },
      { ...base, of: 'end' },
      { ...base, of: 'silence', ms: undefined },
      { ...base, of: 'silence', ms: 3 * hourMs },
      { ...base, of: 'battery', aboveMv: 5000 },
      { ...base, of: 'battery', aboveMv: 5250 },
    ],
  );
  assert.equal(
    read.map(({ sentence, line }) => [sentence, line]),
    sentences.map((sentence, at) => [sentence, at + 7]),
  );
});

test('times are spans, times of day and dates; pushes that repeat are numbered and sorted among the others', () => {
  const events = `events:
  - { every: 2h, push: "Every {n} of {n}" }
  - { every: 1h, from: 90m, until: 2h30m, push: "Some {n}" }
  - { at: 10:15, do: press }
  - { at: "2026-01-10 09:10", do: press }
  - { at: 0, do: rotate }
`;
  const read = readScenario(small + events).events.map(({ at, act }) => [
    (at - startsAt) / 60_000,
    act.do === 'push' ? act.text : act.do,
  ]);
  assert.equal(read, [
    [0, 'Every 1 of 1'],
    [0, 'rotate'],
    [70, 'press'],
    [90, 'Some 1'],
    [120, 'Every 2 of 2'],
    [135, 'press'],
    [150, 'Some 2'],
    [240, 'Every 3 of 3'],
  ]);
});

test('a time of day is the same on the wall when clocks change, and comes once a day', () => {
  const over = (starts: string, daily: string): string[] =>
    times(`name: T\nstarts: ${starts}\ntimezone: Europe/Berlin\nlasts: 3d\nfleet:\n  - frames: 1\nevents:
  - daily: ${daily}\n    push: x`);
  assert.equal(over('2026-03-28 06:00', '07:00'), [
    '2026-03-28T06:00:00.000Z',
    '2026-03-29T05:00:00.000Z',
    '2026-03-30T05:00:00.000Z',
  ]);
  // Half past two does not exist on the 29th of March, and comes twice on the 25th of October.
  assert.equal(over('2026-03-28 00:00', '02:30'), [
    '2026-03-28T01:30:00.000Z',
    '2026-03-29T01:30:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ]);
  assert.equal(over('2026-10-24 00:00', '02:30'), [
    '2026-10-24T00:30:00.000Z',
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ]);
});

test('a time of day that has passed is the next one', () => {
  const file = `name: T\nlasts: 1d\nstarts: 2026-05-04 18:00\nfleet:\n  - frames: 1\nevents:\n  - { at: 07:00, push: x }`;
  assert.equal(times(file), ['2026-05-05T07:00:00.000Z']);
});

test('the document shows an example as it is', () => {
  const root = join(import.meta.dirname, '../..');
  const example = readFileSync(join(root, 'testbed/scenario/examples/price-change.yaml'), 'utf8');
  const document = readFileSync(join(root, 'docs/scenarios.md'), 'utf8');
  assert.ok(document.includes(`\`\`\`yaml\n${example}\`\`\``));
});

test('every example is read, and begins with a sentence of its own', () => {
  const folder = join(import.meta.dirname, '../../testbed/scenario/examples');
  const files = readdirSync(folder);
  assert.ok(files.length >= 6, files.join());
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8');
    assert.match(text, /^# .+\.\n/, file);
    assert.ok(readScenario(text).expectations.length > 0, file);
  }
});

test.run();

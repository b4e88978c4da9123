/** Scenario files that are wrong: the sentence with which each is refused, and its line. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WrongScenario } from '../../testbed/scenario/file-lines.ts';
import { readScenario } from '../../testbed/scenario/read-scenario.ts';

const test = suite('wrong scenario files');

const small = 'name: T\nlasts: 6h\nfleet:\n  - name: lobby\n    frames: 3\n';

function refusal(text: string): string {
  try {
    readScenario(text);
  } catch (error) {
    assert.instance(error, WrongScenario);
    assert.ok((error as Error).message.startsWith(`line ${(error as WrongScenario).line}: `));
    return (error as Error).message;
  }
  throw new Error(`this was read: ${text.slice(0, 200)}`);
}

const group = (words: string): string => `${small}    ${words}\n`;
const event = (words: string): string => `${small}events:\n  - at: 1h\n    ${words.replaceAll('; ', '\n    ')}\n`;
const when = (words: string): string => `${small}events:\n  - push: x\n    ${words.replaceAll('; ', '\n    ')}\n`;
const expecting = (sentence: string): string => `${small}expect:\n  - all synced at the end\n  - ${sentence}\n`;

const refused: readonly (readonly [string, string])[] = [
  [
    'name: [',
    'line 1: this is not YAML: Flow sequence in block collection must be sufficiently indented and end with a ]',
  ],
  ['name: a\nname: b', 'line 2: this is not YAML: the key name stands twice'],
  ['name: a\n---\nname: b', 'line 2: a file has one scenario'],
  ['name: *x', 'line 1: Unresolved alias (the anchor must be set before the alias): x'],
  [
    `${small}colour: red`,
    'line 6: "colour" is not a word of a scenario; it has name, seed, starts, timezone, lasts, fleet, events, expect',
  ],
  [
    group('colour: red'),
    'line 6: "colour" is not a word of "fleet"; it has name, frames, dialect, panel, sleep, wakes, behaviours, climate, battery, content',
  ],
  [
    event('psh: x'),
    'line 8: "psh" is not a word of "events"; it has at, every, daily, from, until, push, within, do, to, for, as, climate, battery',
  ],
  [
    '{"name": "T", "lasts": "6h",\n "fleet": [{"frames": 0}]}',
    'line 2: "fleet.frames": a group has from 1 to 10000 frames',
  ],
  ['lasts: 6h\nfleet:\n  - frames: 1', 'line 1: "name" is missing'],
  ['name: T\nlasts: 6h', 'line 1: "fleet" is missing'],
  ['name: T\nlasts: 6h\nfleet: []', 'line 3: "fleet" is empty'],
  ['name: T\nlasts: 6h\nfleet: [lobby]', 'line 3: "fleet" is a list of records'],
  [`${small}events:`, 'line 6: "events" is empty'],
  [`${small}expect: all synced at the end`, 'line 6: "expect" is a list'],
  ['name: T\nlasts: 6h\nfleet:\n  - frames: 10001', 'line 4: "fleet.frames": a group has from 1 to 10000 frames'],
  [
    'name: T\nlasts: 6h\nfleet:\n  - frames: 6000\n  - frames: 4001',
    'line 3: 10001 frames are more than the 10000 that can be played',
  ],
  [small.replace('6h', '6'), 'line 2: 6 is not a span of time, such as 90s, 1h30m or 7d'],
  [small.replace('6h', '0h'), 'line 2: 0h is not a span of time, such as 90s, 1h30m or 7d'],
  [small.replace('6h', '401d'), 'line 2: a scenario lasts 400d at the most'],
  [`${small}starts: tomorrow`, 'line 6: tomorrow is not a date with a time of day, such as 2026-03-28 18:00'],
  [
    `${small}starts: 2026-02-31 08:00`,
    'line 6: 2026-02-31 08:00 is not a date with a time of day, such as 2026-03-28 18:00',
  ],
  [`${small}timezone: Mars/One`, 'line 6: Mars/One is not a time zone'],
  [group('dialect: esp'), 'line 6: "fleet.dialect" is one of native, classic, trmnl'],
  [group('content: all'), 'line 6: "fleet.content" is one of shared, own'],
  [group('panel: trmnl4'), 'line 6: native frames have no panel trmnl4; they have epd7, epd13'],
  [group('dialect: trmnl\n    panel: epd7'), 'line 7: trmnl frames have no panel epd7; they have trmnl2, trmnl4'],
  [group('sleep: 10s'), 'line 6: frames sleep from 1min to 24h'],
  [group('wakes: []'), 'line 6: "fleet.wakes" is empty'],
  [group('wakes: 5m'), 'line 6: "fleet.wakes" is a list'],
  [group('wakes: [1h, 2h,\n      2h, 3h]'), 'line 7: 2h does not come after 2h: wakes stand in their order'],
  [group('wakes: [2h, 1h]'), 'line 6: 1h does not come after 2h: wakes stand in their order'],
  [group('wakes: [1h, 7h]'), 'line 6: 7h is after the scenario has ended'],
  [group('wakes: [soon]'), 'line 6: soon is not a span of time, such as 90s, 1h30m or 7d'],
  [group('battery: 5600'), 'line 6: 5600 is not a battery, such as 5.6V'],
  [
    group('climate: jungle'),
    'line 6: no climate jungle; there are calm, cellar, far-away, crowded, flaky-mesh, or a record as JSON',
  ],
  [group('climate: { loss: 2 }'), 'line 6: loss of a climate is a number from 0 to 1, not 2'],
  [small.replace('lobby', 'all'), 'line 4: "all" means every frame: give these another name'],
  [group('\n  - { name: lobby, frames: 1 }'), 'line 7: "lobby" is the name of other frames already'],
  [small.replace('lobby', '3 of x'), 'line 4: "3 of x" is not a name: a letter, then letters, digits, spaces and -'],
  [when('to: lobby'), 'line 7: an event has one of at, every and daily'],
  [when('at: 1h; daily: 10:00'), 'line 7: an event has one of at, every and daily'],
  [when('at: 1h; until: 2h'), 'line 7: from and until go with every or daily'],
  [when('every: 1m; from: 2h; until: 1h'), 'line 10: 1h comes before 2h'],
  [when('every: 1ms'), 'line 8: 1ms is too often: 21600001 times'],
  [when('at: 2026-01-10 07:59'), 'line 8: 2026-01-10 07:59 is before the scenario starts'],
  [when('at: 7h'), 'line 8: 7h is after the scenario has ended'],
  [when('at: 07:00'), 'line 8: 07:00 is after the scenario has ended'],
  [when('daily: 07:00'), 'line 7: this never happens before the scenario ends'],
  [when('at: 6h'), 'line 7: this never happens before the scenario ends'],
  [when('daily: 24:00'), 'line 8: 24:00 is not a time of day, such as 07:30'],
  [
    event('to: lobby'),
    'line 7: an event has push, or do: press, rotate, cut link, remove, charge, cut power, lose wifi, behave, climate, restart, kill',
  ],
  [event('push: x; do: press'), 'line 9: an event has either push or do, and this one has both'],
  [
    event('do: dance'),
    'line 8: nothing is named dance; there are press, rotate, cut link, remove, charge, cut power, lose wifi, behave, climate, restart, kill',
  ],
  [event('push: x; for: 1h'), 'line 9: for does not go with push'],
  [event('push: ""'), 'line 8: a push is a text of 1 to 1000 characters'],
  [event(`push: ${'x'.repeat(995)}{n}`), 'line 8: a push is a text of 1 to 1000 characters'],
  [event('push: "\\0"'), 'line 8: a push is a text of 1 to 1000 characters'],
  [event('do: lose wifi'), 'line 7: lose wifi needs for, such as for: 1h'],
  [event('do: behave'), 'line 7: behave needs as, such as as: silent'],
  [event('do: climate'), 'line 7: climate needs climate, such as climate: cellar'],
  [event('do: charge; battery: full'), 'line 9: full is not a battery, such as 5.6V'],
  [event('do: press; to: hall'), 'line 9: no frames are named hall; there are all, lobby'],
  [event('do: press; to: 9 of lobby'), 'line 9: there are only 3 such frames'],
  [event('do: press; to: 0 of lobby'), 'line 9: 0 is not a number of frames'],
  [
    event('do: press; to: 200% of lobby'),
    'line 9: 200% is not a part of frames; it is more than 0% and 100% at the most',
  ],
  [event('do: kill; for: 1m; to: lobby'), 'line 10: kill belongs to the service, and not to frames'],
  [
    event('push: x; to: 1 of lobby'),
    'line 9: all frames of lobby show one content; content: own in the fleet gives each its own',
  ],
  [expecting('all of hall synced at the end'), 'line 8: no frames are named hall; there are all, lobby'],
  [expecting('0% synced at the end'), 'line 8: 0% is not a part of frames; it is more than 0% and 100% at the most'],
  [expecting('all synced within 0 wakes'), 'line 8: 0 is not a number of frames'],
  [expecting('all synced within soon'), 'line 8: soon is not a span of time, such as 90s, 1h30m or 7d'],
  [expecting('battery above 5'), 'line 8: 5 is not a battery, such as 5.6V'],
  [
    expecting('everything is well'),
    'line 8: "everything is well" is nothing that can be expected; it has one of the forms "all synced within 2 wakes", "95% of lobby synced within 3h", "all synced at the end", "no frame silent for 3h", "battery of all above 5.2V"',
  ],
];

test('whatever is wrong is said in one sentence, with its line', () => {
  for (const [text, sentence] of refused) assert.is(refusal(text), sentence);
});

test('a behaviour that is nothing for its frames is refused with those there are', () => {
  const polled = refusal(group('dialect: trmnl\n    behaviours: [stuck, liar]'));
  assert.match(
    polled,
    /^line 7: no trmnl frame of a scenario is liar; there are half-download, torn-download, silent,/,
  );
  assert.match(
    refusal(group('behaviours: cloned')),
    /^line 6: no native frame of a scenario is cloned; there are liar,/,
  );
  assert.match(
    refusal(event('do: behave; as: lazy')),
    /^line 9: no native frame of a scenario is lazy; there are liar,/,
  );
});

test('what is not a scenario at all is said, and nothing else happens', () => {
  const none = 'line 1: this is not a scenario: it has name, seed, starts, timezone, lasts, fleet, events, expect';
  for (const text of ['', '\n\n', '# only a comment\n', '5', '- a', '\0\u0001\u0002ELF\0', 'plain words']) {
    assert.is(refusal(text), none);
  }
  assert.is(refusal(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe, 0, 1, 0x0a, 0xc3]).toString()), none);
});

test('aliases that would fill the memory are refused', () => {
  const levels = ['a', 'b', 'c', 'd', 'e', 'f'];
  const bomb = levels.map((name, at) => {
    const inner = at === 0 ? 'x' : `*${levels[at - 1]}`;
    return `${name}: &${name} [${Array(9).fill(inner).join(', ')}]`;
  });
  assert.match(refusal(bomb.join('\n')), /^line 1: Excessive alias count/);
});

test('a file of 20,000 keys is refused in little time, and a key that stands twice among them is found', () => {
  const keys = Array.from({ length: 20_000 }, (_, at) => `k${at}: 1`).join('\n');
  const before = process.cpuUsage();
  assert.match(refusal(`${small}${keys}\n`), /^line 6: "k0" is not a word of a scenario/);
  assert.is(refusal(`${small}${keys}\nk7: 2\n`), 'line 20006: this is not YAML: the key k7 stands twice');
  const { user } = process.cpuUsage(before);
  assert.ok(user < 6e6, `${user} µs`);
});

test.run();

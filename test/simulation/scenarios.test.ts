/** Scenarios under virtual time: the whole service, a fleet from a file, and what came of it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openOfflineStage } from '../../testbed/offline/offline-stage.ts';
import { type PlayedScenario, playScenario } from '../../testbed/scenario/play-scenario.ts';
import { readScenario } from '../../testbed/scenario/read-scenario.ts';
import { longTest } from '../some-times.ts';
import { playText } from './play-text.ts';

const test = suite('scenarios under virtual time');

/** Returns the outcome of each expectation. */
const found = ({ expectations }: PlayedScenario): string[] =>
  expectations.map(({ sentence, isMet, found }) => `${isMet ? 'met' : 'not'}: ${sentence}: ${found}`);
const notes = ({ observations }: PlayedScenario): string[] => observations.notes.map(({ what }) => what);

const tiny = `name: Tiny
lasts: 30m
fleet:
  - { name: lobby, frames: 2, sleep: 5m, climate: cellar }
  - { name: polled, frames: 1, sleep: 5m, dialect: trmnl, content: own }
events:
  - { at: 8m, push: Hello }
expect:
  - all synced within 3 wakes
  - all synced at the end
  - no frame silent
`;

longTest(test)('the same seed is the same scenario, event by event, and another seed is another one', async () => {
  const [first, second, other] = [await playText(tiny), await playText(tiny), await playText(tiny, '2')];
  assert.equal(found(first), [
    'met: all synced within 3 wakes: 3 of 3 pushes to frames',
    'met: all synced at the end: 3 of 3 frames',
    'met: no frame silent: 3 of 3 frames',
  ]);
  assert.is(first.brokenPromise, undefined);
  assert.match(first.hash ?? '', /^[0-9a-f]{64}$/);
  assert.is(second.hash, first.hash);
  assert.is.not(other.hash, first.hash);
  assert.ok(first.isGood && other.isGood);
});

test('frames wake when the scenario says so, whatever they sleep, and by their button after that', async () => {
  const woke: string[] = [];
  const scenario = readScenario(`name: Given wakes
lasts: 3h
fleet:
  - { name: native, frames: 1, sleep: 5m, wakes: [30s, 47m, 1h10m] }
  - { name: classic, frames: 1, sleep: 5m, dialect: classic, wakes: [0, 1h10m] }
  - { name: polled, frames: 1, sleep: 1h, dialect: trmnl, wakes: [1m, 1h1m, 2h1m] }
events:
  - { at: 1h5m, push: Hello, to: "native, classic", within: 7m }
  - { at: 50m, push: Hello, to: polled, within: 1h13m }
  - { at: 2h30m, do: press, to: native }
`);
  const played = await playScenario(scenario, async (of, listener) => {
    const stage = await openOfflineStage(of, {
      ...listener,
      wokeUp(serial) {
        listener.wokeUp(serial);
        const { group } = stage.frames.find((frame) => frame.serial === serial) ?? {};
        woke.push(`${group} ${(stage.now() - of.startsAt) / 1000}`);
      },
    });
    return stage;
  });
  assert.equal(woke.sort(), [
    'classic 0',
    'classic 4200',
    'native 2820',
    'native 30',
    'native 4200',
    'native 9000',
    'polled 3660',
    'polled 60',
    'polled 7260',
  ]);
  assert.ok(played.isGood, found(played).join());
});

test('a frame that lies is never synced, and the expectation of it is not met', async () => {
  const played = await playText(`name: A liar
lasts: 30m
fleet:
  - { name: honest, frames: 1, sleep: 5m }
  - { name: liars, frames: 1, sleep: 5m, behaviours: liar }
events:
  - { at: 10m, push: Hello }
expect:
  - all of honest synced within 2 wakes
  - all of liars synced at the end
`);
  assert.equal(found(played), [
    'met: all of honest synced within 2 wakes: 1 of 1 pushes to frames',
    'not: all of liars synced at the end: 0 of 1 frames; first epd7-000000000002 does not show "Hello"',
  ]);
  assert.is(played.brokenPromise, undefined);
  assert.not(played.isGood);
});

test('a service that is restarted and killed goes on, and what was pushed while it was away arrives', async () => {
  const played = await playText(`name: Away twice
lasts: 50m
fleet:
  - { frames: 2, sleep: 3m }
events:
  - { at: 5m, do: restart, for: 10m }
  - { at: 10m, push: While it is stopped }
  - { at: 25m, do: kill, for: 10m }
  - { at: 30m, push: While it is dead }
expect:
  - all synced within 15m
  - all synced at the end
`);
  assert.equal(found(played), [
    'met: all synced within 15m: 4 of 4 pushes to frames',
    'met: all synced at the end: 2 of 2 frames',
  ]);
  assert.equal(notes(played), ['the service was stopped, for 10 min', 'the service was killed, for 10 min']);
  // While it was away nobody was notified.
  for (const { push, syncedAt } of [...played.observations.frames.values()].flatMap(({ reached }) => reached)) {
    assert.ok((syncedAt ?? 0) - push.pushedAt >= 5 * 60_000);
  }
});

test('acts come to the frames that are meant, and to no others', async () => {
  const played = await playText(`name: Acts
lasts: 2h
fleet:
  - { name: lobby, frames: 4, sleep: 30m, content: own }
  - { name: other, frames: 1, sleep: 30m, battery: 5V }
  - { name: off, frames: 1, sleep: 30m }
  - { name: astray, frames: 1, sleep: 30m }
events:
  - { at: 40m, do: remove, to: 1 of lobby }
  - { at: 41m, push: "Own {n}", to: 2 of lobby }
  - { at: 42m, do: charge, battery: 5.5V, to: other }
  - { at: 43m, do: rotate, to: other }
  - { at: 44m, do: cut power, to: off }
  - { at: 45m, do: behave, as: silent, to: astray }
expect:
  - all of lobby synced at the end
  - no frame of lobby, other silent
  - no frame of off silent
  - no frame of astray silent for 50m
  - battery of other above 5.2V
`);
  const [lobby, others, off, astray, battery] = found(played);
  assert.is(lobby, 'met: all of lobby synced at the end: 2 of 2 frames');
  assert.is(others, 'met: no frame of lobby, other silent: 4 of 4 frames');
  assert.match(off ?? '', /^not: .*: 0 of 1 frames/);
  assert.match(astray ?? '', /^not: .*: 0 of 1 frames/);
  assert.match(battery ?? '', /^met: /);
  const frames = [...played.observations.frames.values()];
  assert.is(frames.filter(({ removedAt }) => removedAt !== undefined).length, 1);
  const [other] = frames.filter(({ staged }) => staged.group === 'other');
  assert.is(other?.staged.state().orientation, 'portrait');
});

test.run();

/** Behaviours by name under virtual time: the devices of the simulation understand every effect that they have. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { behavioursFor } from '../../simulator/behaviours/behaviours.ts';
import type { AnyFrame } from '../../simulator/dialects/any-frame.ts';
import { frameBody } from '../../testbed/offline/bodies/frame-body.ts';
import { chanceOf } from '../../testbed/offline/machine/chance.ts';
import { drawFaultRates, withoutFaults } from '../../testbed/offline/machine/fault-rates.ts';
import { settleBy, virtualTime } from '../../testbed/offline/machine/virtual-time.ts';
import { type Dialect, frameOf } from '../simulator/play-wakes.ts';

const test = suite('behaviours under virtual time');
const startsAt = Date.UTC(2026, 0, 10);
const hourMs = 3_600_000;
const withCredit = { native: 20, classic: 8, trmnl: 20, offline: 8 } as const;

/** Plays a device for a time in which no service is there, and returns what was noted of it. */
async function play(dialect: Dialect, behaviours: readonly string[], hours: number, changes: object = {}) {
  const chance = chanceOf(`${dialect} ${behaviours.join()}`);
  const rates = withoutFaults(drawFaultRates(chance, {}));
  const notes: string[] = [];
  let moved = 0;
  const time = virtualTime(
    startsAt,
    chance,
    settleBy(() => moved),
  );
  const body = frameBody(
    {
      time,
      chance,
      currentFaults: () => rates,
      fakeBroker: () => undefined,
      serve: () => undefined,
      tookWhole: () => undefined,
      note(what) {
        moved++;
        notes.push(what.replace(/^frame /, ''));
      },
    },
    {
      name: 'frame',
      password: 'any',
      initial: { ...frameOf(dialect), ...changes } as AnyFrame,
      behaviours,
      isHonest: () => false,
    },
  );
  body.unplug(0);
  await time.until(startsAt + hours * hourMs);
  return { notes, state: body.state() };
}

for (const dialect of ['native', 'classic', 'trmnl', 'offline'] as const) {
  test(`a ${dialect} device with any behaviour goes on for a day without a service, or is dead`, async () => {
    for (const name of behavioursFor([dialect])) {
      const { state, notes } = await play(dialect, [name], 24);
      const isDead = name === 'silent';
      assert.ok(isDead ? state.boots === 1 : state.boots > withCredit[dialect], `${name}: ${state.boots} boots`);
      assert.ok(
        notes.some((note) => note.startsWith('woke')),
        name,
      );
    }
  });
}

test('power that fails, a Wi-Fi that is away and a clock that is wrong are understood', async () => {
  const lost = await play('native', ['power-loss'], 8);
  assert.ok(lost.notes.includes('power lost {"events":0}'));
  assert.ok(lost.notes.filter((note) => note === 'without power').length > 1, 'besides the one at the beginning');
  const away = await play('classic', ['weak-wifi'], 8, { activated: true });
  assert.ok(away.notes.includes('gave up {"why":"no Wi-Fi"}'));
  const future = await play('native', ['clock-2099'], 2);
  assert.ok(future.notes.includes('gave up {"why":"the certificate is out of date"}'));
  const weak = await play('trmnl', ['weak-battery'], 4);
  assert.ok(weak.notes.includes('battery gives in {}'));
});

test('two behaviours work together: a battery that runs down where Wi-Fi is weak ends the frame', async () => {
  const { state, notes } = await play('native', ['weak-wifi', 'drained'], 72);
  assert.is(notes.at(-1), 'battery empty {}');
  assert.is(state.boots, 47);
});

test.run();

/** How far a live scenario is, and what its panels are called. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { glassInWords, panelsLegend } from '../../testbed/scenario/live/scenario-panels.ts';
import { progressLine, type ScenarioProgress, withProgress } from '../../testbed/scenario/live/tell-progress.ts';
import { readScenario } from '../../testbed/scenario/read-scenario.ts';
import type { ScenarioStage, StagedFrame, StageListener } from '../../testbed/scenario/stage.ts';

const test = suite('a scenario tells');

const file = 'name: One\nlasts: 1h\nfleet:\n  - { frames: 2 }\n';

/** A stage of two frames, of which one is awake, and a clock that a test lets go on. */
async function open(isTerminal: boolean) {
  const scenario = readScenario(file);
  const told: { progress: ScenarioProgress; isLast: boolean }[] = [];
  const timers: { afterMs: number; run: () => void }[] = [];
  const heard: string[] = [];
  const frames = [true, false].map((asleep) => ({ state: () => ({ asleep }) }) as unknown as StagedFrame);
  let listens: StageListener | undefined;
  const listener: StageListener = {
    wokeUp: (serial) => heard.push(serial),
    synced: (serial, number) => heard.push(`${serial} ${number}`),
    noted: () => {},
  };
  let now = scenario.startsAt;
  const stage = await withProgress(
    scenario,
    {
      listener,
      async open(given) {
        listens = given;
        const inner: Partial<ScenarioStage> = { frames, now: () => now, push: async () => true, close: async () => {} };
        return inner as ScenarioStage;
      },
    },
    {
      isTerminal,
      clock: { now: () => 0, after: (afterMs, run) => ({ cancel: () => {}, at: timers.push({ afterMs, run }) }) },
      tell: (progress, isLast) => told.push({ progress, isLast }),
    },
  );
  return {
    stage,
    told,
    timers,
    heard,
    frames,
    listens,
    move: (ms: number) => (now += ms),
    ring: (at: number) => timers[at]?.run(),
  };
}

test('each second on a terminal, every ten seconds elsewhere, until its stage is closed', async () => {
  for (const [isTerminal, everyMs] of [
    [true, 1_000],
    [false, 10_000],
  ] as const) {
    const { stage, told, timers, ring } = await open(isTerminal);
    assert.equal([told.length, timers.map(({ afterMs }) => afterMs)], [0, [everyMs]]);
    ring(0);
    assert.equal([told.length, timers.length], [1, 2]);
    await stage.close();
    await stage.close();
    ring(1);
    assert.equal([told.map(({ isLast }) => isLast), timers.length], [[false, true], 2]);
  }
});

test('a scenario that is over at once reports no progress', async () => {
  const { stage, told } = await open(false);
  await stage.close();
  assert.equal(told, []);
});

test('wakes, pushes and proofs, and an earlier listener goes on to get them', async () => {
  const { stage, told, ring, heard, frames, listens, move } = await open(false);
  listens?.wokeUp('a');
  await stage.push(0, 'Hello', frames);
  listens?.synced('a', 0);
  move(1_800_000);
  ring(0);
  assert.equal(told.at(-1)?.progress, {
    intoMs: 1_800_000,
    lastsMs: 3_600_000,
    frames: 2,
    awake: 1,
    wakes: 1,
    pushed: 2,
    proven: 1,
  });
  assert.equal(heard, ['a', 'a 0']);
  const line = told.at(-1);
  assert.is(line && progressLine(line.progress), '50 %, 30 min of 1 h: awake 1 of 2, 1 wakes, proven 1 of 2');
});

test('of a glass what is proven on it, what is not, and the screens of the firmware', () => {
  const push = (number: number, text: string, syncedAt?: number) =>
    ({ push: { number, text }, syncedAt }) as unknown as Parameters<typeof glassInWords>[1][number];
  const picture = { shows: 'picture', file: new Uint8Array(), sha256: '' } as const;
  const both = [push(0, 'Monday', 5), push(1, 'Tuesday')];
  assert.is(glassInWords(picture, both), 'push 1, "Monday"; push 2, "Tuesday" is not proven');
  assert.is(glassInWords(picture, [push(0, 'Monday')]), 'a picture that is not proven; push 1, "Monday" is not proven');
  assert.is(glassInWords({ shows: 'nothing' }, []), 'nothing was ever drawn');
  assert.is(glassInWords({ shows: 'screen', screen: 'Wi-Fi failed' }, []), 'its own screen, "Wi-Fi failed"');
  assert.match(panelsLegend(false).markup, /64 blocks .* mean nothing else/);
  assert.not.match(panelsLegend(true).markup, /64 blocks/);
});

test.run();

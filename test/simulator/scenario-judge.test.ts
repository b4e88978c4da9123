/** The judgement of expectations, over observations that were made by hand. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type JudgedExpectation, judgeExpectations } from '../../testbed/scenario/judge-expectations.ts';
import { type Observer, observe } from '../../testbed/scenario/observations.ts';
import { readScenario } from '../../testbed/scenario/read-scenario.ts';
import type { StagedFrame } from '../../testbed/scenario/stage.ts';

const test = suite('expectations of scenarios');

const minuteMs = 60_000;
const file = `name: T
lasts: 10h
fleet:
  - { name: lobby, frames: 2, sleep: 1h }
  - { name: hall, frames: 1, sleep: 2h }
expect:
`;

/** Two frames in the lobby and one in the hall, with events by minute. */
function wall(...expected: string[]) {
  const scenario = readScenario(file + expected.map((sentence) => `  - ${sentence}\n`).join(''));
  const batteries: Record<string, number> = { a: 6000, b: 5500, c: 5000 };
  const frames = ['a', 'b', 'c'].map(
    (serial) =>
      ({
        serial,
        group: serial === 'c' ? 'hall' : 'lobby',
        state: () => ({ batteryMv: batteries[serial] }),
      }) as unknown as StagedFrame,
  );
  const observer: Observer = observe(frames, scenario.startsAt);
  const at = (minute: number): number => scenario.startsAt + minute * minuteMs;
  return {
    batteries,
    wake: (serial: string, minute: number) => observer.woke(serial, at(minute)),
    sync: (serial: string, number: number, minute: number) => observer.synced(serial, number, at(minute)),
    remove: (serial: string, minute: number) => observer.removed(serial, at(minute)),
    /** Pushes and is accepted at once; returns the number of the push. */
    push(serials: string, minute: number, withinMs?: number, line = 1): number {
      const on = frames.filter(({ serial }) => serials.includes(serial));
      const pushed = observer.pushed({ text: `at ${minute}`, line, pushedAt: at(minute), withinMs }, on);
      observer.accepted(pushed, at(minute));
      return pushed.number;
    },
    judged: (): readonly JudgedExpectation[] => judgeExpectations(scenario, observer.observations),
    /** Whether each is met, and what was found. */
    found: () =>
      judgeExpectations(scenario, observer.observations).map(
        ({ isMet, found }) => `${isMet ? 'met' : 'not'}: ${found}`,
      ),
  };
}

test('within wakes: those are counted that came, or whose wakes were over', () => {
  const { push, wake, sync, found } = wall('all of lobby synced within 2 wakes');
  const number = push('ab', 0);
  wake('a', 10);
  wake('a', 70);
  sync('a', number, 71);
  wake('b', 20);
  wake('b', 80);
  assert.equal(found(), ['met: 1 of 1 pushes to frames']);
  // The second wake of the other frame is over once its third has begun.
  wake('b', 140);
  assert.equal(found(), ['not: 1 of 2 pushes to frames; first "at 0", pushed after 0 ms, never came (3 wakes) on b']);
  sync('b', number, 141);
  assert.equal(found(), [
    'not: 1 of 2 pushes to frames; first "at 0", pushed after 0 ms, came after 2 h 21 min and 3 wakes on b',
  ]);
});

test('wakes before the service accepted a push are none in which it could come', () => {
  const scenario = readScenario(`${file}  - all synced within 1 wake\n`);
  const frame = { serial: 'a', group: 'lobby' } as StagedFrame;
  const observer = observe([{ ...frame, state: () => ({ batteryMv: 6000 }) } as unknown as StagedFrame], 0);
  const pushed = observer.pushed({ text: 'x', line: 1, pushedAt: 0, withinMs: undefined }, [frame]);
  for (const at of [1, 2, 3]) observer.woke('a', at);
  observer.accepted(pushed, 4);
  observer.woke('a', 5);
  observer.synced('a', 0, 6);
  assert.is(judgeExpectations(scenario, observer.observations)[0]?.isMet, true);
});

test('within a span: the last moment counts, and the next one is too late', () => {
  const { push, sync, found } = wall('all synced within 1h');
  const number = push('ac', 30);
  sync('a', number, 90);
  sync('c', number, 91);
  assert.equal(found(), [
    'not: 1 of 2 pushes to frames; first "at 30", pushed after 30 min, came after 1 h 1 min and 0 wakes on c',
  ]);
});

test('a push that was replaced before its time is not counted, and one that was replaced later is', () => {
  const { push, sync, found } = wall('all synced within 1h');
  push('a', 0);
  sync('a', push('a', 59), 60);
  assert.equal(found(), ['met: 1 of 1 pushes to frames']);
  push('b', 100);
  sync('b', push('b', 160), 161);
  assert.equal(found(), [
    'not: 2 of 3 pushes to frames; first "at 100", pushed after 1 h 40 min, never came (0 wakes) on b',
  ]);
});

test('replaced within its wakes, a push is not counted either', () => {
  const { push, wake, sync, found } = wall('all synced within 1 wake');
  push('a', 0);
  wake('a', 10);
  sync('a', push('a', 20), 30);
  assert.equal(found(), ['met: 1 of 1 pushes to frames']);
});

test('a push that came in time counts, although another took its place', () => {
  const { push, sync, found } = wall('all synced within 1h');
  const number = push('a', 500);
  sync('a', number, 545);
  push('a', 550);
  sync('a', number, 590);
  assert.equal(found(), ['met: 1 of 1 pushes to frames']);
});

test('a push just before the end, and one whose frame was removed, had no time', () => {
  const { push, remove, found } = wall('all synced within 1h');
  push('a', 541);
  push('b', 100);
  remove('b', 159);
  assert.equal(found(), ['not: there were no pushes to frames to look at']);
  push('c', 540);
  assert.equal(found(), ['not: 0 of 1 pushes to frames; first "at 540", pushed after 9 h, never came (0 wakes) on c']);
});

test('at the end the newest push counts, on frames that hang and were pushed anything', () => {
  const { push, sync, remove, found } = wall('all synced at the end', 'all of hall synced at the end');
  sync('a', push('a', 0), 10);
  push('a', 20);
  assert.equal(found(), ['not: 0 of 1 frames; first a does not show "at 20"', 'not: there were no frames to look at']);
  remove('a', 30);
  sync('c', push('c', 40), 50);
  assert.equal(found(), ['met: 1 of 1 frames', 'met: 1 of 1 frames']);
});

test('a share is met by as many, and not by one fewer', () => {
  const { push, sync, found } = wall('50% synced at the end', '51% of lobby synced at the end');
  sync('a', push('ab', 0), 10);
  assert.equal(found(), [
    'met: 1 of 2 frames; first b does not show "at 0"',
    'not: 1 of 2 frames; first b does not show "at 0"',
  ]);
});

test('silence is what has passed since the last wake, or since the beginning; removed frames are silent for ever', () => {
  const { wake, remove, found } = wall(
    'no frame silent',
    'no frame of hall silent for 1h',
    'no frame of lobby silent for 1h',
  );
  wake('a', 541);
  wake('b', 460);
  wake('c', 331);
  assert.equal(found(), [
    'not: 2 of 3 frames; first b last woke 2 h 20 min earlier',
    'not: 0 of 1 frames; first c last woke 4 h 29 min earlier',
    'not: 1 of 2 frames; first b last woke 2 h 20 min earlier',
  ]);
  remove('b', 500);
  assert.equal(found(), [
    'met: 2 of 2 frames',
    'not: 0 of 1 frames; first c last woke 4 h 29 min earlier',
    'met: 1 of 1 frames',
  ]);
  assert.match(wall('no frame silent').found()[0] ?? '', /^not: 0 of 3 frames; first a last woke 10 h earlier$/);
});

test('a battery has to be above', () => {
  const { batteries, remove, found } = wall('battery above 5V', 'battery of lobby above 5V');
  assert.equal(found(), ['not: 2 of 3 frames; first c has 5.00V', 'met: 2 of 2 frames']);
  batteries.c = 5001;
  assert.equal(found(), ['met: 3 of 3 frames', 'met: 2 of 2 frames']);
  batteries.a = 0;
  remove('a', 5);
  assert.equal(found(), ['met: 2 of 2 frames', 'met: 1 of 1 frames']);
});

test('nothing to look at is not met', () => {
  const { remove, found } = wall(
    'all synced within 1 wake',
    'all synced at the end',
    'no frame of hall silent',
    'battery of hall above 1V',
  );
  remove('c', 1);
  assert.equal(found(), [
    'not: there were no pushes to frames to look at',
    'not: there were no frames to look at',
    'not: there were no frames to look at',
    'not: there were no frames to look at',
  ]);
});

test('pushes that have a time of their own are judged together, by the line of their event', () => {
  const { push, sync, judged } = wall('all of lobby synced at the end');
  sync('a', push('a', 0, 30 * minuteMs, 12), 10);
  sync('a', push('a', 100, 30 * minuteMs, 12), 131);
  push('c', 100, 3 * minuteMs, 14);
  const [, first, second, ...more] = judged();
  assert.equal(first, {
    sentence: 'pushed, synced within 30 min',
    line: 12,
    isMet: false,
    found: '1 of 2 pushes to frames; first "at 100", pushed after 1 h 40 min, came after 31 min and 0 wakes on a',
  });
  assert.equal([second?.line, second?.isMet, more], [14, false, []]);
});

test.run();

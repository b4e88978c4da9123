import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Clock } from '../../runtime/clock.ts';
import { giveMemoryBack } from '../../runtime/give-memory-back.ts';

const test = suite('give memory back');
const mebibyte = 1024 * 1024;

/** A process whose use the test says, and a clock that it moves. */
function playedProcess() {
  let [now, next] = [0, (): void => {}];
  let use = { processorMs: 0, residentBytes: 150 * mebibyte };
  let collections = 0;
  const clock: Clock = {
    now: () => now,
    after(_delayMs, run) {
      next = run;
      return {
        cancel() {
          next = () => {};
        },
      };
    },
  };
  const collect = (): void => {
    collections++;
    use = { ...use, residentBytes: 110 * mebibyte };
  };
  const stop = giveMemoryBack(clock, collect, () => use);
  return {
    stop,
    /** A quarter of a minute in which the process worked so long and holds so much; returns how often it has collected. */
    passes(workedMs: number, heldMb: number): number {
      now += 15_000;
      use = { processorMs: use.processorMs + workedMs, residentBytes: heldMb * mebibyte };
      next();
      return collections;
    },
  };
}

test('memory is given back once after a load, when there is little to do', () => {
  const { passes, stop } = playedProcess();
  assert.is(passes(10, 150), 1, 'after the start');
  assert.is(passes(10, 112), 1, 'nothing was held since');
  assert.is(passes(9_000, 400), 1, 'there is work');
  assert.is(passes(3_000, 400), 1, 'there still is');
  assert.is(passes(100, 400), 2, 'the load is over');
  assert.is(passes(100, 115), 2, 'nothing was held since');
  stop();
  assert.is(passes(0, 900), 2, 'it was stopped');
});

test.run();

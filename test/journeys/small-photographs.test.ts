/** A gigabyte for everything is enough for the largest photographs, many at once. */
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { memoryOf } from '../bench/abuse/memory.ts';
import { photographOf40Megapixels, uploadAtOnce } from '../bench/small-load.ts';
import { longTest, unlessUnable } from '../some-times.ts';
import { noBudget, withBudget } from './budget-world.ts';

const test = suite('photographs in a gigabyte');
const inBudget = unlessUnable(test, noBudget);
const leftMb = 60;

longTest(inBudget)(
  'T-96: 32 photographs of 40 megapixels at once fit a gigabyte, and their memory comes back',
  async () => {
    const picture = await photographOf40Megapixels();
    await withBudget(async ({ scene, pid }) => {
      // What is loaded with the first picture stays.
      await uploadAtOnce(scene, 1, picture);
      await pause(60_000);
      const idle = memoryOf(pid).service;
      await uploadAtOnce(scene, 32, picture);
      await pause(60_000);
      const more = memoryOf(pid).service - idle;
      assert.ok(more <= leftMb, `${more.toFixed(0)} MB more than before`);
    });
  },
);

test.run();

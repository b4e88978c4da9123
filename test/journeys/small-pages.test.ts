/** A gigabyte for everything is enough for pages without end. Photographs have a file of their own, for the time they take. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { drawPages } from '../bench/small-load.ts';
import { longTest, unlessUnable } from '../some-times.ts';
import { noBudget, withBudget } from './budget-world.ts';

const test = suite('pages in a gigabyte');
const inBudget = unlessUnable(test, noBudget);
const pages = 1_000;

longTest(inBudget)('T-96: a thousand pages are drawn within a gigabyte', async () => {
  await withBudget(async ({ scene }) => {
    assert.is((await drawPages(scene, pages)).length, pages);
  });
});

test.run();

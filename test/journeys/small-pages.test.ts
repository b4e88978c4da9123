/** A gigabyte for everything is enough for pages without end. Photographs have a file of their own, for the time they take. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { drawPages } from '../bench/small-load.ts';
import { longTest, unlessUnable } from '../some-times.ts';
import { noBudget, withBudget } from './budget-world.ts';

const test = suite('pages in a gigabyte');
const inBudget = unlessUnable(test, noBudget);
/** A thousand by hand: they take three minutes. */
const pages = Number(process.env.PAGES ?? 250);

longTest(inBudget)('T-96: page after page is drawn within a gigabyte', async () => {
  await withBudget(async ({ scene }) => {
    assert.is((await drawPages(scene, pages)).length, pages);
  });
});

test.run();

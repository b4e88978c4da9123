import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../reasons/refusals.ts';
import { filesInHand } from '../../runtime/disk/files-in-hand.ts';
import { sharedBudget } from '../../runtime/shared-budget.ts';

const test = suite('shared budget');

test('T-61: nobody holds more than they leave free, so that one who comes after many still finds something', () => {
  const budget = sharedBudget(120);
  const takeAll = (sharer: string): number => {
    let taken = 0;
    while (budget.take(sharer, 1) !== undefined) taken++;
    return taken;
  };
  assert.is(takeAll('one'), 60);
  assert.is(takeAll('two'), 30);
  assert.is(takeAll('one'), 0);
  assert.is(takeAll('three'), 15);
  assert.is(takeAll('four'), 7);
  assert.ok(budget.take('five', 4));
  assert.is(budget.take('six', 5), undefined);
});

test('T-61: what is given back is there again, and only once', () => {
  const budget = sharedBudget(10);
  const giveBack = budget.take('one', 5);
  assert.is(budget.take('one', 1), undefined);
  assert.is(budget.used(), 5);
  giveBack?.();
  giveBack?.();
  assert.is(budget.used(), 0);
  assert.ok(budget.take('one', 5));
  assert.is(budget.take('two', 6), undefined);
  assert.ok(budget.take('two', 0));
});

test('T-61: a file is in memory once, however many take it, and until the last has let go', async () => {
  const budget = sharedBudget(100);
  const files = filesInHand(budget);
  let reads = 0;
  const read = async (): Promise<Buffer> => {
    reads++;
    return Buffer.alloc(40);
  };
  const held = await Promise.all(Array.from({ length: 50 }, () => files.take('a', 'one', read)));
  assert.equal([reads, budget.used()], [1, 40]);
  assert.is(new Set(held.map((file) => file?.bytes)).size, 1);
  const other = await files.take('b', 'one', read).catch((error: unknown) => error);
  assert.ok(other instanceof Refusal && other.code === 'unavailable' && other.retryAfterSeconds === 10);
  for (const file of held) file?.letGo();
  assert.is(budget.used(), 0);
  (await files.take('b', 'one', read))?.letGo();
  assert.equal([reads, budget.used()], [3, 0]);
  assert.is(await files.take('missing', 'one', async () => undefined), undefined);
  assert.is(budget.used(), 0);
});

test.run();

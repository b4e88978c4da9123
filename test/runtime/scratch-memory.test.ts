/** Memory that is given back at once, and not at some collection (T-61). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { reserveScratch } from '../../runtime/scratch-memory.ts';

const test = suite('scratch memory');
const mebibyte = 1024 * 1024;
const residentMb = (): number => process.memoryUsage.rss() / mebibyte;

test('T-61: what was lent takes no memory afterwards, also when the work failed', async () => {
  const scratch = reserveScratch(256 * mebibyte);
  const before = residentMb();
  let during = 0;
  const fill = async (memory: Buffer): Promise<number> => {
    memory.fill(1);
    during = residentMb();
    return memory.length;
  };
  assert.is(await scratch.lend(200 * mebibyte, fill), 200 * mebibyte);
  assert.ok(during - before > 150, `${before}, then ${during} MB`);
  const failed = scratch.lend(200 * mebibyte, async (memory) => {
    await fill(memory);
    throw new Error('the work failed');
  });
  assert.is(await failed.catch((error: Error) => error.message), 'the work failed');
  assert.ok(residentMb() - before < 50, `${before}, then ${residentMb()} MB`);
});

test('it is clean again, lent to one at a time, and never beyond its bound', async () => {
  const scratch = reserveScratch(100);
  await scratch.lend(100, async (memory) => memory.fill(7));
  await scratch.lend(50, async (memory) => {
    assert.equal([...new Set(memory)], [0]);
    const second = scratch.lend(10, async () => 'lent');
    assert.is(await second.catch((error: Error) => error.message), 'The scratch memory is lent');
  });
  assert.is(await scratch.lend(101, async () => 'lent').catch(({ name }: Error) => name), 'RangeError');
});

test.run();

/** A gigabyte for everything, browser included, which the kernel holds the service to (T-96). */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { memoryOf } from '../bench/abuse/memory.ts';
import { openStage, type Stage } from '../bench/abuse/stage.ts';
import { drawPages, photographOf40Megapixels, uploadAtOnce } from '../bench/small-load.ts';
import { limitMemory, type MemoryGroup } from '../memory-limit.ts';
import { longTest, manyTimes, unlessUnable } from '../some-times.ts';

const test = suite('a gigabyte for everything');
const gibibyte = 1024 ** 3;
const probe = limitMemory(gibibyte);
probe?.remove();
const inBudget = unlessUnable(test, probe === undefined ? 'the memory of a test cannot be limited here' : undefined);
const leftMb = 60;

/** Runs the service, with all that it starts, in a group that may hold a gigabyte. */
async function withBudget(run: (stage: Stage) => Promise<void>): Promise<void> {
  const group = limitMemory(gibibyte) as MemoryGroup;
  const folder = await mkdtemp(join(tmpdir(), 'papergate-budget-'));
  await chmod(folder, 0o711);
  const glibc = ['env', 'MALLOC_ARENA_MAX=2', 'MALLOC_MMAP_THRESHOLD_=32768', 'MALLOC_TRIM_THRESHOLD_=262144'];
  try {
    const stage = await openStage(folder, { before: [...group.before, ...glibc, process.execPath] });
    try {
      await run(stage);
      assert.is(stage.ended(), undefined);
      assert.is(group.ended(), 0, 'the kernel ended nothing');
    } finally {
      await stage.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    group.remove();
  }
}

longTest(inBudget)('T-96: a thousand pages are drawn within a gigabyte', async () => {
  const pages = manyTimes('pages', 1_000, 40);
  await withBudget(async ({ scene }) => {
    assert.is((await drawPages(scene, pages)).length, pages);
  });
});

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

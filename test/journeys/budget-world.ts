/** The service with a gigabyte for everything, browser included, which the kernel holds it to (T-96). */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { openStage, type Stage } from '../bench/abuse/stage.ts';
import { limitMemory, type MemoryGroup } from '../memory-limit.ts';

const gibibyte = 1024 ** 3;
const probe = limitMemory(gibibyte);
probe?.remove();
/** Why no test can be held to it here. */
export const noBudget = probe === undefined ? 'the memory of a test cannot be limited here' : undefined;

/** Runs the service, with all that it starts, in a group that may hold a gigabyte. */
export async function withBudget(run: (stage: Stage) => Promise<void>): Promise<void> {
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

/** Homes of frames with the vendor's offline firmware keep every promise, whatever happens around them (OF-7 to OF-9). */
import { randomBytes } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createDisk } from '../../testbed/offline/machine/disk.ts';
import { runSeed } from '../../testbed/offline/run-seed.ts';
import { manyTimes } from '../some-times.ts';

const test = suite('the offline firmware under virtual time');

/** The number of fresh seeds; the variable SEEDS asks for more. */
const seeds = Number(process.env.SEEDS ?? manyTimes('fresh seeds with the offline firmware', 40, 8));

test(`${seeds} fresh seeds with such frames keep every promise`, async () => {
  const disk = await createDisk();
  const seed = `offline-${randomBytes(4).toString('hex')}`;
  const synced: string[] = [];
  for (let at = 1; at <= seeds; at++) {
    const { broken, counts, lastLines } = await runSeed(`${seed}.${at}`, disk, { frames: 1, offlineFrames: 2 });
    assert.is(broken && `${seed}.${at}: ${broken.rule}: ${broken.sentence}\n${lastLines.join('\n')}`, undefined);
    if ((counts['deliveries synced'] ?? 0) > 0) synced.push(`${seed}.${at}`);
  }
  assert.ok(synced.length > seeds / 4, `deliveries were proven in ${synced.length} of ${seeds}`);
});

test.run();

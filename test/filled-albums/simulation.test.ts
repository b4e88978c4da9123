/** Albums over many seeds: nothing hangs after it was taken back, nothing is lost on doubt, each hangs once before any again. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isOnPostgres } from '../database.ts';
import { withAlbum } from '../papers/album-world.ts';
import { longTest } from '../some-times.ts';
import { type AlbumRun, type PlantedAlbumBug, playAlbum } from './simulated-album.ts';

const test = suite('simulated albums');

async function played(first: number, last: number, bug?: PlantedAlbumBug): Promise<readonly AlbumRun[]> {
  const runs: AlbumRun[] = [];
  await withAlbum(async (world) => {
    for (let seed = first; seed <= last; seed++) runs.push(await playAlbum(world, seed, bug));
  });
  return runs;
}

const total = (runs: readonly AlbumRun[], field: 'wakes' | 'takenBack' | 'kills' | 'doubts'): number =>
  runs.reduce((sum, run) => sum + run[field], 0);

async function keepsPromises(first: number, last: number): Promise<void> {
  const runs = await played(first, last);
  const broken = runs.flatMap((run) => run.broken);
  assert.equal(broken.slice(0, 5), []);
  for (const [field, least] of [
    ['wakes', 20],
    ['takenBack', 3],
    ['kills', 3],
  ] as const)
    assert.ok(total(runs, field) >= least * runs.length, `${total(runs, field)} ${field}`);
  assert.ok(total(runs, 'doubts') > 0);
}

const promise = 'what was taken back is gone, nothing is lost on doubt, windows hold, and none comes twice in a round';
test(`${promise}: 12 seeds`, () => keepsPromises(1, 12));
// The runner gives a file ten minutes; on PostgreSQL each seed takes several times as long.
const last = isOnPostgres ? 50 : 200;
longTest(test)(`${promise}: ${last} seeds`, () => keepsPromises(13, last));

for (const bug of ['cached', 'credulous', 'forgetful'] as const) {
  test(`a bug that is planted is found: ${bug}`, async () => {
    const runs = await played(1, 9, bug);
    assert.ok(runs.some(({ broken }) => broken.length > 0));
  });
}

test.run();

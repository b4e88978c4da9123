/** The whole line in one process under virtual time: fresh seeds have to keep every promise. */
import { randomBytes } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chanceOf } from '../../api/laboratory/chance.ts';
import { createDisk } from '../../api/laboratory/disk.ts';
import { play } from '../../api/laboratory/play.ts';
import { runSeed } from '../../api/laboratory/run-seed.ts';
import { virtualTime } from '../../api/laboratory/virtual-time.ts';
import { transact, transactPatiently } from '../../gateway/runtime/database.ts';

const test = suite('simulation');

/** Fresh seeds of one test run, and fewer on a machine that has other things to do. SEEDS asks for more. */
const mostSeeds = Number(process.env.SEEDS ?? 60);
const mostMs = 500 * mostSeeds;

test(`up to ${mostSeeds} seeds that nobody saw before keep every promise`, async () => {
  const problems: string[] = [];
  const endsAt = Date.now() + mostMs;
  const seed = `fresh-${randomBytes(4).toString('hex')}`;
  const played = await play({
    seed,
    runs: mostSeeds,
    stopAtFirst: true,
    goesOn: () => Date.now() < endsAt,
    ended({ broken, seed: of, lastLines }) {
      if (broken === undefined) return;
      const command = `npx papergate simulate --offline --seed ${of} --trace`;
      problems.push(`${lastLines.join('\n')}\n${broken.rule}: ${broken.sentence}\n  ${command}`);
    },
  });
  assert.is(problems.join('\n'), '');
  // A climate that nothing survives, or in which nothing happens, would prove nothing.
  const { counts, runs } = played;
  for (const state of ['synced', 'superseded', 'inactive']) {
    assert.ok((counts[`deliveries ${state}`] ?? 0) > 0, `no delivery is ever ${state} in ${runs} runs`);
  }
  assert.ok((counts['deaths of the service'] ?? 0) > 0, `the service never dies in ${runs} runs`);
  console.log(`${runs} fresh seeds of ${seed}`);
});

test('one seed is one run: the same hash again, and after others', async () => {
  const disk = await createDisk();
  const first = await runSeed('again', disk);
  const other = await runSeed('other', disk);
  const again = await runSeed('again', disk);
  const fresh = await runSeed('again', await createDisk());
  assert.is(again.hash, first.hash);
  assert.is(fresh.hash, first.hash);
  assert.is.not(other.hash, first.hash);
  // What the first of these was about at its end once reached the disk of the second.
  const alone = await runSeed('fresh-bf5fc327.39', disk);
  await runSeed('fresh-bf5fc327.38', disk);
  assert.is((await runSeed('fresh-bf5fc327.39', disk)).hash, alone.hash);
});

test('time waits for a commit that gathers works: nothing is late because nothing else happens', async () => {
  const disk = await createDisk();
  const { after: happens, now, until } = virtualTime(0, chanceOf('any'), disk.progress);
  const db = disk.open({ dead: false }, { delay: () => undefined, before: () => false, after: () => false });
  const committed: number[] = [];
  const commit = (run: typeof transact): void =>
    void run(db, async (trx) => trx('papers').select('id')).then(() => committed.push(now()));
  happens(1000, () => commit(transact));
  happens(2000, () => commit(transactPatiently));
  happens(60_000, () => {});
  await until(60_000);
  assert.equal(committed, [1000, 2000]);
});

test.run();

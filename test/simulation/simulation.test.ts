/** The whole service in one process under virtual time: fresh seeds have to keep every promise. */
import { randomBytes } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { transact, transactPatiently } from '../../runtime/database/database.ts';
import { chanceOf } from '../../testbed/offline/machine/chance.ts';
import { createDisk } from '../../testbed/offline/machine/disk.ts';
import { settleBy, virtualTime } from '../../testbed/offline/machine/virtual-time.ts';
import { play } from '../../testbed/offline/play.ts';
import { runSeed } from '../../testbed/offline/run-seed.ts';
import { longTest, manyTimes } from '../some-times.ts';

const test = suite('simulation');

/** The number of fresh seeds in one test run; a busy machine plays fewer. The variable SEEDS asks for more. */
const maxSeeds = Number(process.env.SEEDS ?? manyTimes('fresh seeds', 60, 10));
/** The number of seeds in which everything that can happen happens somewhere. */
const enoughSeeds = 30;
const maxMs = 500 * maxSeeds;

test(`up to ${maxSeeds} seeds that nobody saw before keep every promise`, async () => {
  const problems: string[] = [];
  const endsAt = Date.now() + maxMs;
  const seed = `fresh-${randomBytes(4).toString('hex')}`;
  const played = await play({
    seed,
    runs: maxSeeds,
    stopAtFirst: true,
    goesOn: () => Date.now() < endsAt,
    ended({ broken, seed: of, lastLines }) {
      if (broken === undefined) return;
      const command = `./papergate simulate --offline --seed ${of} --trace`;
      problems.push(`${lastLines.join('\n')}\n${broken.rule}: ${broken.sentence}\n  ${command}`);
    },
  });
  assert.is(problems.join('\n'), '');
  // Faults that nothing survives, or in which nothing happens, would prove nothing.
  const { counts, runs } = played;
  for (const state of runs < enoughSeeds ? [] : ['synced', 'superseded', 'inactive']) {
    assert.ok((counts[`deliveries ${state}`] ?? 0) > 0, `no delivery is ever ${state} in ${runs} runs`);
  }
  if (runs >= enoughSeeds) assert.ok((counts['deaths of the service'] ?? 0) > 0, `it never dies in ${runs} runs`);
  console.log(`${runs} fresh seeds of ${seed}`);
});

longTest(test)('seeds in which a backup is restored beneath frames that went on keep every promise', async () => {
  const problems: string[] = [];
  const { counts, runs } = await play({
    seed: `restored-${randomBytes(4).toString('hex')}`,
    runs: manyTimes('seeds with a restore', 20, 3),
    restores: true,
    stopAtFirst: true,
    ended({ broken, seed }) {
      if (broken === undefined) return;
      const command = `./papergate simulate --offline --restores --seed ${seed} --trace`;
      problems.push(`${broken.rule}: ${broken.sentence}\n  ${command}`);
    },
  });
  assert.is(problems.join('\n'), '');
  assert.ok(runs < 10 || (counts['backups restored'] ?? 0) > 0, `no backup was restored in ${runs} runs`);
});

longTest(test)('seeds whose disk is lost come back from the archive as they were committed', async () => {
  const problems: string[] = [];
  const { counts } = await play({
    seed: `lost-${randomBytes(4).toString('hex')}`,
    runs: manyTimes('seeds with a lost disk', 15, 3),
    archives: true,
    stopAtFirst: true,
    ended({ broken, seed }) {
      if (broken === undefined) return;
      const command = `./papergate simulate --offline --archives --seed ${seed} --trace`;
      problems.push(`${broken.rule}: ${broken.sentence}\n  ${command}`);
    },
  });
  assert.is(problems.join('\n'), '');
  assert.ok((counts['backups restored'] ?? 0) > 0, 'no disk was lost');
});

longTest(test)(
  'a claim that one statement makes is known at its moment, though no transaction ends there',
  async () => {
    const { broken } = await runSeed('lost-7c24b133.13', await createDisk(), { archives: true });
    assert.is(broken && `${broken.rule}: ${broken.sentence}`, undefined);
  },
);

longTest(test)('a seed whose disk is lost is one run, although its database lies in files', async () => {
  const disk = await createDisk();
  const first = await runSeed('lost again', disk, { archives: true });
  await runSeed('another', disk, { archives: true });
  const again = await runSeed('lost again', disk, { archives: true });
  assert.is(again.hash, first.hash);
  assert.is(again.broken, undefined);
});

longTest(test)('one seed is one run: the same hash again, and after others', async () => {
  const disk = await createDisk();
  const first = await runSeed('again', disk);
  const other = await runSeed('other', disk);
  const again = await runSeed('again', disk);
  const fresh = await runSeed('again', await createDisk());
  assert.is(again.hash, first.hash);
  assert.is(fresh.hash, first.hash);
  assert.is.not(other.hash, first.hash);
  // The work that the first of these seeds still had under way at its end once reached the disk of the second.
  const alone = await runSeed('fresh-bf5fc327.39', disk);
  await runSeed('fresh-bf5fc327.38', disk);
  assert.is((await runSeed('fresh-bf5fc327.39', disk)).hash, alone.hash);
});

test('time waits for a commit that gathers works: nothing is late because nothing else happens', async () => {
  const disk = await createDisk();
  const { after: happens, now, until } = virtualTime(0, chanceOf('any'), settleBy(disk.progress));
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

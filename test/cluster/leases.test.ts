/** Leases: one holder at a time, an epoch for each, and nothing written under one that is over. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LeaseLost } from '../../cluster/cluster.ts';
import {
  giveLeaseBack,
  type Lease,
  leaseMs,
  takeLease,
  transactUnderLease,
  workUnderLease,
} from '../../cluster/nodes/leases.ts';
import type { Database } from '../../runtime/database/database.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { steppedClock, withNodeTables } from './nodes-world.ts';

const test = suite('leases');
const name = 'retention';

/** Lets a lease's time run out by the database's clock. */
const runOut = (db: Database): Promise<unknown> => db('leases').where({ name }).update({ until_at: 1 });

test('one process holds a lease, renews it in the same epoch, and the next one begins another', () =>
  withNodeTables(async (db) => {
    const first = await takeLease(db, name, 'a');
    assert.equal(first, { name, epoch: 1 });
    assert.is(await takeLease(db, name, 'b'), undefined);
    assert.equal(await takeLease(db, name, 'a'), { name, epoch: 1 });
    await runOut(db);
    assert.equal(await takeLease(db, name, 'b'), { name, epoch: 2 });
    assert.is(await takeLease(db, name, 'a'), undefined);
    await giveLeaseBack(db, { name, epoch: 1 });
    assert.is(await takeLease(db, name, 'a'), undefined, 'an epoch that is over gives nothing back');
    await giveLeaseBack(db, { name, epoch: 2 });
    assert.equal(await takeLease(db, name, 'a'), { name, epoch: 3 });
  }));

test('a holder that let its own lease run out begins a new epoch, too: another may have worked meanwhile', () =>
  withNodeTables(async (db) => {
    await takeLease(db, name, 'a');
    await runOut(db);
    assert.equal(await takeLease(db, name, 'a'), { name, epoch: 2 });
  }));

test('of many that ask at once one gets it', () =>
  withNodeTables(async (db) => {
    const asked = await Promise.all(Array.from({ length: 8 }, (_, at) => takeLease(db, name, `holder ${at}`)));
    assert.is(asked.filter((lease) => lease !== undefined).length, 1);
  }));

test('a transaction under a lease that is over writes nothing', () =>
  withNodeTables(async (db) => {
    const lease = (await takeLease(db, name, 'a')) as Lease;
    const write = (under: Lease, other: string) =>
      transactUnderLease(db, under, (trx) =>
        trx('leases').insert({ name: other, holder: 'x', epoch: 1, until_at: 0 }),
      ).then(
        () => 'written',
        (error: unknown) => (error instanceof LeaseLost ? 'lost' : String(error)),
      );
    assert.is(await write(lease, 'one'), 'written');
    await runOut(db);
    assert.is(await write(lease, 'two'), 'lost');
    const next = (await takeLease(db, name, 'b')) as Lease;
    assert.is(await write(lease, 'three'), 'lost');
    assert.is(await write(next, 'four'), 'written');
    assert.equal((await db('leases').orderBy('name').pluck('name')) as string[], ['four', 'one', name]);
  }));

test('work begins with its lease, ends when it is lost, and begins again when it is back', () =>
  withNodeTables(async (db) => {
    const clock = steppedClock();
    const told: string[] = [];
    const deps = { db, clock, logger: silentLogger, holder: 'a' };
    const work = workUnderLease(deps, name, ({ epoch }) => {
      told.push(`begun ${epoch}`);
      return () => void told.push('ended');
    });
    await clock.elapses(0);
    assert.equal([told, work.held()?.epoch], [['begun 1'], 1]);
    await clock.elapses(5_000);
    assert.equal(told, ['begun 1'], 'renewing is no beginning');
    await runOut(db);
    const other = (await takeLease(db, name, 'b')) as Lease;
    await clock.elapses(5_000);
    assert.equal([told, work.held()], [['begun 1', 'ended'], undefined]);
    await giveLeaseBack(db, other);
    await clock.elapses(5_000);
    assert.equal(told, ['begun 1', 'ended', 'begun 3']);
    await work.stop();
    assert.equal(told, ['begun 1', 'ended', 'begun 3', 'ended']);
    assert.equal(await takeLease(db, name, 'b'), { name, epoch: 4 }, 'it was given back');
  }));

test('a process that was paused for longer than its lease does not count it as held', () =>
  withNodeTables(async (db) => {
    const clock = steppedClock();
    const work = workUnderLease({ db, clock, logger: silentLogger, holder: 'a' }, name, () => () => {});
    await clock.elapses(0);
    assert.is(work.held()?.epoch, 1);
    const { now } = clock;
    const paused = { ...clock, now: () => now() + leaseMs };
    Object.assign(clock, { now: paused.now });
    assert.is(work.held(), undefined);
    await work.stop();
  }));

test('work ends before its time is up while the database does not answer', () =>
  withNodeTables(async (db) => {
    const clock = steppedClock();
    const told: string[] = [];
    const work = workUnderLease({ db, clock, logger: silentLogger, holder: 'a' }, name, () => {
      told.push('begun');
      return () => void told.push('ended');
    });
    await clock.elapses(0);
    await db.schema.renameTable('leases', 'away');
    await clock.elapses(5_000);
    assert.equal(told, ['begun'], 'one failure is none');
    await clock.elapses(5_000);
    assert.equal(told, ['begun', 'ended']);
    await db.schema.renameTable('away', 'leases');
    await clock.elapses(5_000);
    assert.is(told.length, 3, 'it goes on when the database is back');
    await work.stop();
  }));

test('a process that is stopped while it asks begins nothing, and gives back what it got', () =>
  withNodeTables(async (db) => {
    const begun: string[] = [];
    const deps = { db, clock: steppedClock(), logger: silentLogger, holder: 'a' };
    const work = workUnderLease(deps, name, () => {
      begun.push('begun');
      return () => {};
    });
    await work.stop();
    assert.equal(begun, []);
    assert.equal((await takeLease(db, name, 'b'))?.epoch, 2);
  }));

test.run();

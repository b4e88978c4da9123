/**
 * Work that one process at a time does, no matter which: a row records who, until when, and how often the lease was
 * taken (its epoch). A process writes under a lease only in a transaction that has found its epoch still in force, so
 * that one which slept through the end of its lease does no harm.
 */
import type { Timer } from '../../runtime/clock.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { type Database, isPostgres, type Transaction, transactAlone } from '../../runtime/database/database.ts';
import { databaseNow } from '../../runtime/database/database-time.ts';
import { LeaseLost } from '../cluster.ts';
import type { NodeMeter } from './node-measures.ts';

/**
 * The time for which a lease is given, and the interval at which it is renewed, or tried for: sixteen seconds after its
 * holder was killed another process has it.
 */
export const leaseMs = 12_000;
const renewMs = 4_000;

/** A lease that is held. */
export interface Lease {
  readonly name: string;
  readonly epoch: number;
}

/**
 * Takes a lease that nobody holds, or renews one's own.
 * @returns the lease, undefined while somebody else holds it
 */
export async function takeLease(db: Database, name: string, holder: string): Promise<Lease | undefined> {
  const now = databaseNow(db);
  const taken = await db('leases')
    .insert({ name, holder, epoch: 1, until_at: db.raw(`${now} + ?`, [leaseMs]) })
    .onConflict('name')
    .merge({
      holder,
      epoch: db.raw(
        `leases.epoch + case when leases.holder = excluded.holder and leases.until_at > ${now} then 0 else 1 end`,
      ),
      until_at: db.raw(`${now} + ?`, [leaseMs]),
    })
    .whereRaw(`leases.until_at <= ${now} or leases.holder = excluded.holder`)
    .returning('epoch');
  const epoch = taken[0]?.epoch;
  return epoch === undefined ? undefined : { name, epoch: Number(epoch) };
}

/** Gives a lease back, so that the next holder need not wait for its end. */
export async function giveLeaseBack(db: Database, { name, epoch }: Lease): Promise<void> {
  await db('leases').where({ name, epoch }).update({ until_at: 0 });
}

/**
 * Runs a transaction under a lease: its row is locked until the commit, and nobody takes it meanwhile.
 * @throws LeaseLost when another epoch has begun, or this one has ended
 */
export function transactUnderLease<Result>(
  db: Database,
  lease: Lease,
  work: (trx: Transaction) => Promise<Result>,
): Promise<Result> {
  return transactAlone(db, async (trx) => {
    const { name, epoch } = lease;
    const query = trx('leases')
      .where({ name, epoch })
      .whereRaw(`until_at > ${databaseNow(trx)}`);
    const held = await (isPostgres(trx) ? query.forShare() : query).first('name');
    if (held === undefined) throw new LeaseLost(lease);
    return work(trx);
  });
}

/** Dependencies of work under a lease. `holder` names this process. */
export interface LeasedWorkDeps extends Pick<CommonDeps, 'db' | 'clock' | 'logger'> {
  readonly meter?: NodeMeter | undefined;
  readonly holder: string;
}

/** Work that goes on for as long as its lease is held. */
export interface LeasedWork {
  /** The lease, while it is held here as far as is known. */
  held(): Lease | undefined;
  /** Ends the work and gives the lease back. */
  stop(): Promise<void>;
}

/**
 * Tries for a lease until it is held, calls `begin` then, and calls what that returned when the lease is lost or given
 * back. It counts as lost when it could not be renewed in time, also while the database does not answer.
 */
export function workUnderLease(
  { db, clock, logger, meter, holder }: LeasedWorkDeps,
  name: string,
  begin: (lease: Lease) => () => void | Promise<void>,
): LeasedWork {
  let lease: Lease | undefined;
  let end: (() => void | Promise<void>) | undefined;
  let renewedAt = 0;
  let timer: Timer | undefined;
  let isStopped = false;
  let trying: Promise<void> = Promise.resolve();

  async function lose(state: 'lost' | 'returned'): Promise<void> {
    const ending = end;
    if (lease !== undefined) {
      const { epoch } = lease;
      meter?.count('papergate_lease_changes_total', { state });
      if (state === 'returned') logger.info({ lease: name, epoch }, 'this node gives the lease back');
      else logger.warn({ lease: name, epoch }, 'this node has lost the lease: it was not renewed in time');
    }
    lease = undefined;
    end = undefined;
    await ending?.();
  }

  async function tryOnce(): Promise<void> {
    const askedAt = clock.now();
    const taken = await takeLease(db, name, holder).catch((error: unknown) => {
      logger.debug({ lease: name, error }, 'a lease could not be asked for');
      // Nobody else has it while the database is away, but its time runs out all the same.
      return askedAt - renewedAt < leaseMs - renewMs ? lease : undefined;
    });
    if (taken !== undefined && taken !== lease) renewedAt = askedAt;
    if (lease !== undefined && taken?.epoch !== lease.epoch) await lose('lost');
    if (taken === undefined) return;
    const isNew = lease === undefined;
    lease = taken;
    if (!isNew || isStopped) return;
    meter?.count('papergate_lease_changes_total', { state: 'taken' });
    logger.info({ lease: name, epoch: taken.epoch }, 'this node holds the lease now');
    end = begin(taken);
  }

  const keepTrying = (): void => {
    trying = tryOnce().finally(() => {
      if (!isStopped) timer = clock.after(renewMs, keepTrying);
    });
    trying.catch((error: unknown) => logger.error({ lease: name, error }, 'work under a lease failed'));
  };
  keepTrying();

  return {
    held: () => (lease !== undefined && clock.now() - renewedAt < leaseMs ? lease : undefined),
    async stop() {
      isStopped = true;
      timer?.cancel();
      await trying.catch(() => {});
      const held = lease;
      await lose('returned');
      if (held !== undefined) await giveLeaseBack(db, held).catch(() => {});
    },
  };
}

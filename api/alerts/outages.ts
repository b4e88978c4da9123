/**
 * Outages: one row for each, from when a condition is first seen until it has been gone for a while. Each is reported once, and
 * so is its end (INV-90).
 */

import type { SingleTask } from '../../cluster/cluster.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import type { Random } from '../../runtime/random.ts';
import { conditionOfService } from './look-at-service.ts';
import { oweNotices } from './notices.ts';
import { type Condition, holdMs, type OutageKind, type OutageRow, outageKinds } from './outage-kinds.ts';

export interface OutageDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  /** Of several nodes one records. */
  readonly single: SingleTask;
}

/** The most outages that one transaction changes. */
const portion = 200;

const keyOf = (organizationId: string | null, kind: string, subject: string): string =>
  JSON.stringify([organizationId, kind, subject]);

/** The changes of outages that a pass found necessary. */
interface Changes {
  readonly begin: readonly Condition[];
  readonly resume: readonly OutageRow[];
  readonly forget: readonly OutageRow[];
  readonly tell: readonly OutageRow[];
  readonly end: readonly OutageRow[];
  readonly close: readonly OutageRow[];
}

/** Compares the present troubles with the open outages. Pure. */
export function compareOutages(
  open: readonly OutageRow[],
  found: readonly Condition[],
  looked: ReadonlySet<OutageKind>,
  now: number,
): Changes {
  const present = new Set(found.map((one) => keyOf(one.organizationId, one.kind, one.subject)));
  const known = new Set(open.map((row) => keyOf(row.organization_id, row.kind, row.subject)));
  const lasts = (row: OutageRow): boolean =>
    looked.has(row.kind) ? present.has(keyOf(row.organization_id, row.kind, row.subject)) : row.ended_at === null;
  return {
    begin: found.filter((one) => !known.has(keyOf(one.organizationId, one.kind, one.subject))),
    resume: open.filter((row) => row.ended_at !== null && lasts(row)),
    forget: open.filter((row) => row.told_at === null && !lasts(row)),
    tell: open.filter((row) => row.told_at === null && row.tell_at <= now && lasts(row)),
    end: open.filter((row) => row.told_at !== null && row.ended_at === null && !lasts(row)),
    close: open.filter((row) => row.ended_at !== null && (row.closes_at ?? 0) <= now && !lasts(row)),
  };
}

const openRows = (db: Database) => db<OutageRow>('alert_outages').whereNull('closed_at');

/**
 * Writes the changes since the last pass, and nothing where nothing changed.
 * @param looked the kinds that were examined: outages of others stay as they are
 */
export async function recordOutages(
  deps: OutageDeps,
  found: readonly Condition[],
  looked: ReadonlySet<OutageKind>,
): Promise<void> {
  const now = deps.clock.now();
  const { begin, resume, forget, tell, end, close } = compareOutages(await openRows(deps.db), found, looked, now);
  const each = async <Item>(
    items: readonly Item[],
    write: (trx: Transaction, some: readonly Item[]) => Promise<void>,
  ): Promise<void> => {
    for (let from = 0; from < items.length; from += portion) {
      const some = items.slice(from, from + portion);
      await deps.single.transact(deps.db, (trx) => write(trx, some));
    }
  };
  await each(begin, (trx, some) => beginOutages(trx, deps.random, some, now));
  await each(resume, (trx, some) => changeOutages(trx, some, { ended_at: null, closes_at: null }));
  await each(forget, async (trx, some) => void (await rowsOf(trx, some).delete()));
  await each(tell, async (trx, some) => {
    await changeOutages(trx, some, { told_at: now });
    await oweNotices(trx, { outages: some, phase: 'began' }, { now, random: deps.random });
  });
  await each(end, (trx, some) => changeOutages(trx, some, { ended_at: now, closes_at: now + holdMs }));
  await each(close, (trx, some) => closeOutages(trx, deps.random, some, now));
}

const rowsOf = (trx: Database, rows: readonly Pick<OutageRow, 'id'>[]) =>
  trx<OutageRow>('alert_outages').whereIn(
    'id',
    rows.map(({ id }) => id),
  );

async function changeOutages(trx: Transaction, rows: readonly OutageRow[], change: Partial<OutageRow>): Promise<void> {
  await rowsOf(trx, rows).update(change);
}

/** Opens outages; those that need not settle are reported in the same moment. */
async function beginOutages(trx: Transaction, random: Random, found: readonly Condition[], now: number): Promise<void> {
  const organizations: string[] = await trx('organizations')
    .whereIn('id', [...new Set(found.flatMap(({ organizationId }) => organizationId ?? []))])
    .pluck('id');
  // An organization may have been removed since it was looked at.
  const theirs = found.filter(
    ({ organizationId }) => organizationId === null || organizations.includes(organizationId),
  );
  const rows = theirs.map(({ organizationId, kind, subject, name, since }) => {
    const tell_at = now + outageKinds[kind].settleMs;
    return {
      id: random.id(),
      organization_id: organizationId,
      kind,
      subject,
      name: name.slice(0, 200),
      since: Math.min(since, now),
      opened_at: now,
      tell_at,
      told_at: tell_at <= now ? now : null,
    };
  });
  await trx.batchInsert('alert_outages', rows, 50);
  const outages = rows.filter(({ told_at }) => told_at !== null);
  await oweNotices(trx, { outages, phase: 'began' }, { now, random });
}

/** Closes outages, and owes their end, but for what was removed or handed over meanwhile: that is not "back". */
async function closeOutages(trx: Transaction, random: Random, rows: readonly OutageRow[], now: number): Promise<void> {
  await changeOutages(trx, rows, { closed_at: now });
  const there = new Set<string>();
  for (const table of ['devices', 'papers'] as const) {
    const found: { id: string; organization_id: string }[] = await trx(table)
      .whereIn(
        'id',
        rows.map(({ subject }) => subject),
      )
      .select('id', 'organization_id');
    for (const { id, organization_id } of found) there.add(`${organization_id} ${id}`);
  }
  const isGone = ({ kind, subject, organization_id }: OutageRow): boolean =>
    ['device', 'paper'].includes(outageKinds[kind].of) && !there.has(`${organization_id} ${subject}`);
  const outages = rows.filter((row) => !isGone(row));
  await oweNotices(trx, { outages, phase: 'ended' }, { now, random });
}

/** Records something about the service that no look finds by itself. */
export async function recordServiceOutage(deps: OutageDeps, kind: OutageKind, isSo: boolean, name = ''): Promise<void> {
  const found = isSo ? [{ ...conditionOfService(kind, deps.clock.now()), name }] : [];
  await recordOutages(deps, found, new Set([kind]));
}

/**
 * Records whether the second place of the archive takes what it is given.
 * @param since when it began not to, epoch milliseconds; undefined while it does
 */
export async function recordArchive(deps: OutageDeps, since: number | undefined): Promise<void> {
  const found = since === undefined ? [] : [conditionOfService('archive-waits', since)];
  await recordOutages(deps, found, new Set(['archive-waits']));
}

/**
 * Lists the outages of an organization that were reported and are not closed, the newest first: those that last, and those that
 * ended a moment ago and are the same ones if they begin again.
 */
export const unclosedOutages = (db: Database, organizationId: string): Promise<OutageRow[]> =>
  openRows(db).where({ organization_id: organizationId }).whereNotNull('told_at').orderBy('since', 'desc');

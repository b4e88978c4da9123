/** Makes prepared deliveries `synced` whose frame has proven that it shows them. */
import { isTakenSql } from '../../gateway/pictures/evidence.ts';
import { type Transaction, transact } from '../../runtime/database/database.ts';
import { allRows, changeRows } from '../../runtime/database/plain-sql.ts';
import { countMove, moveDelivery } from '../delivery-state/move-delivery.ts';
import type { DeliveryRow, OpenRequest } from '../delivery-state/states.ts';
import { missingProof } from '../delivery-state/weigh-evidence.ts';
import { revisionOf } from '../devices/shown-item.ts';
import type { LineDeps } from './line-deps.ts';

/** A delivery is looked at again after this time, whatever was reported of its frame. */
const recheckMs = 60_000;
/** One whose picture was not taken can only be proven after its frame has fetched it, which is reported. */
const recheckUntakenMs = 300_000;

/** It is written out: SQLite plans a statement again at each binding that a partial index could depend on. */
const isPrepared = "state = 'prepared'";
const isDue = `${isPrepared} and due_at <= ?`;
const isTaken = isTakenSql('deliveries.upload_id');
const ofFrames = (serials: readonly string[]): string =>
  `select * from deliveries where ${isPrepared} and due_at is not null and serial in (${serials.map(() => '?').join()})`;

/**
 * Weighs deliveries of frames that just reported, and deliveries not looked at for a while. Those whose pictures were not
 * taken yet are put off with one statement: most of a fleet sleeps.
 * @param reported serials of the frames that something was recorded for since the last pass
 */
export async function confirmSync(deps: LineDeps, reported: readonly string[]): Promise<void> {
  const { db, clock, random } = deps;
  const now = clock.now();
  const due = await weighable(deps, now);
  // Two queries are made, each with an index of its own: one with `or` would read every delivery there ever was.
  const told = reported.length === 0 ? [] : await allRows<DeliveryRow>(db, ofFrames(reported), reported);
  const both = new Map([...due, ...told].map((delivery) => [delivery.id, delivery]));
  for (const delivery of both.values()) {
    if (!(await isProven(deps, delivery, now))) {
      await changeRows(db, `update deliveries set due_at = ? where ${isPrepared} and id = ?`, [
        now + recheckMs,
        delivery.id,
      ]);
      continue;
    }
    const synced = await transact(db, async (trx) => {
      const request = await trx<OpenRequest>('content_requests').where({ id: delivery.request_id }).first();
      // INV-53: nothing moves for a connection that was revoked.
      if (request === undefined || request.state === 'revoked') return undefined;
      // INV-39: the frame may have been offered something else since it was weighed.
      if (!(await isProven(deps, delivery, now, trx))) return undefined;
      return (await moveDelivery(trx, { request, delivery, to: 'synced' }, now, random)) ? request : undefined;
    });
    if (synced !== undefined) countMove(deps.meter, 'synced', synced, now);
  }
}

/** Reads the due deliveries whose pictures were taken, and puts the others off. */
async function weighable({ db }: Pick<LineDeps, 'db'>, now: number): Promise<DeliveryRow[]> {
  const due = await allRows<DeliveryRow & { readonly taken: 0 | 1 }>(
    db,
    `select *, case when ${isTaken} then 1 else 0 end as taken from deliveries where ${isDue}`,
    [now],
  );
  const taken = due.filter((delivery) => delivery.taken === 1);
  if (taken.length < due.length) {
    const putOff = `update deliveries set due_at = ? where ${isDue} and not ${isTaken}`;
    await changeRows(db, putOff, [now + recheckUntakenMs, now]);
  }
  return taken;
}

/** Asks if a prepared delivery lacks no proof any longer, as the transaction sees it when one is given. */
export async function isProven(
  { gateway }: Pick<LineDeps, 'gateway'>,
  { upload_id: uploadId, request_id: id }: DeliveryRow,
  now: number,
  within?: Transaction,
): Promise<boolean> {
  const evidence = uploadId === null ? undefined : await gateway.evidence(uploadId, within);
  return evidence !== undefined && missingProof(evidence, revisionOf({ kind: 'content', id }), now).length === 0;
}

/** A record of an HTTP world: pictures that hung one after another. */
import type { IntervalRow } from '../../api/record/intervals.ts';
import { receiptChain } from '../../api/record/receipts.ts';
import type { HttpWorld } from '../http/world.ts';
import { recordRows } from '../schemas/record-rows.ts';

const hourMs = 3_600_000;

/** Writes intervals of an hour each, with their receipts; the last one still hangs. */
export async function hung(
  { db, admin, random, clock }: HttpWorld,
  titles: readonly string[],
  serial = 'epd7-00000000beef',
) {
  const begin = clock.now() - titles.length * hourMs;
  await db.transaction(async (trx) => {
    const chain = receiptChain(trx, clock.now());
    for (const [at, title] of titles.entries()) {
      const [made] = recordRows(admin.organizationId, serial, begin + at * hourMs).wall_intervals;
      const isLast = at === titles.length - 1;
      const until = isLast ? null : begin + (at + 1) * hourMs;
      const row = { ...made, id: random.id(), title, until, ended: isLast ? null : 'replaced' } as IntervalRow;
      await trx('wall_intervals').insert(row);
      await chain.hung(row);
      if (!isLast) await chain.ended(row);
    }
    await chain.write();
  });
  return begin;
}

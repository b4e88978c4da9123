/** The common steps of showing pictures at their time on papers and on devices. */
import type { Transaction } from '../../runtime/database/database.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Principal } from '../access/principal.ts';
import { type TimedPlan, type TimedRow, timedPictures } from '../delivery-state/timed-rows.ts';
import { directoryStore } from '../directory/store.ts';
import type { OfferImageDeps } from '../uploads/offer-image.ts';

export interface TimedDeps extends OfferImageDeps {
  readonly logger: Logger;
}

/** A picture that cannot be shown ends; then the plan is made again. */
export type TimedOutcome = 'again' | 'done';

/** Writes down how the pictures of a place fare. */
export async function settleTimed(trx: Transaction, { ended, top, beneath }: TimedPlan, now: number): Promise<void> {
  const timed = timedPictures(trx);
  for (const [row, state] of ended) await timed.end(row.id, state, now);
  for (const row of beneath) await timed.change(row.id, { state: 'interrupted', due_at: row.show_until }, now);
  if (top !== undefined) {
    const shown = { state: 'showing', due_at: top.show_until, shown_at: top.shown_at ?? now } as const;
    await timed.change(top.id, shown, now);
  }
}

/** The person who sent the picture must still be allowed to when its time comes. */
export async function senderOfTimed(db: TimedDeps['db'], { account_id: accountId }: TimedRow): Promise<Principal> {
  return { accountId, memberships: await directoryStore(db).membershipsOf(accountId) };
}

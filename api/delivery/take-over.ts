/** Gives back the claims of a node that is gone, so that the others do its work. */
import { ofGoneNode } from '../../cluster/nodes/gone-nodes.ts';
import type { LineDeps } from './line-deps.ts';
import { forgetMadePictures } from './picture-claims.ts';

/** A frame heard this recently may have proven something that a node did not weigh before it was gone. */
const heardLatelyMs = 60_000;

type TakeOverDeps = Pick<LineDeps, 'db' | 'clock' | 'logger' | 'meter' | 'cluster'>;

/**
 * Gives back the deliveries, callbacks and pictures of nodes that are gone. A delivery's attempt counts (INV-28); a
 * node that ends it late finds the claim gone.
 * @returns how many there were
 */
export async function giveBackClaims({ db, clock, logger, meter, cluster }: TakeOverDeps): Promise<number> {
  const now = clock.now();
  const gone = ofGoneNode(db, 'claimed_by', cluster);
  // A state that is bound has SQLite plan the statement again at each run, since an index holds the failed ones alone.
  const deliveries: number = await db('deliveries')
    .whereRaw(`${gone} and state = 'pending'`)
    .update({ claimed_by: null, due_at: now });
  const callbacks: number = await db('callback_events')
    .whereRaw(gone)
    .whereNotNull('due_at')
    .update({ claimed_by: null, due_at: now });
  const pictures: number = await db('made_pictures').whereRaw(gone).update({ claimed_by: null, changed_at: now });
  await forgetMadePictures(db, now);
  const given = deliveries + callbacks + pictures;
  if (given === 0) return 0;
  for (const [kind, count] of [
    ['delivery', deliveries],
    ['callback', callbacks],
    ['picture', pictures],
  ] as const) {
    if (count > 0) meter?.count('papergate_claims_returned_total', { kind }, count);
  }
  logger.info({ deliveries, callbacks, pictures }, 'gave back what a node that is gone had begun');
  return given;
}

/** Has the proof of frames that were just heard weighed: a node that is gone may have heard them last. */
export async function weighAnew({ db, clock }: Pick<TakeOverDeps, 'db' | 'clock'>): Promise<void> {
  const now = clock.now();
  await db('deliveries')
    .where({ state: 'prepared' })
    .where('due_at', '>', now)
    .whereIn(
      'serial',
      db('frames')
        .where('last_contact_at', '>', now - heardLatelyMs)
        .select('serial'),
    )
    .update({ due_at: now });
}

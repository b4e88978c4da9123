/** Updates the record of what a device shows, which makes delivery draw or offer it again. */
import { type Reasons, storedReasons } from '../../reasons/reason.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import { revisionOf, type ShownItem } from './shown-item.ts';

/** A picture of a paper that a device was offered, or has already. */
export interface RememberedPicture {
  readonly deviceId: string;
  readonly paperId: string;
  readonly shown: ShownItem;
  readonly edition: number;
  /** The position in the series of the paper's pictures; left out, the first. */
  readonly position?: number | undefined;
  /** The moment for which the picture was made, epoch milliseconds; left out, now. */
  readonly madeFor?: number | undefined;
  /** The remark about the picture, for `why`. */
  readonly remarks?: Reasons | undefined;
}

/** An edition that no paper has. */
const noEdition = -1;

/**
 * A picture was offered, or the frame has it: nothing is due, and the next picture continues from the position of this
 * one.
 */
export async function rememberPicture(
  trx: Transaction,
  { deviceId, paperId, shown, edition, position = 0, madeFor, remarks = [] }: RememberedPicture,
  now: number,
): Promise<void> {
  const row = {
    paper_id: paperId,
    revision: revisionOf(shown),
    edition,
    attempts: 0,
    due_at: now,
    problem: null,
    updated_at: now,
    remark: remarks.length === 0 ? null : storedReasons(remarks),
    render_due_at: null,
    made_for: madeFor ?? now,
    turn: position + 1,
  };
  await trx('shown_pictures')
    .insert({ device_id: deviceId, ...row })
    .onConflict('device_id')
    .merge(row);
}

/**
 * Makes the picture again, because something it depends on besides its paper was changed. It is offered if a pixel
 * differs.
 */
export async function drawAgain(trx: Transaction, deviceId: string): Promise<void> {
  await trx('shown_pictures').where({ device_id: deviceId }).update({ edition: noEdition });
}

/** Tries a paper again whose picture could not be made; a picture that was made stays as it is. */
export async function tryAnew(trx: Transaction, deviceId: string): Promise<void> {
  await trx('shown_pictures').where({ device_id: deviceId }).whereNotNull('problem').update({ edition: noEdition });
}

/** Asks for the paper's next picture: slides go on, pages are drawn again (C-49). */
export async function drawNext(trx: Transaction, paperId: string, now: number): Promise<void> {
  await trx('shown_pictures')
    .where({ paper_id: paperId })
    .whereNot({ revision: '' })
    .update({ render_due_at: now, attempts: 0 });
}

/** Makes the pictures of devices due: they are drawn again, and offered where a pixel changed. */
export const drawAgainOn = (db: Database, deviceIds: readonly string[], now: number): Promise<number> =>
  db('shown_pictures')
    .whereIn('device_id', [...deviceIds])
    .update({ render_due_at: now, attempts: 0 });

/**
 * Forgets what the frame was last offered of its paper, because it showed something else meanwhile; the paper is
 * offered again.
 */
export async function forgetShown(trx: Transaction, deviceId: string): Promise<void> {
  await trx('shown_pictures').where({ device_id: deviceId }).delete();
}

/**
 * The first start over a database that was restored from a backup. Frames and the world went on after it was made: what
 * frames have been sent and have reported since is unknown here, so nothing from before the restore may prove anything
 * after it (INV-91, docs/decisions/0043).
 */

import { limits } from '../firmware-protocol/limits.ts';
import { nextFileVersion } from '../firmware-protocol/versions.ts';
import { reasonOf, storedReasons } from '../reasons/reason.ts';
import { type Database, type Transaction, transact } from '../runtime/database/database.ts';
import { changeRows } from '../runtime/database/plain-sql.ts';
import { changeFact, forgetFact, readFact } from '../runtime/database/service-facts.ts';
import type { Moment } from '../runtime/moment.ts';
import type { Random } from '../runtime/random.ts';
import { type EventFacts, recordFrameEvent } from './frames/event-log.ts';
import type { FrameRow } from './frames/registry.ts';
import { uploadLog } from './pictures/upload-log.ts';
import type { UploadRow } from './pictures/upload-row.ts';

/**
 * How far the versions of every frame are raised: above all that it may have been given since the backup. A version is
 * the time in seconds unless it ran ahead, by an offer or by a clock that was wrong; this allows for more than a day of it.
 */
export const versionStride = 100_000;

/** The reason for which an offer begins again, as the frame's event states it. */
const because = 'the service was restored from a backup';

/** SQL that marks rows as restored, with the time as text: the next start takes up from there, whatever version made them. */
export const restoredMark = `insert into service_facts (name, value) values ('restored', ?)
  on conflict (name) do update set value = excluded.value`;

/**
 * Takes up work over a database that was marked as restored, in one transaction: a start that is killed does it again, and
 * of several processes one does it. The time stays as a fact: what a glass showed before it proves nothing after it.
 * @returns true when it was marked
 */
export async function takeUpRestored(
  db: Database,
  { random, now }: { readonly random: Random; readonly now: number },
): Promise<boolean> {
  if ((await readFact(db, 'restored')) === undefined) return false;
  return transact(db, async (trx) => {
    if ((await trx('service_facts').where({ name: 'restored' }).delete()) === 0) return false;
    await changeFact(trx, 'restored at', String(now));
    // Anyone who has the backup may have what its tickets were sealed with (T-120).
    await forgetFact(trx, 'tickets');
    await forgetReports(trx, now);
    await stopWhatWasOrdered(trx, now);
    const open = await trx<UploadRow>('uploads').where({ replaced_at: null, showing_of: null }).orderBy('id');
    for (const upload of open) await beginAnew(trx, upload, { now, random });
    return true;
  });
}

/**
 * Forgets what frames last reported and were sent, and raises their versions. A person may have reset a boot counter
 * since: the next one that a frame reports is right. A frame that was never offered anything stays one: its glass is
 * not to be cleared, and the first version that it is given is above the one that it reports.
 */
async function forgetReports(trx: Transaction, now: number): Promise<void> {
  const seconds = Math.floor(now / 1000);
  const most = limits.fileVersion - versionStride;
  await changeRows(
    trx,
    `update frames set cycle_upload = null, picture_synced = null, glass_sha256 = null, boot = null,
       announced_version = case when announced_version = 0 or announced_version > ? then announced_version
         when announced_version < ? then ? else announced_version + ? end`,
    [most, seconds, Math.min(limits.fileVersion, seconds + versionStride), versionStride],
  );
  // The sleep that a frame sends back may be of an answer that is not known here.
  await changeRows(trx, 'delete from polled_answers', []);
  await changeRows(trx, 'update offline_frames set wake_at = null, called_at = null, doubt = null', []);
}

/**
 * Stops what was to happen to frames: a command may have been carried out since, and a rollout stopped for a reason that is
 * not known here. Anyone who still wants it gives it again.
 */
async function stopWhatWasOrdered(trx: Transaction, now: number): Promise<void> {
  await changeRows(trx, "update frame_commands set expires_at = ? where state = 'queued' and expires_at > ?", [
    now,
    now,
  ]);
  await changeRows(
    trx,
    "update firmware_rollouts set state = 'paused', reason = ?, changed_at = ? where state = 'running'",
    [storedReasons(reasonOf('rollout-after-restore')), now],
  );
}

/** Offers a picture under a version that no frame has seen. What was on the glass before the backup stays in the history. */
async function beginAnew(trx: Transaction, upload: UploadRow, { now, random }: Moment): Promise<void> {
  const { id, serial } = upload;
  const log = uploadLog(trx);
  const frame = await trx<FrameRow>('frames').where({ serial }).first();
  if (frame === undefined) return;
  if (nextFileVersion(frame.reported_version, frame.announced_version, now) === undefined) {
    // Its next wake reports that no version is left.
    await log.forgetProof(serial);
    return;
  }
  const { file_version: fileVersion } = await log.offerAgain(upload, frame, { now, random });
  const payload: EventFacts = { stage: 'told again', uploadId: id, fileVersion, because };
  await recordFrameEvent(trx, random, { serial, type: 'picture', at: now, payload });
}

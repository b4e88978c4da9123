/** Deletes rows that outlived their use: requests after 30 days, callbacks with them, the log of who did what after 90. */
import { forgetUploads } from '../../gateway/pictures/collect-pictures.ts';
import { type Database, transact } from '../../runtime/database/database.ts';
import { auditLog } from '../audit/audit-log.ts';
import { forgetEvents } from '../callbacks/forget-events.ts';
import { forgetDeadlines } from '../deadlines/forget-deadlines.ts';
import { requestLifetimeMs } from '../delivery-state/states.ts';
import { timedPictures } from '../delivery-state/timed-rows.ts';
import { uploadAttempts } from '../delivery-state/upload-attempts.ts';
import { forgetSessions } from '../directory/sessions.ts';
import { forgetLinks } from '../directory/sign-in-links.ts';
import { forgetGuestLinks } from '../papers/guest-links.ts';
import { replacedPictures, takeBackMs } from '../papers/replaced-pictures.ts';
import { forgetShowings } from '../papers/sent-pictures.ts';
import { forgetPost } from '../picture-post/forget-post.ts';
import { forgetRecord } from '../record/record-settings.ts';
import { forgetLevelDays } from '../service-level/level.ts';
import { retentionDays } from './retention-days.ts';

const dayMs = 86_400_000;

/** The number of deleted rows of each kind. */
export interface Forgotten {
  readonly requests: number;
  readonly callbacks: number;
  readonly grants: number;
  readonly commands: number;
  readonly uploads: number;
  readonly sessions: number;
  readonly audited: number;
  /** Intervals of the wall's record that their organization has kept for long enough. */
  readonly recorded: number;
}

/**
 * Deletes old rows. Another run, also after the process was killed in the middle, deletes the rest. Current content is
 * never touched: it stands in `paper_contents` and outlives its request.
 */
export async function forgetOldRows(db: Database, now: number): Promise<Forgotten> {
  const callbacks = await forgetEvents(db, now - retentionDays.callbacks * dayMs);
  const requests = await transact(db, async (trx) => {
    const old = () => trx('content_requests').where('created_at', '<=', now - requestLifetimeMs);
    await trx('deliveries').whereIn('request_id', old().select('id')).delete();
    return old().delete();
  });
  const grants = await db('grants')
    .where('expires_at', '<', now - dayMs)
    .delete();
  await db('battery_days')
    .where('day', '<', Math.floor(now / dayMs) - retentionDays.battery)
    .delete();
  const commands = await db('frame_commands')
    .where('created_at', '<', now - retentionDays.commands * dayMs)
    .delete();
  const uploads = await forgetUploads(db, now);
  await forgetShowings(db);
  await forgetGuestLinks(db, now);
  await uploadAttempts(db).forget(now - retentionDays.uploads * dayMs);
  await replacedPictures(db).forget(now - takeBackMs);
  await timedPictures(db).forget(now - retentionDays.uploads * dayMs);
  await db('alert_outages')
    .where('closed_at', '<', now - retentionDays.outages * dayMs)
    .delete();
  await forgetDeadlines(db, now - retentionDays.deadlines * dayMs);
  const audited = await auditLog(db).forget(now - retentionDays.audit * dayMs);
  await forgetPost(db, now);
  await forgetLinks(db, now);
  await forgetLevelDays(db, now);
  const recorded = await forgetRecord(db, now);
  const sessions = await forgetSessions(db, now);
  return { requests, callbacks, grants, commands, uploads, sessions, audited, recorded };
}

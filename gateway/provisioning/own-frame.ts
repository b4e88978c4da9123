/**
 * The ownership of a frame: registration gives it to an owner, release takes it back, and nothing of its past is handed
 * on.
 */
import { clampSleepSeconds } from '../../firmware-protocol/sleep.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { Moment } from '../../runtime/moment.ts';
import { endCommands } from '../commands/command-log.ts';
import { recordFrameEvent } from '../frames/event-log.ts';
import { revokeOwned } from '../frames/owned-credentials.ts';
import { frameRegistry } from '../frames/registry.ts';
import { uploadLog } from '../pictures/upload-log.ts';

/**
 * Ends everything that a frame has of its present owner: offers and their addresses, its present cycle, waiting
 * commands, and reports about its glass (T-63). Its file versions go on (INV-32). It runs in the caller's transaction,
 * which sets the new owner.
 */
export async function changeHands(trx: Database, serial: string, { now: at, random }: Moment): Promise<void> {
  const { ownership } = await frameRegistry(trx).known(serial);
  await uploadLog(trx).endAll(serial, at);
  await endCommands(trx, serial, { now: at, random });
  const nothingSaid = { cycle_upload: null, picture_synced: null, glass_sha256: null, last_failure: null };
  await frameRegistry(trx).change(serial, { ownership: ownership + 1, ...nothingSaid }, at);
}

/** Activates a provisioned frame for its owner, in the caller's transaction. An active frame stays as it is. */
export async function activateFrame(
  trx: Database,
  serial: string,
  { now: at, random }: Moment,
): Promise<'unknown' | 'activated' | 'active'> {
  const frame = await frameRegistry(trx).find(serial);
  if (frame === undefined) return 'unknown';
  if (frame.activation === 'activated') return 'active';
  await frameRegistry(trx).setActivation(serial, 'activated', at);
  await recordFrameEvent(trx, random, { serial, type: 'activate', at, payload: { stage: 'registered' } });
  return 'activated';
}

/**
 * Releases a frame from its owner, in the caller's transaction. A classic frame is sent `not_started` at its next wake
 * (W-17). Credentials that the owner had made end: anyone who kept a copy of them could else speak for the next owner's
 * frame. Those that the operator made stay.
 */
export async function releaseFrame(trx: Database, serial: string, { now: at, random }: Moment): Promise<void> {
  await frameRegistry(trx).setActivation(serial, 'released', at);
  await changeHands(trx, serial, { now: at, random });
  await revokeOwned(trx, serial, at);
  // The next owner would not see these settings, so they go back to their defaults.
  const asNew = {
    update_schedule: null,
    flags: null,
    sleep_seconds: clampSleepSeconds(undefined),
    max_wakes_per_day: null,
    planned_changes: null,
    planned_deadlines: null,
  };
  await frameRegistry(trx).change(serial, asNew, at);
  await recordFrameEvent(trx, random, { serial, type: 'activate', at, payload: { stage: 'released' } });
}

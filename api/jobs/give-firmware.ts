/** Firmware in jobs: the job has a rollout of its own, which begins with no frames and is given them one after another. */
import { isNewerFirmware } from '../../firmware-protocol/firmware-version.ts';
import { firmwareKind } from '../../gateway/firmware/images.ts';
import type { FrameRow } from '../../gateway/frames/registry.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import type { DeviceRow } from '../devices/store.ts';
import type { FrameBefore, FrameChange } from './frame-change.ts';

type FirmwareChange = Extract<FrameChange, { kind: 'firmware' }>;

/**
 * Lists a frame for the job's rollout.
 * @returns what it ran before; undefined when it runs this version or a newer one
 * @throws Refusal `conflict` for a frame of another kind or dialect, and for one without hardware
 */
export async function offerFirmwareOfJob(
  trx: Transaction,
  { serial }: DeviceRow,
  { version, frameKind, rolloutId }: FirmwareChange,
): Promise<FrameBefore | undefined> {
  const frame = serial === null ? undefined : await trx('frames').where({ serial }).first();
  if (frame === undefined) throw refuse('conflict', { message: reasonOf('job-no-frame') });
  if (firmwareKind(frame.kind) !== frameKind || frame.dialect === 'classic') {
    throw refuse('conflict', { message: reasonOf('device-does-not-fit') });
  }
  if (frame.firmware !== null && !isNewerFirmware(version, frame.firmware)) return undefined;
  await trx('firmware_rollout_frames')
    .insert({ rollout_id: rolloutId, serial: frame.serial, ownership: frame.ownership })
    .onConflict(['rollout_id', 'serial'])
    .ignore();
  return { kind: 'firmware', version: frame.firmware };
}

/** Reads how the offers of a job's rollout ended, by serial; frames whose offer is open are left out. */
export async function endedOffersOf(
  db: Database,
  { rolloutId }: FirmwareChange,
  serials: readonly FrameRow['serial'][],
): Promise<ReadonlyMap<string, 'updated' | 'failed' | 'lost'>> {
  const rows: { serial: string; outcome: 'updated' | 'failed' | 'lost' }[] = await db('firmware_offers')
    .where({ rollout_id: rolloutId })
    .whereIn('serial', [...serials])
    .whereNotNull('outcome')
    .select('serial', 'outcome');
  return new Map(rows.map(({ serial, outcome }) => [serial, outcome]));
}

/** Whose a frame is: made somebody's by registration, nobody's by a person's wish. */
import type { Database } from '../runtime/database.ts';
import type { Random } from '../runtime/random.ts';
import { recordEvent } from './event-log.ts';
import { frameRegistry } from './registry.ts';

/** Makes a provisioned frame somebody's, in the caller's transaction. One that is already stays as it is. */
export async function activateFrame(
  trx: Database,
  serial: string,
  at: number,
  random: Random,
): Promise<'unknown' | 'activated' | 'active'> {
  const frame = await frameRegistry(trx).find(serial);
  if (frame === undefined) return 'unknown';
  if (frame.activation === 'activated') return 'active';
  await frameRegistry(trx).setActivation(serial, 'activated', at);
  await recordEvent(trx, random, { serial, type: 'activate', at, payload: { stage: 'registered' } });
  return 'activated';
}

/** Makes it nobody's, in the caller's transaction: a classic frame is told `not_started` at its next wake (W-17). */
export async function releaseFrame(trx: Database, serial: string, at: number, random: Random): Promise<void> {
  await frameRegistry(trx).setActivation(serial, 'released', at);
  // Nobody who registers it anew would see them.
  await frameRegistry(trx).change(serial, { update_schedule: null }, at);
  await recordEvent(trx, random, { serial, type: 'activate', at, payload: { stage: 'released' } });
}

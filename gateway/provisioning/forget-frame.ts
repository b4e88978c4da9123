/** Forgets a frame without a board: nobody will ever log in with its serial again. */
import type { Transaction } from '../../runtime/database/database.ts';
import { serialKey } from '../frames/registry.ts';

/**
 * The rows that are kept under a serial, each before those it refers to. Rollouts of all frames of a kind go on without it.
 */
const tables = [
  ...[
    'simulated_frames',
    'frame_keys',
    'polled_answers',
    'offline_frames',
    'frame_conflicts',
    'battery_days',
    'frame_watch',
  ],
  ...['frame_commands', 'frame_events', 'uploads', 'firmware_offers', 'firmware_rollout_frames'],
  ...['firmware_rollouts', 'frame_certificates', 'frames'],
] as const;

/**
 * Deletes a frame with its history and its credentials, in the caller's transaction. Frames of hardware are released
 * instead: their serials are written on boards.
 */
export async function forgetFrame(trx: Transaction, serial: string): Promise<void> {
  for (const table of tables) {
    await trx(table)
      .where({ serial: serialKey(serial) })
      .delete();
  }
}

/** Simulated frames, which the service plays itself. A frame is one of them while it has a row here. */

import type { Database } from '../../runtime/database/database.ts';
import { allRows, changeRows } from '../../runtime/database/plain-sql.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import { serialKey } from './registry.ts';
import type { framesTables } from './tables.ts';

/** A row of `simulated_frames`. */
export type SimulatedRow = RowIn<
  typeof framesTables,
  'simulated_frames',
  { dialect: 'native' | 'trmnl'; orientation: 'landscape' | 'portrait' }
>;

/** SQL that is true for the serial of a simulated frame. There are a few rows in all, so that it costs lists nothing. */
export const isSimulatedSql = (serialColumn: string): string =>
  `${serialColumn} in (select simulated_frames.serial from simulated_frames)`;

/** The queries of simulated frames over a database or a transaction. */
export function simulatedFrames(db: Database) {
  return {
    /** All of them, each with the kind of its frame, and the organization that has it: null once its device is gone. */
    list: (): Promise<readonly (SimulatedRow & { readonly kind: string; readonly organization: string | null })[]> =>
      allRows(
        db,
        `select simulated_frames.*, frames.kind, devices.organization_id as organization
         from simulated_frames join frames on frames.serial = simulated_frames.serial
           left join devices on devices.serial = simulated_frames.serial
         order by simulated_frames.made_at, simulated_frames.serial`,
        [],
      ),

    async insert(row: Omit<SimulatedRow, 'flash' | 'pressed_at'>): Promise<void> {
      await db('simulated_frames').insert(row);
    },

    /** Keeps what a frame would keep in its flash. */
    keep: (serial: string, flash: string): Promise<void> =>
      changeRows(db, 'update simulated_frames set flash = ? where serial = ?', [flash, serialKey(serial)]),

    /** Notes that somebody pressed the button. @returns false for any other frame */
    press: async (serial: string, now: number): Promise<boolean> =>
      (await db('simulated_frames')
        .where({ serial: serialKey(serial) })
        .update({ pressed_at: now })) > 0,
  };
}

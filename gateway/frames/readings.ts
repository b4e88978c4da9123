/** Battery and Wi-Fi of a frame over time, as its wakes reported them. */
import type { Database } from '../../runtime/database/database.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';
import { earliestId } from '../../runtime/random.ts';
import { serialKey } from './registry.ts';

/** The readings of a wake. `at` is epoch milliseconds; null is a value that the frame did not report. */
export interface FrameReading {
  readonly at: number;
  readonly batteryMv: number | null;
  readonly rssi: number | null;
}

/**
 * Reads a frame's readings under its present owner (T-63), the oldest first. The time is divided into as many parts as
 * points are wanted, and the last wake of each part counts. A hello in doubt proves nothing about this frame (T-47).
 */
export async function readingsOf(
  db: Database,
  serial: string,
  range: { readonly from: number; readonly to: number; readonly points: number },
): Promise<FrameReading[]> {
  const { from, to, points } = range;
  const partMs = Math.max(1, Math.ceil((to - from + 1) / points));
  const rows = await allRows<{ at: number; payload: string }>(
    db,
    `select at, payload from frame_events where id in (
       select max(frame_events.id) from frame_events join frames on frames.serial = frame_events.serial
         and frames.ownership = frame_events.ownership
       where frame_events.serial = ? and frame_events.type = 'hello'
         and frame_events.id >= ? and frame_events.at >= ? and frame_events.at <= ?
         and frame_events.payload not like '%"suspect":true%'
       group by (frame_events.at - ${Math.floor(from)}) / ${partMs}) order by at`,
    [serialKey(serial), earliestId(from - 600_000), from, to],
  );
  return rows.map(({ at, payload }) => {
    const { batteryMv, rssi } = JSON.parse(payload) as Record<string, unknown>;
    return { at, batteryMv: numberOr(batteryMv), rssi: numberOr(rssi) };
  });
}

const numberOr = (value: unknown): number | null => (typeof value === 'number' ? value : null);

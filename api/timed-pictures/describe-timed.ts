/** Describes a picture that has its time: its state in a sentence, and when each frame is expected to show it. */
import type { FrameFacts } from '../../gateway/frames/frame-facts.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { TimedRow } from '../delivery-state/timed-rows.ts';
import { type DeviceRow, findDevice } from '../devices/store.ts';
import { devicesShowing } from '../papers/shown-by.ts';

/** The facts about frames that this asks for. */
export interface WakeFacts {
  /** Reads the facts about a frame, by its serial. */
  status(serial: string): Promise<FrameFacts | undefined>;
}

/** A frame on which the picture is to be seen. Times are epoch milliseconds. */
export interface TimedFrame {
  readonly deviceId: string;
  readonly name: string;
  /** The first time from the picture's beginning on at which the frame is expected awake; null when that is unknown. */
  readonly expectedAt: number | null;
  /** It is expected to sleep through the whole time of the picture. */
  readonly isMissed: boolean;
}

/** Predicts for each frame when it fetches the picture. */
export async function framesOfTimed(
  { db, frames }: { readonly db: Database; readonly frames: WakeFacts },
  row: TimedRow,
  now: number,
): Promise<readonly TimedFrame[]> {
  const devices = await devicesOf(db, row);
  const found: TimedFrame[] = [];
  for (const { id: deviceId, name, serial } of devices) {
    if (serial === null) continue;
    const facts = await frames.status(serial);
    const expectedAt = facts === undefined ? null : wakeFrom(facts, Math.max(row.show_from, now));
    const isMissed = expectedAt !== null && row.show_until !== null && expectedAt >= row.show_until;
    found.push({ deviceId, name, expectedAt, isMissed });
  }
  return found;
}

async function devicesOf(db: Database, { paper_id, device_id }: TimedRow): Promise<readonly DeviceRow[]> {
  if (paper_id !== null) return devicesShowing(db, paper_id);
  const device = await findDevice(db, device_id ?? '');
  return device === undefined ? [] : [device];
}

/** The facts of a frame by which its wakes are foreseen. */
type WakingFrame = Pick<FrameFacts, 'connected' | 'expectedWakeAt' | 'sleepSeconds' | 'changesAt'>;

/** A frame that wakes for a change wakes some seconds after it. */
const afterChangeMs = 10_000;

/**
 * The first expected wake at a time or after it: soon after that time where the frame wakes for it, else as it goes on
 * sleeping as it is set.
 */
export function wakeFrom(
  { connected, expectedWakeAt, sleepSeconds, changesAt }: WakingFrame,
  from: number,
): number | null {
  if (connected) return from;
  if (expectedWakeAt === null) return null;
  if (expectedWakeAt < from && changesAt.includes(from)) return from + afterChangeMs;
  const sleepMs = Math.max(1, sleepSeconds) * 1000;
  return expectedWakeAt + Math.max(0, Math.ceil((from - expectedWakeAt) / sleepMs)) * sleepMs;
}

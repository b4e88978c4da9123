/** Opens the days of deadlines, on each frame that they are about. */
import type { Database, Transaction } from '../../runtime/database/database.ts';
import type { Moment } from '../../runtime/moment.ts';
import { hangsIn } from '../alerts/channel-places.ts';
import { timedPictures } from '../delivery-state/timed-rows.ts';
import type { DeviceRow } from '../devices/store.ts';
import { devicesThatShow } from '../papers/shown-papers.ts';
import { type DeadlineRow, namedDevices, nextTimeOf, openBeforeMs, placesOfDeadline } from './deadline-rows.ts';
import { newOccurrence } from './new-occurrence.ts';

/** The most frames of one deadline. */
export const maxDeadlineFrames = 2_000;
const portion = 200;

/** Finds the devices that a deadline is about now: those that it names, those in its places, or those that show its paper. */
export async function devicesOfDeadline(db: Database, row: DeadlineRow): Promise<readonly string[]> {
  const named = namedDevices(row);
  if (named !== undefined) {
    const there: string[] = await db('devices')
      .whereIn('id', [...named])
      .where({ organization_id: row.organization_id })
      .orderBy('id')
      .pluck('id');
    return there;
  }
  const places = placesOfDeadline(row);
  if (places !== null) {
    const devices = await db<DeviceRow>('devices')
      .where({ organization_id: row.organization_id })
      .where('meta', 'like', '%"place"%')
      .orderBy('id')
      .select('id', 'meta');
    return devices.filter((device) => hangsIn(places, device)).map(({ id }) => id);
  }
  const timed = row.timed_id === null ? undefined : await timedPictures(db).find(row.timed_id);
  if (timed !== undefined && timed.device_id !== null) return [timed.device_id];
  const paperId = row.paper_id ?? timed?.paper_id ?? null;
  if (paperId === null) return [];
  return devicesThatShow(db, { id: paperId, organization_id: row.organization_id });
}

/**
 * Opens the days of a deadline that are near, and plans when the next one is opened. One that is open already stays as it
 * is, and frames that came since join it.
 * @returns how many were opened
 */
export async function openOccurrences(trx: Transaction, row: DeadlineRow, moment: Moment): Promise<number> {
  const { now } = moment;
  const devices = (await devicesOfDeadline(trx, row)).slice(0, maxDeadlineFrames);
  const times = await openTimes(trx, row, now);
  let next = times.at(-1) ?? row.opened_until;
  let later: number | undefined;
  for (let by = nextTimeOf(row, Math.max(next, now)); by !== undefined; by = nextTimeOf(row, by)) {
    later = by - openBeforeMs;
    if (later > now) break;
    [next, later] = [by, undefined];
    times.push(by);
  }
  let opened = 0;
  if (devices.length > 0) await handOver(trx, { deadlineId: row.id, to: devices[0] as string }, moment);
  for (const by of new Set(times)) {
    if (devices.length === 0 && (await isOpenOnFrames(trx, row.id, by))) continue;
    const meant = devices.length === 0 ? [null] : devices;
    const rows = meant.map((deviceId) => newOccurrence({ deadlineId: row.id, deviceId, by }, moment));
    for (let from = 0; from < rows.length; from += portion) {
      const made: unknown[] = await trx('deadline_occurrences')
        .insert(rows.slice(from, from + portion))
        .onConflict()
        .ignore()
        .returning('id');
      opened += made.length;
    }
  }
  await trx('deadlines')
    .where({ id: row.id })
    .update({ opened_until: next, due_at: later ?? null });
  return opened;
}

/** Frames came that are to show it: what was open without any goes on with the first of them. */
async function handOver(
  trx: Transaction,
  { deadlineId, to }: { readonly deadlineId: string; readonly to: string },
  { now }: Moment,
): Promise<void> {
  const ofDeadline = () => trx('deadline_occurrences').where({ deadline_id: deadlineId }).where('by_at', '>', now);
  const taken: number[] = await ofDeadline().where({ device_id: to }).pluck('by_at');
  const open = () => ofDeadline().whereNull('device_id');
  await open().whereIn('by_at', taken).delete();
  await open().update({ device_id: to, due_at: now });
}

const isOpenOnFrames = async (trx: Transaction, deadlineId: string, by: number): Promise<boolean> =>
  (await trx('deadline_occurrences')
    .where({ deadline_id: deadlineId, by_at: by })
    .whereNotNull('device_id')
    .first('id')) !== undefined;

/** The times of a deadline that were opened and are still to come: frames may join them. */
async function openTimes(trx: Transaction, { id, opened_until: until }: DeadlineRow, now: number): Promise<number[]> {
  const times: number[] = await trx('deadline_occurrences')
    .where({ deadline_id: id })
    .where('by_at', '>', now)
    .groupBy('by_at')
    .orderBy('by_at')
    .pluck('by_at');
  return until > now && !times.includes(until) ? [...times, until].sort((one, other) => one - other) : times;
}

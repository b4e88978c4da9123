/**
 * Keeps what is planned for frames up to date: a step of the delivery line. It costs what is due: places whose rows were
 * changed, and papers whose next change has come. However many frames show a paper, it is planned once.
 */
import {
  maxPlannedChanges,
  type PlannedChange,
  plannedAfter,
  storePlanned,
} from '../../gateway/frames/planned-changes.ts';
import { nextPlanDue, type PlanDue, planLater, plansDue } from '../../gateway/frames/plans-due.ts';
import type { FrameRow } from '../../gateway/frames/registry.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database/database.ts';
import { drawAgainOn } from '../devices/shown-pictures.ts';
import { changingKinds } from '../papers/kinds.ts';
import { devicesThatShow } from '../papers/shown-papers.ts';
import { loadPapers, timedOf } from './load-papers.ts';
import { aheadMs, changesOfDevice, comingChanges, withinDay } from './next-change.ts';
import { fetchedWithinMs, isFetched } from './paced-changes.ts';
import type { PlannedPaper } from './planned-paper.ts';

const hourMs = 3_600_000;
/** The part of a list that is needed: no sleep is longer. */
const neededMs = 24 * hourMs;
/** A list that was cut is written again when fewer of its changes are left: its beginning stands for the whole day. */
const leastKept = maxPlannedChanges * 0.75;
/** Places that are planned at once. */
const maxAtOnce = 200;
/** A change that was missed by more than this is not made up for: the frame gets its picture as before any wake. */
const lateMs = 10 * 60_000;

interface PlanningDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** The serials of the frames that are connected now; left out, none is. */
  readonly connected?: (() => readonly string[]) | undefined;
}

/** A device with its frame, as it is planned for. */
interface ShownOn {
  readonly id: string;
  readonly paper_id: string | null;
  readonly serial: string;
  readonly planned_changes: string | null;
  readonly planned_deadlines: string | null;
  readonly asleep_until: number | null;
}

/** Plans what is due; returns when it is to be called next, epoch milliseconds, or null where nothing is due by itself. */
export async function planFrames(deps: PlanningDeps): Promise<number | null> {
  const { db, clock } = deps;
  const now = clock.now();
  for (;;) {
    const due = await plansDue(db, now, maxAtOnce);
    if (due.length > 0) await planPlaces(deps, due, now);
    if (due.length < maxAtOnce) return nextDue(db, now);
  }
}

/** The line looks also when something is fetched at its time, so that it is in the picture soon after. */
async function nextDue(db: Database, now: number): Promise<number | null> {
  const [schedule, poll] = await Promise.all([
    db('papers').where('schedule_due_at', '>', now).min({ at: 'schedule_due_at' }).first(),
    db('recipe_data').where('poll_due_at', '>', now).min({ at: 'poll_due_at' }).first(),
  ]);
  const next = [await nextPlanDue(db), schedule?.at, poll?.at].flatMap((at) => (at == null ? [] : [Number(at)]));
  return next.length === 0 ? null : Math.min(...next);
}

async function planPlaces(deps: PlanningDeps, due: readonly PlanDue[], now: number): Promise<void> {
  const { db } = deps;
  const devices = await devicesOf(
    db,
    due.map(({ place }) => place),
  );
  const paperIds = [...new Set(devices.flatMap(({ paper_id }) => (paper_id === null ? [] : [paper_id])))];
  const read = await rowsOfPlaces(db, due, [...paperIds, ...devices.map(({ id }) => id)]);
  const papers = await loadPapers(db, paperIds);
  const own = await timedOf(
    db,
    'device_id',
    devices.map(({ id }) => id),
  );
  const lists = new Map([...papers].map(([id, paper]) => [id, comingChanges(paper, now)]));
  const planned = new Map<string, readonly PlannedChange[]>(lists);
  for (const device of devices) {
    const timed = own.get(device.id) ?? [];
    const paper = papers.get(device.paper_id ?? '');
    const ofPaper = lists.get(device.paper_id ?? '') ?? [];
    const list = timed.length === 0 ? ofPaper : withinDay((span) => changesOfDevice(paper, timed, span), now);
    if (timed.length > 0) planned.set(device.id, list);
    if (!isStillGood(device, list, now)) await storePlanned(db, device, 'planned_changes', { planned: list, now });
  }
  await drawOnAwake(deps, { devices, papers }, now);
  for (const { id, paper_id } of devices) {
    const list = planned.get(id) ?? planned.get(paper_id ?? '') ?? [];
    if (list.some((change) => isFetched(change) && change.at - fetchedWithinMs <= now))
      await drawAgainOn(db, [id], now);
  }
  for (const [place, row] of read) await planLater(db, place, row, dueOf(planned.get(place) ?? [], now));
}

/** A place is due again at its next change, when the picture of that is drawn, and before its list is too short. */
function dueOf(changes: readonly PlannedChange[], now: number): number | null {
  const [next] = changes;
  if (next === undefined) return null;
  const drawn = changes.find((change) => isFetched(change) && change.at - fetchedWithinMs > now);
  const drawnAt = drawn === undefined ? Infinity : drawn.at - fetchedWithinMs;
  return Math.min(next.at, drawnAt, Math.max(now + aheadMs - neededMs, next.at - neededMs));
}

/** Whether the stored list says the same of the day to come: it is not written again for each minute. */
function isStillGood(device: ShownOn, list: readonly PlannedChange[], now: number): boolean {
  const stored = plannedAfter(device, 'planned_changes', now);
  const last = stored.at(-1);
  const isCut = last?.goesOn === true;
  const isFull = isCut ? stored.length >= leastKept : (last?.at ?? 0) >= now + neededMs;
  const needed = isFull ? list.slice(0, stored.length) : list;
  const said = stored.map(({ goesOn: _goesOn, ...change }) => change);
  const isLonger = list.length - stored.length > 0;
  return JSON.stringify(said) === JSON.stringify(needed) && (!isCut || isLonger);
}

/** Devices with a frame that show one of these papers, alone or among others, or are themselves named. */
async function devicesOf(db: Database, places: readonly string[]): Promise<readonly ShownOn[]> {
  const named = await db('papers')
    .whereIn('id', [...places])
    .select('id', 'organization_id');
  const ids = new Set(places);
  for (const paper of named) for (const id of await devicesThatShow(db, paper)) ids.add(id);
  const found: ShownOn[] = [];
  const all = [...ids];
  for (let at = 0; at < all.length; at += maxAtOnce) found.push(...(await shownOn(db, all.slice(at, at + maxAtOnce))));
  return found;
}

async function shownOn(db: Database, ids: readonly string[]): Promise<readonly ShownOn[]> {
  return db('devices')
    .join('frames', 'frames.serial', 'devices.serial')
    .leftJoin('papers', (join) =>
      join.on('papers.id', 'devices.paper_id').andOn('papers.organization_id', 'devices.organization_id'),
    )
    .whereIn('devices.id', [...ids])
    .select<ShownOn[]>('devices.id', 'papers.id as paper_id', 'frames.serial')
    .select('frames.planned_changes', 'frames.planned_deadlines', 'frames.asleep_until');
}

/** The rows of all that is planned, as they were before. */
async function rowsOfPlaces(
  db: Database,
  due: readonly PlanDue[],
  places: readonly string[],
): Promise<ReadonlyMap<string, PlanDue | undefined>> {
  const rows = new Map<string, PlanDue | undefined>(due.map((row) => [row.place, row]));
  const others = places.filter((place) => !rows.has(place));
  for (const place of others) rows.set(place, undefined);
  for (let at = 0; at < others.length; at += maxAtOnce) {
    const known: PlanDue[] = await db<PlanDue>('plans_due').whereIn('place', others.slice(at, at + maxAtOnce));
    for (const row of known) rows.set(row.place, row);
  }
  return rows;
}

/** Makes the pictures of frames that are awake all the time, and for which none is made before a wake. */
async function drawOnAwake(
  { db, connected }: PlanningDeps,
  { devices, papers }: { readonly devices: readonly ShownOn[]; readonly papers: ReadonlyMap<string, PlannedPaper> },
  now: number,
): Promise<void> {
  const awake = new Set<FrameRow['serial']>(connected?.() ?? []);
  for (const device of devices) {
    // A connection may stay open while its frame sleeps already.
    const isAwake = awake.has(device.serial) && (device.asleep_until ?? 0) <= now;
    if (!isAwake || !changingKinds.includes(papers.get(device.paper_id ?? '')?.kind ?? '')) continue;
    const passed = plannedAfter(device, 'planned_changes', now - lateMs).findLast(({ at }) => at <= now);
    if (passed === undefined) continue;
    await db('shown_pictures')
      .where({ device_id: device.id, paper_id: device.paper_id ?? '' })
      .where((unseen) => void unseen.whereNull('render_for').orWhere('render_for', '<', passed.at))
      .update({ render_due_at: now, render_for: passed.at, attempts: 0 });
  }
}

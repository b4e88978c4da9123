/** Ends intervals of frames whose glass is no longer certain, and of those that left; and lets those go on that prove it again. */
import { factsOfFleet } from '../../gateway/frames/fleet-facts.ts';
import { grades } from '../../gateway/frames/grades.ts';
import { type FleetPictures, picturesOfFleet } from '../../gateway/pictures/fleet-pictures.ts';
import type { Transaction } from '../../runtime/database/database.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';
import { readFact } from '../../runtime/database/service-facts.ts';
import { type OnFrame, onFrame } from '../explanations/picture-due.ts';
import { type IntervalRow, lastIntervals } from './intervals.ts';
import { type ReceiptChain, receiptChain } from './receipts.ts';
import { beginInterval, blindOf, endInterval, type KeepRecordDeps } from './write-interval.ts';

/** The most frames that are weighed at once. */
const portion = 200;

/** Frames of open intervals of which something may have changed since a time. */
const changedFrames = `select wall_intervals.serial from wall_intervals
    left join frames on frames.serial = wall_intervals.serial
    left join devices on devices.serial = wall_intervals.serial
    left join frame_conflicts on frame_conflicts.serial = wall_intervals.serial
  where wall_intervals.until is null and (frames.updated_at >= ? or frame_conflicts.since >= ?
    or frames.serial is null or frames.ownership <> wall_intervals.ownership
    or devices.id is null or devices.organization_id <> wall_intervals.organization_id
    or wall_intervals.since <= ?)`;

/** Frames whose last interval ended because nobody knew what they show. */
const doubtedFrames = `select wall_intervals.serial from frames
    join wall_intervals on wall_intervals.serial = frames.serial and wall_intervals.since =
      (select max(last.since) from wall_intervals as last where last.serial = frames.serial)
  where frames.updated_at >= ? and wall_intervals.ended = 'uncertain'`;

/** Weighs every frame that something was recorded of since a time. */
export async function endUncertain(deps: KeepRecordDeps, since: number): Promise<void> {
  const { db, single } = deps;
  const restoredAt = Number((await readFact(db, 'restored at')) ?? -1);
  const changed = await allRows<{ serial: string }>(db, changedFrames, [since, since, restoredAt]);
  const doubted = await allRows<{ serial: string }>(db, doubtedFrames, [since]);
  const serials = [...new Set([...changed, ...doubted].map(({ serial }) => serial))];
  for (let from = 0; from < serials.length; from += portion) {
    const some = serials.slice(from, from + portion);
    await single.transact(db, (trx) => weighFrames(trx, deps, some));
  }
}

async function weighFrames(trx: Transaction, deps: KeepRecordDeps, serials: readonly string[]): Promise<void> {
  const now = deps.clock.now();
  const chain = receiptChain(trx, now);
  const lasts = await lastIntervals(trx, serials);
  const [facts, pictures] = [await factsOfFleet(trx, serials, now), await picturesOfFleet(trx, serials)];
  const owners = await ownersOf(trx, serials);
  for (const [serial, last] of lasts) {
    const frame = facts.get(serial);
    const owner = owners.get(serial);
    if (owner !== last.organization_id || frame?.ownership !== last.ownership) {
      if (last.until === null) await endInterval(trx, chain, last, { until: Math.max(now, last.since), ended: 'left' });
      continue;
    }
    const mine = pictures.get(serial);
    const weighed = { last, pictures: mine, on: onFrame(frame, mine, deps.traitsOf, now) };
    const at = { contact: frame.last_contact_at, conflict: frame.conflict_since, now };
    await weigh(trx, chain, weighed, { at, random: deps.random });
  }
  await chain.write();
}

async function ownersOf(trx: Transaction, serials: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows: { serial: string | null; organization_id: string }[] = await trx('devices')
    .whereIn('serial', serials)
    .select('serial', 'organization_id');
  return new Map(rows.map(({ serial, organization_id }) => [serial ?? '', organization_id]));
}

interface Weighed {
  readonly last: IntervalRow;
  readonly pictures: FleetPictures | undefined;
  readonly on: OnFrame;
}

interface WeighMoment extends Pick<KeepRecordDeps, 'random'> {
  readonly at: { readonly contact: number | null; readonly conflict: number | null; readonly now: number };
}

/** Ends the open interval of a frame in doubt, and begins another one when the doubt is gone. */
async function weigh(
  trx: Transaction,
  chain: ReceiptChain,
  { last, pictures, on: { glass } }: Weighed,
  { at, random }: WeighMoment,
): Promise<void> {
  const shown = pictures?.shown;
  const isSame = shown?.revision === last.revision && shown.picture_sha256 === last.picture_sha256;
  // A later picture is written down by the next look.
  if (!isSame && shown?.shown_at != null && shown.shown_at > last.since) return;
  const isCertain = isSame && glass !== null && glass.doubt === null;
  if (last.until !== null) {
    if (!isCertain || last.ended !== 'uncertain') return;
    const since = Math.max(at.contact ?? at.now, last.until, last.since + 1);
    const fresh = { id: random.id(), blind: last.blind === null ? null : blindOf(random.secret(16)) };
    await beginInterval(trx, chain, { ...last, ...fresh, grade: glass.grade, since, until: null, ended: null });
  } else if (!isCertain) {
    const known =
      glass?.doubt === 'before-restore' ? pictures?.restoredAt : glass?.doubt === 'identity' ? at.conflict : at.contact;
    const until = Math.min(Math.max(known ?? at.now, last.since), Math.max(at.now, last.since));
    await endInterval(trx, chain, last, { until, ended: 'uncertain' });
  } else if (grades.indexOf(glass.grade) > grades.indexOf(last.grade)) {
    await trx('wall_intervals').where({ id: last.id }).update({ grade: glass.grade });
  }
}

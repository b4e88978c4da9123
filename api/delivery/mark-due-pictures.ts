/**
 * Marks the pictures that are to be made again: those of papers that change by themselves, shortly before their frames
 * are to wake, and when the paper's own schedule requires it. `show-papers` makes them.
 */
import { type ExpectedWake, expectedWakes } from '../../gateway/frames/expect-wake.ts';
import { drawnBeforeMs, drawnFor, plannedAfter } from '../../gateway/frames/planned-changes.ts';
import type { FrameRow } from '../../gateway/frames/registry.ts';
import { type Database, transact } from '../../runtime/database/database.ts';
import { storedObject } from '../http/field-shapes.ts';
import { isTimeForNext } from '../papers/album-pace.ts';
import { changingKinds, composedKinds, isAlbum, isSeries } from '../papers/kinds.ts';
import { nextRun } from '../papers/schedule.ts';
import type { LineDeps } from './line-deps.ts';

/** A wake that was missed by this much is no longer worth a picture; the frame has likely come and gone. */
const lateMs = 30_000;
const maxAtOnce = 500;

/** The step. A wake is seen to once, whatever the rendering comes to, and a time of a schedule too. */
export async function markDuePictures(deps: LineDeps): Promise<void> {
  await markBeforeWakes(deps);
  await markBySchedule(deps);
}

async function markBeforeWakes({ db, clock, pageIsSeen = () => true }: LineDeps): Promise<void> {
  const now = clock.now();
  const wakes = await expectedWakes(db, now - lateMs, now + drawnBeforeMs);
  for (let start = 0; start < wakes.length; start += maxAtOnce) {
    const part = await wakesSeen(db, wakes.slice(start, start + maxAtOnce));
    const shown: ShownNow[] = await shownNow(db)
      .whereIn('devices.serial', [...part.keys()])
      .select('shown_pictures.device_id', 'devices.serial', 'shown_pictures.render_for', 'shown_pictures.updated_at')
      .select('papers.kind', 'papers.meta');
    const isSeen = ({ kind, render_for, updated_at }: ShownNow, { at, isJudged }: SeenWake): boolean =>
      !isPage(kind) || isJudged || pageIsSeen(render_for ?? updated_at, at);
    const isFresh = (row: ShownNow, wake: SeenWake): boolean => isDueAt(row, wake.at) && isSeen(row, wake);
    const fresh = shown.filter((row) => isFresh(row, part.get(row.serial) ?? noWake));
    if (fresh.length === 0) continue;
    await transact(db, async (trx) => {
      for (const { device_id, serial } of fresh) {
        const { at } = part.get(serial) ?? noWake;
        // Another node may have seen to this wake since it was read.
        await trx('shown_pictures')
          .where({ device_id })
          .where((unseen) => void unseen.whereNull('render_for').orWhere('render_for', '<', at))
          .update({ render_due_at: now, render_for: at, attempts: 0, due_at: trx.raw(dueOfUnshown, [now]) });
      }
    });
  }
}

/** A wake as its picture is seen. */
interface SeenWake {
  /** When it is seen, epoch milliseconds. */
  readonly at: number;
  /** A deadline is judged by it, and so by a picture that was made for it, even where nobody looks. */
  readonly isJudged: boolean;
}

const noWake: SeenWake = { at: 0, isJudged: false };

/** When the picture of each wake is seen. */
async function wakesSeen(db: Database, wakes: readonly ExpectedWake[]): Promise<ReadonlyMap<string, SeenWake>> {
  const rows: Pick<FrameRow, 'serial' | 'planned_changes' | 'planned_deadlines'>[] = await db('frames')
    .whereIn(
      'serial',
      wakes.map(({ serial }) => serial),
    )
    .where((any) => void any.whereNotNull('planned_changes').orWhereNotNull('planned_deadlines'))
    .select('serial', 'planned_changes', 'planned_deadlines');
  const planned = new Map(rows.map((row) => [row.serial, row]));
  return new Map(
    wakes.map(({ serial, at }) => {
      const row = planned.get(serial) ?? {};
      const [deadline] = plannedAfter(row, 'planned_deadlines', at - drawnBeforeMs);
      const isJudged = deadline !== undefined && deadline.at <= at + 2 * drawnBeforeMs;
      return [serial, { at: drawnFor(row, at), isJudged }];
    }),
  );
}

/** A picture of a paper that changes by itself, on its device. */
interface ShownNow {
  readonly device_id: string;
  readonly serial: string;
  readonly render_for: number | null;
  readonly updated_at: number;
  readonly kind: string;
  readonly meta: string;
}

/** Whether a paper is one page, which is not one of a series and made of no others. */
const isPage = (kind: string): boolean => !isSeries(kind) && !composedKinds.includes(kind);

/** Asks whether a picture is to be made for a wake that no picture was made for yet. */
function isDueAt({ render_for: last, updated_at, kind, meta }: ShownNow, wake: number): boolean {
  // A frame that goes to sleep is expected a little earlier than it was at its hello: that is the same wake.
  if (last !== null && wake <= last) return false;
  return !isAlbum(kind) || isTimeForNext(storedObject(meta), Math.max(updated_at, last ?? 0), wake);
}

async function markBySchedule({ db, clock }: LineDeps): Promise<void> {
  const now = clock.now();
  const due: { id: string; schedule_due_at: number }[] = await db('papers')
    .where('schedule_due_at', '<=', now)
    .limit(maxAtOnce)
    .select('id', 'schedule_due_at');
  for (const { id, schedule_due_at } of due) {
    await transact(db, async (trx) => {
      const paper = await trx('papers').where({ id, schedule_due_at }).forUpdate().first('meta');
      if (paper === undefined) return;
      await trx('papers')
        .where({ id })
        .update({ schedule_due_at: nextRun(storedObject(paper.meta), now) });
      const devices = await shownNow(trx).where('papers.id', id).select('shown_pictures.device_id');
      await trx('shown_pictures')
        .whereIn(
          'device_id',
          devices.map(({ device_id }) => device_id),
        )
        .update({ render_due_at: now, attempts: 0 });
    });
  }
}

/** SQL: what has no picture yet is tried before the wake as well. */
const dueOfUnshown = "case when revision = '' then ? else due_at end";

/**
 * Devices with a picture of the paper that they are to show, if its kind changes by itself; and those whose playlist may
 * begin at the wake.
 */
function shownNow(db: LineDeps['db']) {
  return db('shown_pictures')
    .join('devices', 'devices.id', 'shown_pictures.device_id')
    .join('papers', (join) => join.on('papers.id', 'devices.paper_id').andOn('papers.id', 'shown_pictures.paper_id'))
    .whereIn('papers.kind', [...changingKinds])
    .where((any) => void any.whereNot('shown_pictures.revision', '').orWhere('papers.kind', 'playlist'));
}

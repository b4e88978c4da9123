/**
 * Says which pictures are to be made again: of papers that change by themselves, shortly before their frames are expected
 * to wake, and when their own schedule says so (A-27, C-58). `show-papers` makes them.
 */
import { expectedWakes } from '../../gateway/frames/expect-wake.ts';
import { transact } from '../../gateway/runtime/database.ts';
import { storedObject } from '../http/field-shapes.ts';
import { changingKinds } from '../papers/kinds.ts';
import { nextRun } from '../papers/schedule.ts';
import type { LineEdges } from './line-edges.ts';

/** How long before a wake: time for a queue of renderings, and for a frame whose clock runs ahead. */
const leadMs = 5 * 60_000;
/** A wake that was missed by this much is not worth a picture any more; the frame has likely come and gone. */
const lateMs = 30_000;
const mostAtOnce = 500;

/** The step. A wake is seen to once, whatever comes of it, and a time of a schedule too. */
export async function markDuePictures(edges: LineEdges): Promise<void> {
  await markBeforeWakes(edges);
  await markBySchedule(edges);
}

async function markBeforeWakes({ db, clock }: LineEdges): Promise<void> {
  const now = clock.now();
  const wakes = await expectedWakes(db, now - lateMs, now + leadMs);
  for (let start = 0; start < wakes.length; start += mostAtOnce) {
    const part = new Map(wakes.slice(start, start + mostAtOnce).map(({ serial, at }) => [serial, at]));
    const shown: { device_id: string; serial: string; render_for: number | null }[] = await shownNow(db)
      .whereIn('devices.serial', [...part.keys()])
      .select('shown_pictures.device_id', 'devices.serial', 'shown_pictures.render_for');
    // A frame that goes to sleep is expected a little earlier than it was at its hello: that is the same wake.
    const fresh = shown.filter(({ serial, render_for: last }) => last === null || (part.get(serial) ?? 0) > last);
    if (fresh.length === 0) continue;
    await transact(db, async (trx) => {
      for (const { device_id, serial } of fresh) {
        const change = { render_due_at: now, render_for: part.get(serial), attempts: 0 };
        await trx('shown_pictures').where({ device_id }).update(change);
      }
    });
  }
}

async function markBySchedule({ db, clock }: LineEdges): Promise<void> {
  const now = clock.now();
  const due: { id: string; meta: string; schedule_due_at: number }[] = await db('papers')
    .where('schedule_due_at', '<=', now)
    .limit(mostAtOnce)
    .select('id', 'meta', 'schedule_due_at');
  for (const { id, meta, schedule_due_at } of due) {
    await transact(db, async (trx) => {
      const next = nextRun(storedObject(meta), now);
      const taken = await trx('papers').where({ id, meta, schedule_due_at }).update({ schedule_due_at: next });
      if (taken === 0) return;
      const devices = await shownNow(trx).where({ 'papers.id': id }).select('shown_pictures.device_id');
      await trx('shown_pictures')
        .whereIn(
          'device_id',
          devices.map(({ device_id }) => device_id),
        )
        .update({ render_due_at: now, attempts: 0 });
    });
  }
}

/** Devices with a picture of the paper that they are to show, if its kind changes by itself. */
function shownNow(db: LineEdges['db']) {
  return db('shown_pictures')
    .join('devices', 'devices.id', 'shown_pictures.device_id')
    .join('papers', (join) => join.on('papers.id', 'devices.paper_id').andOn('papers.id', 'shown_pictures.paper_id'))
    .whereIn('papers.kind', [...changingKinds])
    .whereNot('shown_pictures.revision', '');
}

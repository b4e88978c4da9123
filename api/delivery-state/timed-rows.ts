/** The rows of pictures that are shown at a time, or until a time, and what each of them does at a moment. */

import { planAgain } from '../../gateway/frames/plans-due.ts';
import { type Because, storedReasons } from '../../reasons/reason.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import type { deliveryTables } from './tables.ts';

/** The states of such a picture; those from `done` on are its end. */
export const timedStates = [
  'waiting',
  'showing',
  'interrupted',
  'done',
  'cancelled',
  'replaced',
  'missed',
  'failed',
] as const;
export type TimedState = (typeof timedStates)[number];

/** The states in which a picture's time is still to come, or is not over. */
export const openTimedStates: readonly TimedState[] = ['waiting', 'showing', 'interrupted'];

/** A row of `timed_pictures`. */
export type TimedRow = RowIn<
  typeof deliveryTables,
  'timed_pictures',
  { state: TimedState; orientation: 'portrait' | 'landscape' | null }
>;

/** A paper or a device that pictures have times for. */
export interface TimedPlace {
  readonly column: 'paper_id' | 'device_id';
  readonly id: string;
}

/** A row of `covered_pictures`. */
export type CoverRow = RowIn<typeof deliveryTables, 'covered_pictures'>;

export const placeOf = ({ paper_id, device_id }: TimedRow): TimedPlace =>
  paper_id === null ? { column: 'device_id', id: device_id ?? '' } : { column: 'paper_id', id: paper_id };

const noFiles = { due_at: null, picture_key: null, device_picture_key: null, editable_key: null };

/** The queries over a database or a transaction. */
export function timedPictures(db: Database) {
  const rows = () => db<TimedRow>('timed_pictures');
  const covers = () => db<CoverRow>('covered_pictures');
  const openAt = ({ column, id }: TimedPlace) => rows().where(column, id).whereNotNull('due_at');
  return {
    find: (id: string): Promise<TimedRow | undefined> => rows().where({ id }).first(),
    async insert(row: TimedRow): Promise<void> {
      await rows().insert(row);
      await planAgain(db, [placeOf(row).id]);
    },

    /** Reads the open rows of a place, in the order of their beginnings. */
    open: (place: TimedPlace): Promise<TimedRow[]> => openAt(place).orderBy(['show_from', 'created_at', 'id']),

    /** Changes a row that is still open; returns 0 for one that ended meanwhile. */
    change: (id: string, change: Partial<TimedRow>, now: number): Promise<number> =>
      rows()
        .where({ id })
        .whereNotNull('due_at')
        .update({ ...change, updated_at: now }),

    /** Ends a row that is still open. */
    async end(id: string, state: TimedState, now: number, reason?: Because): Promise<number> {
      const ended: TimedRow[] = await rows()
        .where({ id })
        .whereNotNull('due_at')
        .update({ ...noFiles, state, reason: reason === undefined ? null : storedReasons(reason), updated_at: now })
        .returning('*');
      await planAgain(
        db,
        ended.map((row) => placeOf(row).id),
      );
      return ended.length;
    },

    cover: (place: string): Promise<CoverRow | undefined> => covers().where({ place }).first(),
    putCover: async (row: CoverRow): Promise<void> => {
      await covers().insert(row).onConflict('place').merge(row);
    },
    uncover: (place: string): Promise<number> => covers().where({ place }).delete(),

    /** Somebody shows something else now: pictures that have begun are at their end, and nothing comes back. */
    async replace(place: TimedPlace, now: number): Promise<void> {
      await openAt(place)
        .whereIn('state', ['showing', 'interrupted'])
        .update({ ...noFiles, state: 'replaced', updated_at: now });
      await planAgain(db, [place.id]);
      await covers().where({ place: place.id }).delete();
    },

    /** Forgets everything of a place that is removed, or goes to other owners. */
    async forgetPlace({ column, id }: TimedPlace): Promise<void> {
      await rows().where(column, id).delete();
      await covers().where({ place: id }).delete();
    },

    /** Forgets what ended before a moment. */
    forget: (before: number): Promise<number> => rows().whereNull('due_at').where('updated_at', '<', before).delete(),

    /** The places where something is due, and the time of the next one. */
    async due(now: number): Promise<TimedPlace[]> {
      const found: TimedRow[] = await rows().where('due_at', '<=', now).orderBy('due_at').limit(500);
      return [...new Map(found.map((row) => [placeOf(row).id, placeOf(row)])).values()];
    },
    async nextDue(): Promise<number | null> {
      const [first] = await rows().whereNotNull('due_at').orderBy('due_at').limit(1).select('due_at');
      return first?.due_at ?? null;
    },
  };
}

/** The times of a picture, by which it is decided what a place shows. */
export type TimedTimes = Pick<TimedRow, 'id' | 'show_from' | 'show_until' | 'shown_at'>;

/** The action at a place. */
export interface TimedPlan<Row extends TimedTimes = TimedRow> {
  /** Pictures that are at their end, each with the state that it ends in. */
  readonly ended: readonly (readonly [Row, TimedState])[];
  /** A picture that takes the place of what was there, for good. */
  readonly lasting: Row | undefined;
  /** The picture that is shown on top. */
  readonly top: Row | undefined;
  /** Pictures whose time is not over, and that another one which began later is shown before. */
  readonly beneath: readonly Row[];
}

/**
 * Says what happens at a moment: of several pictures whose time it is, the one that began last is shown, and the others
 * come back when it ends. A picture without an end takes the place of all that began before it.
 * @param open all open rows of one place, in the order of their beginnings
 */
export function planTimed<Row extends TimedTimes>(open: readonly Row[], now: number): TimedPlan<Row> {
  const begun = open.filter(({ show_from }) => show_from <= now);
  const last = begun.findLastIndex(({ show_until }) => show_until === null);
  const isOver = ({ show_until }: Row): boolean => show_until !== null && show_until <= now;
  const ended: [Row, TimedState][] = [];
  for (const [index, row] of begun.entries()) {
    if (isOver(row)) ended.push([row, row.shown_at === null ? 'missed' : 'done']);
    else if (index < last) ended.push([row, 'replaced']);
  }
  const active = begun.slice(last + 1).filter((row) => !isOver(row));
  return { ended, lasting: begun[last], top: active.at(-1), beneath: active.slice(0, -1) };
}

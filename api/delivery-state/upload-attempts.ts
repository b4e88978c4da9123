/** Attempts to give a device a picture, each with its end: the service's half of the upload log. */

import { type Because, reasonOf, storedReasons } from '../../reasons/reason.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import type { ShownItem, ShownKind } from '../devices/shown-item.ts';
import type { deliveryTables } from './tables.ts';

/** Causes: pushed content, a picture that somebody uploaded, an image of the device's own, a page that draws itself. */
export const attemptCauses = ['content', 'picture', 'image', 'page'] as const;
export type AttemptCause = (typeof attemptCauses)[number];

/** A row of `upload_attempts`. */
export type AttemptRow = RowIn<typeof deliveryTables, 'upload_attempts', { cause: AttemptCause }>;

/** A paper on a device. Attempts are looked up by it. */
interface AttemptPlace {
  readonly deviceId: string;
  readonly paperId: string;
}

/** An attempt that is written down with its end. */
export interface EndedAttempt {
  /** An offer's attempt has the name of its upload. */
  readonly attemptId: string;
  readonly deviceId: string;
  /** Null for an image of the device's own. */
  readonly paperId: string | null;
  readonly paperKind: string | null;
  readonly shown: ShownItem;
  /** The offer that the attempt led to; null when the frame has these very pixels, or takes none. */
  readonly uploadId: string | null;
  readonly forced?: boolean | undefined;
  readonly skipped?: boolean | undefined;
  readonly similarity?: number | null | undefined;
  readonly problem?: Because | undefined;
  /** The name of the person who sent an image of the device's own; that of a paper's picture is known by the paper. */
  readonly sender?: string | undefined;
}

const causes: Readonly<Record<ShownKind, AttemptCause>> = {
  content: 'content',
  picture: 'picture',
  page: 'page',
  notice: 'page',
  deviceImage: 'image',
};

/** The cause of an attempt, by what it is to show. */
export const causeOf = ({ kind }: ShownItem): AttemptCause => causes[kind];

/** The problem of an attempt that a later upload took the place of before it could be offered. */
export const overtaken = reasonOf('upload-overtaken');

const rowsOf = (db: Database) => db<AttemptRow>('upload_attempts');

const openAt = (db: Database, { deviceId, paperId }: AttemptPlace) =>
  rowsOf(db).where({ device_id: deviceId, paper_id: paperId }).whereNull('ended_at');

/** Ends the newest open attempt in this way, and the older ones that it took the place of. */
async function end(db: Database, place: AttemptPlace, how: Partial<AttemptRow>, now: number): Promise<number> {
  const newest = await openAt(db, place)
    .orderBy('started_at', 'desc')
    .orderBy('attempt_id', 'desc')
    .first('attempt_id');
  if (newest === undefined) return 0;
  const { attempt_id } = newest;
  await openAt(db, place)
    .whereNot({ attempt_id })
    .update({ problem: storedReasons(overtaken), ended_at: now });
  return openAt(db, place)
    .where({ attempt_id })
    .update({ problem: null, ended_at: now, ...how });
}

/** Finds who sent the picture of a paper, as long as the paper has it. */
async function senderOfPaper(db: Database, { paperId, shown }: EndedAttempt): Promise<string | null> {
  if (paperId === null || shown.kind !== 'picture') return null;
  const row = await db('papers').where({ id: paperId, picture_revision: shown.id }).first('picture_sender');
  return row?.picture_sender ?? null;
}

/** Writes down an attempt that no upload to a paper began. */
async function note(db: Database, attempt: EndedAttempt, now: number): Promise<void> {
  await rowsOf(db).insert({
    attempt_id: attempt.attemptId,
    device_id: attempt.deviceId,
    paper_id: attempt.paperId,
    paper_kind: attempt.paperKind,
    cause: causeOf(attempt.shown),
    forced: Number(attempt.forced ?? false),
    similarity: attempt.similarity ?? null,
    skipped: Number(attempt.skipped ?? false),
    problem: attempt.problem === undefined ? null : storedReasons(attempt.problem),
    upload_id: attempt.uploadId,
    started_at: now,
    ended_at: now,
    sender: attempt.sender ?? (await senderOfPaper(db, attempt)),
  });
}

/** Finds who sent what an earlier offer to a device showed, for one that shows it again. */
export async function senderOfShown(db: Database, deviceId: string, revision: string): Promise<string | undefined> {
  const row = await rowsOf(db)
    .join('uploads', 'uploads.id', 'upload_attempts.upload_id')
    .where({ device_id: deviceId, revision })
    .whereNotNull('sender')
    .first('sender');
  return row?.sender ?? undefined;
}

/** The attempts' queries over a database or a transaction. */
export function uploadAttempts(db: Database) {
  const rows = () => rowsOf(db);
  return {
    note: (attempt: EndedAttempt, now: number): Promise<void> => note(db, attempt, now),

    begin: (row: AttemptRow): Promise<unknown> => rows().insert(row),

    /** Finds an attempt by its name, in the log of one device or of any. */
    find: (attempt_id: string, device_id?: string): Promise<AttemptRow | undefined> =>
      rows()
        .where({ attempt_id, ...(device_id !== undefined && { device_id }) })
        .first(),

    /** Asks if an attempt of this name is in the log of any device. */
    isKnown: async (attemptId: string): Promise<boolean> => (await uploadAttempts(db).find(attemptId)) !== undefined,

    /**
     * Ends the attempt of the last upload for this place: its picture is offered now, or the frame has the very pixels.
     * An offer without an open attempt stands by itself.
     */
    async answer(attempt: EndedAttempt & AttemptPlace, now: number): Promise<void> {
      const { uploadId } = attempt;
      if (uploadId === null) await end(db, attempt, { skipped: 1, similarity: 100 }, now);
      else if ((await end(db, attempt, { upload_id: uploadId }, now)) === 0) await note(db, attempt, now);
    },

    /** Notes that no picture could be made. The attempt stays open: it is tried again. */
    failed: (place: AttemptPlace, problem: Because): Promise<number> =>
      openAt(db, place).update({ problem: storedReasons(problem) }),

    /** Counts the attempts that wait to be offered. */
    async waiting(place: AttemptPlace): Promise<number> {
      const counted = await openAt(db, place).count({ total: '*' }).first();
      return Number(counted?.total ?? 0);
    },

    /** Asks if somebody wants an offer whatever picture the frame has. */
    isForced: async (place: AttemptPlace): Promise<boolean> =>
      (await openAt(db, place).where({ forced: 1 }).first()) !== undefined,

    /** Reads the newest attempts of a device. */
    recent: (deviceId: string, limit: number): Promise<AttemptRow[]> =>
      rows()
        .where({ device_id: deviceId })
        .orderBy([
          { column: 'started_at', order: 'desc' },
          { column: 'attempt_id', order: 'desc' },
        ])
        .limit(limit),

    /** Reads the attempts that led to these offers. */
    ofUploads: (deviceId: string, uploadIds: readonly string[]): Promise<AttemptRow[]> =>
      rows()
        .where({ device_id: deviceId })
        .whereIn('upload_id', [...uploadIds]),

    /** Removes a device's attempts: one that moves takes none along (T-63). */
    removeAll: (deviceId: string): Promise<number> => rows().where({ device_id: deviceId }).delete(),

    forget: (before: number): Promise<number> => rows().where('started_at', '<', before).delete(),
  };
}

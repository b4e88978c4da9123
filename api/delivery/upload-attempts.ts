/** What was tried to give a device a picture, and how it ended: the service's half of the upload log (C-55). */
import type { Database } from '../../gateway/runtime/database.ts';

/** Pushed content, a picture that somebody uploaded, an image of the device's own, or a page that draws itself. */
export const attemptCauses = ['content', 'picture', 'image', 'page'] as const;
export type AttemptCause = (typeof attemptCauses)[number];

/** A row of `upload_attempts`. Times are epoch milliseconds. */
export interface AttemptRow {
  attempt_id: string;
  device_id: string;
  paper_id: string | null;
  paper_kind: string | null;
  cause: AttemptCause;
  forced: number;
  similarity: number | null;
  skipped: number;
  problem: string | null;
  upload_id: string | null;
  started_at: number;
  ended_at: number | null;
}

/** A paper on a device: what its attempts are looked up by. */
interface Place {
  readonly deviceId: string;
  readonly paperId: string;
}

/** An offer that was made. */
export interface MadeOffer {
  readonly deviceId: string;
  /** Null for an image of the device's own. */
  readonly paperId: string | null;
  readonly paperKind: string | null;
  readonly cause: AttemptCause;
  readonly uploadId: string;
}

/** The cause of an offer without an upload, by the line's word for what it shows. */
export function causeOf(revision: string): AttemptCause {
  if (revision.startsWith('picture:')) return 'picture';
  return revision.startsWith('page:') || revision.startsWith('notice:') ? 'page' : 'content';
}

const replaced = 'another upload came before this one could be offered';

/** The attempts' queries over a database or a transaction. */
export function uploadAttempts(db: Database) {
  const rows = () => db<AttemptRow>('upload_attempts');
  const open = ({ deviceId, paperId }: Place) =>
    rows().where({ device_id: deviceId, paper_id: paperId }).whereNull('ended_at');

  /** Ends the newest open attempt in this way, and those that it took the place of. */
  async function end(place: Place, how: Partial<AttemptRow>, now: number): Promise<number> {
    const newest = await open(place).orderBy('started_at', 'desc').orderBy('attempt_id', 'desc').first('attempt_id');
    if (newest === undefined) return 0;
    const { attempt_id } = newest;
    await open(place).whereNot({ attempt_id }).update({ problem: replaced, ended_at: now });
    return open(place)
      .where({ attempt_id })
      .update({ problem: null, ended_at: now, ...how });
  }

  /** Writes down an offer that no upload asked for. */
  async function note({ deviceId, paperId, paperKind, cause, uploadId }: MadeOffer, now: number): Promise<void> {
    await rows().insert({
      ...{ attempt_id: uploadId, device_id: deviceId, paper_id: paperId, paper_kind: paperKind, cause },
      ...{ forced: 0, similarity: null, skipped: 0, problem: null },
      ...{ upload_id: uploadId, started_at: now, ended_at: now },
    });
  }

  return {
    note,
    begin: (row: AttemptRow): Promise<unknown> => rows().insert(row),

    /** Whether an attempt of this name is in the log of any device. */
    isKnown: async (attemptId: string): Promise<boolean> =>
      (await rows().where({ attempt_id: attemptId }).first('attempt_id')) !== undefined,

    /** What was uploaded last for this place is offered now; without an open attempt, the offer stands by itself. */
    async offered(offer: MadeOffer & Place, now: number): Promise<void> {
      if ((await end(offer, { upload_id: offer.uploadId }, now)) === 0) await note(offer, now);
    },

    /** The frame has these very pixels. */
    same: (place: Place, now: number): Promise<number> => end(place, { skipped: 1, similarity: 100 }, now),

    /** No picture could be made. The attempt stays open: it is tried again. */
    failed: (place: Place, problem: string): Promise<number> => open(place).update({ problem }),

    /** How many wait to be offered. */
    async waiting(place: Place): Promise<number> {
      const counted = await open(place).count({ total: '*' }).first();
      return Number(counted?.total ?? 0);
    },

    /** Whether somebody asked for an offer whatever the frame has. */
    isForced: async (place: Place): Promise<boolean> => (await open(place).where({ forced: 1 }).first()) !== undefined,

    /** The newest of a device. */
    recent: (deviceId: string, limit: number): Promise<AttemptRow[]> =>
      rows()
        .where({ device_id: deviceId })
        .orderBy([
          { column: 'started_at', order: 'desc' },
          { column: 'attempt_id', order: 'desc' },
        ])
        .limit(limit),

    /** Those that offers came of. */
    ofUploads: (deviceId: string, uploadIds: readonly string[]): Promise<AttemptRow[]> =>
      rows()
        .where({ device_id: deviceId })
        .whereIn('upload_id', [...uploadIds]),

    forget: (before: number): Promise<number> => rows().where('started_at', '<', before).delete(),
  };
}

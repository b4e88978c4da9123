/** The upload log's rows and moves. Every move is a compare-and-set, so that it may run again. */
import type { Panel } from '../../firmware-protocol/panels.ts';
import { nextFileVersion } from '../../firmware-protocol/versions.ts';
import { type FrameRow, serialKey } from '../frames/registry.ts';
import type { Database } from '../runtime/database.ts';
import { firstRow } from '../runtime/plain-sql.ts';
import type { Random } from '../runtime/random.ts';
import { refuse } from '../runtime/refusals.ts';
import { afterAnswer, type Coverage, type EndedAnswer, nothingCovered } from './coverage.ts';

/** A row of `uploads`. Times are epoch milliseconds. */
export interface UploadRow {
  id: string;
  serial: string;
  revision: string;
  path: string;
  picture_sha256: string;
  picture_bytes: number;
  /** How the file is packed; null where it was offered before that was kept. */
  format: Panel['packing'] | null;
  file_version: number;
  previous_version: number;
  gets: number;
  cycle: number;
  coverage: string | null;
  vouched_by: string | null;
  offered_at: number;
  announced_at: number | null;
  fetched_at: number | null;
  shown_at: number | null;
  confirmed_at: number | null;
  failed_at: number | null;
  reason: string | null;
  replaced_at: number | null;
}

/** A picture offered to a frame: its file must have been stored before. */
export interface OfferedPicture {
  readonly serial: string;
  readonly revision: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly format: Panel['packing'];
}

/** What the ended answers of an upload's present cycle came to. */
export function coverageOf({ coverage }: Pick<UploadRow, 'coverage'>): Coverage {
  return coverage === null ? nothingCovered : (JSON.parse(coverage) as Coverage);
}

/** 60 random bits: 10 characters, so that prefix and path fit into 49 (W-04, W-07). */
const pathSecretCharacters = 10;

/** The path a picture is fetched under. Unguessable, since the frame sends no credentials with it (W-07). */
function newDownloadPath(random: Random): string {
  return `/f/${random.secret(8).slice(0, pathSecretCharacters)}`;
}

/** Characters of every download path. */
export const downloadPathCharacters = '/f/'.length + pathSecretCharacters;

/** The log's queries over a database or a transaction. */
export function uploadLog(db: Database) {
  const uploads = () => db<UploadRow>('uploads');
  return {
    find: (id: string): Promise<UploadRow | undefined> => uploads().where({ id }).first(),
    byPath: (path: string): Promise<UploadRow | undefined> => uploads().where({ path }).first(),

    /** The newest offer of a frame: the only one it is still told about (newest wins between wakes). */
    newest: (serial: string): Promise<UploadRow | undefined> =>
      firstRow(db, 'select * from uploads where serial = ? and replaced_at is null order by offered_at desc limit 1', [
        serialKey(serial),
      ]),

    /** The last picture that a frame took whole and then said it shows, among those offered since a time. */
    lastShown: (serial: string, since: number): Promise<UploadRow | undefined> =>
      uploads()
        .where({ serial: serialKey(serial) })
        .where('offered_at', '>=', since)
        .whereNotNull('fetched_at')
        .whereNotNull('shown_at')
        .orderBy('shown_at', 'desc')
        .first(),

    /** Offers of a frame since a time, the newest first. */
    recent: (serial: string, since: number, limit: number): Promise<UploadRow[]> =>
      uploads()
        .where({ serial: serialKey(serial) })
        .where('offered_at', '>=', since)
        .orderBy([
          { column: 'offered_at', order: 'desc' },
          { column: 'id', order: 'desc' },
        ])
        .limit(limit),

    /**
     * Offers a picture to a frame and replaces the offer before. The version is taken here, so that it strictly
     * increases whatever happens next (INV-32).
     */
    async offer(picture: OfferedPicture, now: number, random: Random): Promise<UploadRow> {
      const serial = serialKey(picture.serial);
      const frame = await db<FrameRow>('frames').where({ serial }).forUpdate().first();
      if (frame === undefined) throw new Error(`frame ${serial} is not provisioned`);
      const version = await takeVersion(db, frame, now);
      await uploads().where({ serial, replaced_at: null }).update({ replaced_at: now });
      const row: UploadRow = {
        id: random.id(),
        serial,
        revision: picture.revision,
        path: newDownloadPath(random),
        picture_sha256: picture.sha256,
        picture_bytes: picture.bytes,
        format: picture.format,
        file_version: version,
        previous_version: frame.reported_version,
        gets: 0,
        cycle: 0,
        coverage: null,
        vouched_by: null,
        offered_at: now,
        announced_at: null,
        fetched_at: null,
        shown_at: null,
        confirmed_at: null,
        failed_at: null,
        reason: null,
        replaced_at: null,
      };
      await uploads().insert(row);
      return row;
    },

    /** A new version and path for an offer that the frame marked as stored without ever having taken it (W-12). */
    async offerAgain(upload: UploadRow, frame: FrameRow, now: number, random: Random): Promise<UploadRow> {
      const change = {
        path: newDownloadPath(random),
        file_version: await takeVersion(db, frame, now),
        previous_version: frame.reported_version,
        gets: 0,
        coverage: null,
        vouched_by: null,
        announced_at: null,
        fetched_at: null,
        shown_at: null,
        confirmed_at: null,
        failed_at: null,
        reason: null,
      };
      await uploads().where({ id: upload.id }).update(change);
      return { ...upload, ...change };
    },

    /**
     * The frame is being told: the first time counts, downloads and what they covered start anew with each cycle. With
     * `anew` what earlier cycles proved is forgotten too (W-13).
     */
    announced: (id: string, now: number, anew: boolean): Promise<number> =>
      uploads()
        .where({ id })
        .update({
          announced_at: db.raw('coalesce(announced_at, ?)', [now]),
          gets: 0,
          cycle: db.raw('cycle + 1'),
          coverage: null,
          failed_at: null,
          reason: null,
          // Another upload's download vouches for one announcement, and is looked at again with the next.
          fetched_at: db.raw('case when vouched_by is null then fetched_at end'),
          vouched_by: null,
          ...(anew ? { fetched_at: null, shown_at: null, confirmed_at: null } : {}),
        }),

    /** Counts one GET and returns its ordinal within this cycle. */
    async countGet(id: string): Promise<number> {
      await uploads().where({ id }).increment('gets', 1);
      return (await uploads().where({ id }).first('gets'))?.gets ?? 0;
    },

    /**
     * Adds an ended answer to what those of its version covered in its cycle, and returns the sum; undefined when the
     * cycle is over. The row is written first, which locks it: two answers that end together are both counted.
     */
    async cover(begun: UploadRow, answer: EndedAnswer): Promise<Coverage | undefined> {
      const { id, file_version, cycle } = begun;
      const same = () => uploads().where({ id, file_version, cycle });
      if ((await same().update({ gets: db.raw('gets') })) === 0) return undefined;
      const coverage = afterAnswer(coverageOf((await same().first('coverage')) ?? { coverage: null }), answer);
      await same().update({ coverage: JSON.stringify(coverage) });
      return coverage;
    },

    /**
     * Every byte of this very version went to the frame's connection, which then ended well. The first download counts;
     * one that only vouched gives way to it.
     */
    fetched: (id: string, version: number, at: number): Promise<number> =>
      uploads()
        .where({ id, file_version: version })
        .where((open) => void open.whereNull('fetched_at').orWhereNotNull('vouched_by'))
        .update({ fetched_at: at, vouched_by: null }),

    /** The upload whose bytes a frame took last, apart from this one. */
    lastFetchedBefore: ({ id, serial }: UploadRow): Promise<UploadRow | undefined> =>
      uploads().where({ serial }).whereNot({ id }).whereNotNull('fetched_at').orderBy('fetched_at', 'desc').first(),

    /** The frame took these very bytes before, under another upload, and shows them still. */
    vouched: ({ id, file_version }: UploadRow, by: string, at: number): Promise<number> =>
      uploads().where({ id, file_version, fetched_at: null }).update({ fetched_at: at, vouched_by: by }),

    /** The frame says it shows this version. A claim only: `weigh-evidence` looks for the download too. */
    shown: (id: string, version: number, at: number): Promise<number> =>
      uploads().where({ id, file_version: version }).update({ shown_at: at, failed_at: null, reason: null }),

    /** The frame said at a later wake that this version is what it holds (W-15). */
    confirmed: (id: string, version: number, at: number): Promise<number> =>
      uploads()
        .where({ id, file_version: version })
        .update({ confirmed_at: at, shown_at: db.raw('coalesce(shown_at, ?)', [at]) }),

    /** Nothing is known any more of how far the newest offer of a frame came. */
    forgetProof: (serial: string): Promise<number> =>
      uploads()
        .where({ serial: serialKey(serial), replaced_at: null })
        .update({ fetched_at: null, vouched_by: null, coverage: null, shown_at: null, confirmed_at: null }),

    /** The frame says the update went wrong. The offer stands: it is announced again at the next wake. */
    failed: (id: string, at: number, reason: string): Promise<number> =>
      uploads().where({ id, shown_at: null }).update({ failed_at: at, reason }),

    /** It cannot be announced, for this reason; 0 when that is known already. */
    stuck: (id: string, at: number, reason: string): Promise<number> =>
      uploads().where({ id }).whereRaw('reason is distinct from ?', [reason]).update({ failed_at: at, reason }),
  };
}

async function takeVersion(db: Database, frame: FrameRow, now: number): Promise<number> {
  const version = nextFileVersion(frame.reported_version, frame.announced_version, now);
  if (version === undefined) throw refuse('versions-used-up');
  await db('frames').where({ serial: frame.serial }).update({ announced_version: version });
  return version;
}

/** The queries of the upload log. Every change of a row is a compare-and-set, so that it may run again. */

import { nextFileVersion } from '../../firmware-protocol/versions.ts';
import { type Because, storedReasons } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Database } from '../../runtime/database/database.ts';
import { firstRow } from '../../runtime/database/plain-sql.ts';
import type { Moment } from '../../runtime/moment.ts';
import type { ReportGrade } from '../frames/grades.ts';
import { whyNotDrawn } from '../frames/named-panel.ts';
import { type FrameRow, serialKey } from '../frames/registry.ts';
import { keepShowing } from './keep-showing.ts';
import { firstSinceFetch, gradeReachedAt, noProof, notBefore, strongestGrade } from './not-before.ts';
import { newDownloadPath, newUpload, type OfferedPicture, ofOwner, type UploadRow, wasShown } from './upload-row.ts';

// The text is put together once, because prepared statements are cached by their text.
const newestOffer = `select * from uploads where serial = ? and replaced_at is null and ${ofOwner}
  order by offered_at desc limit 1`;

/** The log's queries over a database or a transaction. */
export function uploadLog(db: Database): UploadLog {
  return new UploadLog(db);
}

/** The upload log over a database or a transaction. */
class UploadLog {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  #uploads() {
    return this.#db<UploadRow>('uploads');
  }

  find(id: string): Promise<UploadRow | undefined> {
    return firstRow(this.#db, 'select * from uploads where id = ?', [id]);
  }

  byPath(path: string): Promise<UploadRow | undefined> {
    return firstRow(this.#db, 'select * from uploads where path = ?', [path]);
  }

  /** Finds what a frame was offered under a version; the version of an earlier showing belongs to the history. */
  ofVersion(serial: string, version: number): Promise<UploadRow | undefined> {
    return this.#uploads()
      .where({ serial: serialKey(serial), file_version: version })
      .first();
  }

  /** The newest offer of a frame is the only one that is still announced to it: the newest wins between wakes. */
  newest(serial: string): Promise<UploadRow | undefined> {
    return firstRow(this.#db, newestOffer, [serialKey(serial)]);
  }

  /** The frame of an offer while it belongs to whom the picture was offered; undefined once it changed hands (T-63). */
  ownerOf({ serial, ownership }: UploadRow): Promise<Pick<FrameRow, 'session_epoch' | 'dialect'> | undefined> {
    const sql = 'select session_epoch, dialect from frames where serial = ? and ownership = ?';
    return firstRow(this.#db, sql, [serial, ownership]);
  }

  /** Ends every offer of a frame that changes hands: none of them is announced or fetched any longer. */
  endAll(serial: string, now: number): Promise<number> {
    return this.#uploads()
      .where({ serial: serialKey(serial), replaced_at: null })
      .update({ replaced_at: now });
  }

  /** Finds the last picture that a frame took whole and then reported as shown. */
  lastShown(serial: string): Promise<UploadRow | undefined> {
    return this.#uploads()
      .where({ serial: serialKey(serial) })
      .whereRaw(ofOwner)
      .whereRaw(wasShown)
      .orderBy('shown_at', 'desc')
      .first();
  }

  /** Lists offers of a frame, the newest first. */
  recent(serial: string, limit: number): Promise<UploadRow[]> {
    return this.#uploads()
      .where({ serial: serialKey(serial), showing_of: null })
      .whereRaw(ofOwner)
      .orderBy([
        { column: 'offered_at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .limit(limit);
  }

  /**
   * Offers a picture to a frame and replaces the offer before. The version is taken here, so that it strictly
   * increases whatever happens next (INV-32).
   */
  async offer(picture: OfferedPicture, { now, random }: Moment): Promise<UploadRow> {
    const serial = serialKey(picture.serial);
    const frame = await this.#db<FrameRow>('frames').where({ serial }).forUpdate().first();
    if (frame === undefined) throw new Error(`frame ${serial} is not provisioned`);
    const trouble = whyNotDrawn(frame, picture.panel);
    if (trouble !== undefined) throw refuse('other-panel', { message: trouble });
    const version = await takeVersion(this.#db, frame, now);
    await this.#uploads().where({ serial, replaced_at: null }).update({ replaced_at: now });
    const row = newUpload(frame, picture, version, { now, random });
    await this.#uploads().insert(row);
    return row;
  }

  /**
   * Gives an offer a new version and path, because the frame marked it as stored without ever having taken it (W-12), or
   * because its picture was made again. What it has shown of it stays in the history.
   */
  async offerAgain(
    upload: UploadRow,
    frame: FrameRow,
    { now, random }: Moment,
    remade: Partial<UploadRow> = {},
  ): Promise<UploadRow> {
    await keepShowing(this.#db, upload, { now, random });
    const change = {
      ...remade,
      path: newDownloadPath(random),
      file_version: await takeVersion(this.#db, frame, now),
      previous_version: frame.reported_version,
      gets: 0,
      coverage: null,
      vouched_by: null,
      announced_at: null,
      ...noProof,
      failed_at: null,
      reason: null,
    };
    await this.#uploads().where({ id: upload.id }).update(change);
    return { ...upload, ...change };
  }

  /**
   * Records an announcement. The time of the first one is kept; downloads and the bytes they covered are counted again in
   * each cycle. With `again` the proof of earlier cycles is forgotten too (W-13).
   */
  announced(id: string, now: number, anew: boolean): Promise<number> {
    return this.#uploads()
      .where({ id })
      .update({
        announced_at: this.#db.raw('coalesce(announced_at, ?)', [notBefore(this.#db, 'offered_at', now)]),
        gets: 0,
        cycle: this.#db.raw('cycle + 1'),
        coverage: null,
        failed_at: null,
        reason: null,
        // The download of an earlier upload attests one announcement only; the next one looks for it again.
        fetched_at: this.#db.raw('case when vouched_by is null then fetched_at end'),
        vouched_by: null,
        ...(anew ? noProof : {}),
      });
  }

  /**
   * Records that every byte of this version went to the frame's connection, which then ended well. The first download
   * counts; a download of an earlier upload that attested this one gives way to it.
   */
  fetched(id: string, version: number, at: number): Promise<number> {
    return this.#uploads()
      .where({ id, file_version: version })
      .where((open) => void open.whereNull('fetched_at').orWhereNotNull('vouched_by'))
      .update({
        // EV-03: once the frame has reported that it shows the picture, no time of the proof moves.
        fetched_at: this.#db.raw('case when shown_at >= fetched_at then fetched_at else ? end', [
          notBefore(this.#db, 'announced_at', at),
        ]),
        vouched_by: null,
      });
  }

  /** Finds the upload whose bytes a frame took last, apart from this one. */
  lastFetchedBefore({ id, serial }: UploadRow): Promise<UploadRow | undefined> {
    return this.#uploads()
      .where({ serial })
      .whereRaw(ofOwner)
      .whereNot({ id })
      .whereNotNull('fetched_at')
      .orderBy('fetched_at', 'desc')
      .first();
  }

  /** Records that the frame took these bytes before, under another upload, and still shows them. */
  attested({ id, file_version }: UploadRow, by: string, at: number): Promise<number> {
    return this.#uploads().where({ id, file_version, fetched_at: null }).update({ fetched_at: at, vouched_by: by });
  }

  /**
   * Records the frame's report that it shows this version. The report is a claim only: `weigh-evidence` looks for the
   * download too. For a file that could not be sent the report is not even a claim (T-67).
   */
  shown(id: string, version: number, at: number, grade: ReportGrade): Promise<number> {
    const shown_at = firstSinceFetch(this.#db, 'shown_at', at);
    const graded_at = gradeReachedAt(this.#db, grade, at);
    return this.#uploads()
      .where({ id, file_version: version })
      .where((sent) => void sent.whereNull('remake_at').orWhereNotNull('fetched_at'))
      .update({ shown_at, grade: strongestGrade(this.#db, grade), graded_at, failed_at: null, reason: null });
  }

  /** Records that the frame reported this version as its stored one at a later wake (W-15). */
  confirmed(id: string, version: number, at: number, grade: ReportGrade): Promise<number> {
    const [shown_at, confirmed_at] = [
      firstSinceFetch(this.#db, 'shown_at', at),
      firstSinceFetch(this.#db, 'confirmed_at', at),
    ];
    const graded_at = gradeReachedAt(this.#db, grade, at);
    const report = { shown_at, confirmed_at, grade: strongestGrade(this.#db, grade), graded_at };
    return this.#uploads().where({ id, file_version: version }).update(report);
  }

  /** Forgets how far the newest offer of a frame came. */
  forgetProof(serial: string): Promise<number> {
    return this.#uploads()
      .where({ serial: serialKey(serial), replaced_at: null })
      .update({ ...noProof, vouched_by: null, coverage: null });
  }

  /**
   * Records the frame's report that the update failed: the first report of this reason counts (EV-07). The offer stands: it
   * is announced again at the next wake.
   */
  failed(id: string, at: number, because: Because): Promise<number> {
    const reason = storedReasons(because);
    const kept = 'case when failed_at is not null and reason = ? then failed_at else ? end';
    const first = this.#db.raw(kept, [reason, at]);
    return this.#uploads().where({ id, shown_at: null }).update({ failed_at: first, reason });
  }

  /** Records why an upload cannot be announced; returns 0 when the reason is recorded already. */
  stuck(id: string, at: number, because: Because): Promise<number> {
    const reason = storedReasons(because);
    return this.#uploads()
      .where({ id })
      .whereRaw('reason is distinct from ?', [reason])
      .update({ failed_at: at, reason });
  }
}

async function takeVersion(db: Database, frame: FrameRow, now: number): Promise<number> {
  const version = nextFileVersion(frame.reported_version, frame.announced_version, now);
  if (version === undefined) throw refuse('versions-used-up');
  await db('frames').where({ serial: frame.serial }).update({ announced_version: version });
  return version;
}

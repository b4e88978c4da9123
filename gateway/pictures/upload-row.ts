/** A row of the upload log, and the values that are read out of it. */

import type { Panel } from '../../firmware-protocol/panels.ts';
import { newRow, type RowIn } from '../../runtime/database/table.ts';
import type { Moment } from '../../runtime/moment.ts';
import type { Random } from '../../runtime/random.ts';
import type { Grade, ReportGrade } from '../frames/grades.ts';
import type { FrameRow } from '../frames/registry.ts';
import { type Coverage, nothingCovered } from './coverage.ts';
import { picturesTables } from './tables.ts';

/** A row of `uploads`. */
export type UploadRow = RowIn<
  typeof picturesTables,
  'uploads',
  { format: Panel['packing'] | null; grade: ReportGrade | null }
>;

/** A picture offered to a frame: its file must have been stored before. */
export interface OfferedPicture {
  readonly serial: string;
  readonly revision: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly format: Panel['packing'];
  /** Name of the panel that the file is made for. */
  readonly panel: string;
  /** The offerer's note about its making, for `made_of`. */
  readonly madeOf?: string | undefined;
}

/** A stored picture that is not yet offered to a frame. */
export type MadePicture = Omit<OfferedPicture, 'serial' | 'revision'>;

/** The revision of the neutral picture, for a frame whose glass may still show a former owner's picture (T-63). */
export const neutralRevision = 'notice:neutral';

/** SQL condition on `uploads`: the offer was made while the frame was its present owner's (T-63). */
export const ofOwner = 'uploads.ownership = (select ownership from frames where frames.serial = uploads.serial)';

/** SQL condition on `uploads`: the frame took the picture whole and then reported that it shows it (EV-05). */
export const wasShown = `uploads.shown_at is not null and uploads.fetched_at is not null
  and uploads.shown_at >= uploads.fetched_at`;

/** The coverage that the ended answers of an upload's present cycle add up to. */
export function coverageOf({ coverage }: Pick<UploadRow, 'coverage'>): Coverage {
  return coverage === null ? nothingCovered : (JSON.parse(coverage) as Coverage);
}

/** Ten characters hold 60 random bits, and leave prefix and path within the 49 characters of a classic frame (W-04). */
const pathSecretCharacters = 10;

/** The path under which a picture is fetched. It cannot be guessed, because the frame sends no credentials with it (W-07). */
export function newDownloadPath(random: Random): string {
  return `/f/${random.secret(8).slice(0, pathSecretCharacters)}`;
}

/** The path before those of frames that poll: together with the host it is the base address that their owners enter. */
export const polledPrefix = '/trmnl';

/** The length of every download path. */
export const downloadPathCharacters = '/f/'.length + pathSecretCharacters;

function sleepUnderWay({ asleep_until: until, last_contact_at: since }: FrameRow, now: number): number | null {
  return until === null || since === null || until <= now ? null : Math.ceil((until - since) / 1000);
}

/** The row of a new offer: nothing has happened to it yet. */
export function newUpload(
  frame: FrameRow,
  picture: OfferedPicture,
  version: number,
  { now, random }: Moment,
): UploadRow {
  return newRow(picturesTables, 'uploads', {
    id: random.id(),
    serial: frame.serial,
    revision: picture.revision,
    path: newDownloadPath(random),
    picture_sha256: picture.sha256,
    picture_bytes: picture.bytes,
    format: picture.format,
    panel: picture.panel,
    file_version: version,
    previous_version: frame.reported_version,
    gets: 0,
    offered_at: now,
    ownership: frame.ownership,
    made_of: picture.madeOf ?? null,
    asleep_seconds: sleepUnderWay(frame, now),
  });
}

/** The grade of an upload as it stands. A claim without the download is worth nothing (W-11). */
export function gradeOf({ fetched_at, shown_at, grade }: Pick<UploadRow, 'fetched_at' | 'shown_at' | 'grade'>): Grade {
  if (fetched_at === null) return 'offered';
  return shown_at === null || shown_at < fetched_at ? 'fetched' : (grade ?? 'reported');
}

/** What a frame was offered last, and the bytes of it. */
import type { Database } from '../runtime/database.ts';
import type { DurableFolder } from '../runtime/durable-folder.ts';
import { type UploadRow, uploadLog } from './upload-log.ts';

/** The newest offer of a frame. */
export interface LastOffer {
  /** The offerer's word for its content. */
  readonly revision: string;
  readonly sha256: string;
  /** The frame said that the update to it went wrong, and nothing better since. */
  readonly failed: boolean;
  /** The packed file, or undefined when it is gone. */
  read(): Promise<Buffer | undefined>;
}

/** Looks it up; undefined when there never was one. */
export async function lastOffer(
  db: Database,
  pictures: Pick<DurableFolder, 'get'>,
  serial: string,
): Promise<LastOffer | undefined> {
  return describe(pictures, await uploadLog(db).newest(serial));
}

/**
 * What a frame shows: the last picture that it took whole and reported since. Undefined when nothing is known.
 * @param since offers from before are left out
 */
export async function lastShown(
  db: Database,
  pictures: Pick<DurableFolder, 'get'>,
  serial: string,
  since: number,
): Promise<LastOffer | undefined> {
  return describe(pictures, await uploadLog(db).lastShown(serial, since));
}

function describe(pictures: Pick<DurableFolder, 'get'>, upload: UploadRow | undefined): LastOffer | undefined {
  if (upload === undefined) return undefined;
  const { revision, picture_sha256: sha256, failed_at } = upload;
  return { revision, sha256, failed: failed_at !== null, read: () => pictures.get(sha256) };
}

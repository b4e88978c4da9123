/** The picture that a frame was offered last or shows, with its bytes. */
import { serialKey } from '../frames/registry.ts';
import { type ReadDeps, readPicture } from './read-picture.ts';
import { uploadLog } from './upload-log.ts';
import type { UploadRow } from './upload-row.ts';

/** An offer of a frame, with access to its file. */
export interface LastOffer {
  /** The offerer's own name of the content. */
  readonly revision: string;
  readonly sha256: string;
  /** True when the frame reported that the update failed, and has not reported success since. */
  readonly failed: boolean;
  /** The packed file, or undefined when it is gone or damaged. */
  read(): Promise<Buffer | undefined>;
}

/** Looks up the newest offer of a frame; undefined when there never was one. */
export async function lastOffer(deps: ReadDeps, serial: string): Promise<LastOffer | undefined> {
  return describe(deps, await uploadLog(deps.db).newest(serial));
}

/** Looks up the last picture that a frame took whole and then reported as shown; undefined when there is none. */
export async function lastShown(deps: ReadDeps, serial: string): Promise<LastOffer | undefined> {
  return describe(deps, await uploadLog(deps.db).lastShown(serial));
}

/** Looks up any offer that the frame's present owner made (T-63), by its id. */
export async function offeredPicture(deps: ReadDeps, serial: string, id: string): Promise<LastOffer | undefined> {
  const log = uploadLog(deps.db);
  const upload = await log.find(id);
  const isTheirs = upload?.serial === serialKey(serial) && (await log.ownerOf(upload)) !== undefined;
  return describe(deps, isTheirs ? upload : undefined);
}

function describe(deps: ReadDeps, upload: UploadRow | undefined): LastOffer | undefined {
  if (upload === undefined) return undefined;
  const { revision, picture_sha256: sha256, failed_at } = upload;
  return { revision, sha256, failed: failed_at !== null, read: () => readPicture(deps, upload) };
}

/** The pictures of one gateway: they are stored, offered, read again, and made again when their files are lost. */

import type { Database } from '../../runtime/database/database.ts';
import type { DurableFolder } from '../../runtime/disk/durable-folder.ts';
import type { Random } from '../../runtime/random.ts';
import type { TraitsOf } from '../frames/dialect-traits.ts';
import { type Evidence, evidenceOf, newestEvidence } from './evidence.ts';
import { type LastOffer, lastOffer, lastShown, offeredPicture } from './last-offer.ts';
import { offerPicture } from './offer-picture.ts';
import { type LostPicture, lostPictures, type ReadDeps, remakeLater, remakeOffer } from './read-picture.ts';
import type { MadePicture, OfferedPicture } from './upload-row.ts';

interface PictureDeps extends ReadDeps {
  readonly random: Random;
  readonly pictures: DurableFolder;
  readonly traitsOf: TraitsOf;
}

/** Composes the functions of the pictures that other rooms call. */
export function openPictures(deps: PictureDeps) {
  const { db, clock, random, pictures, traitsOf } = deps;
  return {
    /** Stores a picture file durably; its digest is its name. */
    storePicture: (file: Uint8Array): Promise<string> => pictures.put(file),

    /** Claims a stored picture for an offer that is made at once; false when it has to be stored again. */
    keepPicture: (sha256: string): Promise<boolean> => pictures.keep(sha256),

    /** The newest offer of a frame, if any. */
    lastOffer: (serial: string): Promise<LastOffer | undefined> => lastOffer(deps, serial),

    /** The picture that a frame shows; undefined when nothing is known. */
    lastShown: (serial: string): Promise<LastOffer | undefined> => lastShown(deps, serial),

    /** Any offer of the frame's present owner, by its id. */
    offeredPicture: (serial: string, id: string): Promise<LastOffer | undefined> => offeredPicture(deps, serial, id),

    /** Writes an offer into the upload log, in the caller's transaction. Call `announce` after the commit. */
    offerPicture: (trx: Database, picture: OfferedPicture) => offerPicture(trx, picture, { now: clock.now(), random }),

    evidence: (uploadId: string, within: Database = db) => evidenceOf(within, traitsOf, uploadId),
    /** The evidence of the last picture that a frame was offered, if any. */
    newestEvidence: (serial: string): Promise<Evidence | undefined> => newestEvidence(db, traitsOf, serial),

    /** Lists the offers whose files were found missing or damaged, and which are due to be made again (T-67). */
    lostPictures: (): Promise<LostPicture[]> => lostPictures(db, clock.now()),
    /** Puts a picture that was made again into its offer, in the caller's transaction; true when it has to be announced. */
    remakeOffer: (trx: Database, lost: LostPicture, picture: MadePicture) =>
      remakeOffer(trx, lost, picture, { now: clock.now(), random }),
    /** Postpones the next attempt to make a picture again. */
    remakeLater: (uploadId: string, at: number): Promise<void> => remakeLater(db, uploadId, at),
  };
}

/** An image of a device's own as it was stored, and the upload that a message repeats. */
import type { Because } from '../../reasons/reason.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { AttemptRow } from '../delivery-state/upload-attempts.ts';
import type { UploadReason } from '../delivery-state/upload-reasons.ts';
import { type DeviceImageRow, deviceImages } from '../devices/device-images.ts';
import { revisionOf } from '../devices/shown-item.ts';
import type { DeviceRow } from '../devices/store.ts';

/** The way of an image to its frame. `uploadAttemptId` names the attempt in the device's upload log (C-55). */
export interface ImageOffer {
  readonly skippedUpload: boolean;
  readonly reason: UploadReason;
  readonly message?: Because;
  readonly similarityPercentage: number | null;
  readonly uploadAttemptId: string;
}

/** An image that was stored, its device, and the offer of it. */
export interface StoredImage {
  readonly device: DeviceRow;
  readonly image: DeviceImageRow;
  readonly offer: ImageOffer;
  /** The call only repeats an upload that was taken before: nothing was stored. */
  readonly isRepeat: boolean;
}

/** Finds the upload that a message repeats; undefined for a new one, and for one whose image is no longer kept. */
export async function findRepeatedImage(
  db: Database,
  device: DeviceRow,
  named: string | undefined,
): Promise<StoredImage | undefined> {
  if (named === undefined) return undefined;
  const revision = revisionOf({ kind: 'deviceImage', id: named });
  const image = await deviceImages(db).ofRevision(device.id, revision);
  const attempt = image && (await attemptOf(db, device.id, { named, revision }));
  if (image === undefined || attempt === undefined) return undefined;
  const skippedUpload = attempt.skipped === 1;
  const reason: UploadReason = skippedUpload ? 'similarity-threshold-met' : 'device-frame-uploaded';
  const { similarity: similarityPercentage, attempt_id: uploadAttemptId } = attempt;
  return { device, image, offer: { skippedUpload, reason, similarityPercentage, uploadAttemptId }, isRepeat: true };
}

/** The attempt of an image: by its offer, or by its name where nothing was offered. */
const attemptOf = (
  db: Database,
  deviceId: string,
  { named, revision }: { readonly named: string; readonly revision: string },
): Promise<AttemptRow | undefined> =>
  db<AttemptRow>('upload_attempts')
    .where({ device_id: deviceId })
    .where((any) => {
      any.where({ attempt_id: named }).orWhereIn('upload_id', db('uploads').where({ revision }).select('id'));
    })
    .orderBy('started_at')
    .first();

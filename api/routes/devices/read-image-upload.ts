/** Reads the form of an upload to a device. */
import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { deadlineField } from '../../deadlines/deadline-of-upload.ts';
import { newImageName } from '../../devices/device-images.ts';
import { noPicture } from '../../files/accept-picture.ts';
import type { UploadedFile } from '../../http/uploaded-file.ts';
import { showFromMeans, showUntilMeans } from '../../timed-pictures/schedule-picture.ts';
import type { ImageUpload } from '../../uploads/offer-image.ts';

/** The text fields that matter; others are ignored (C-08). An empty field is like a missing one. */
export const imageFields = z.object({
  uuid: z.union([z.literal('').transform(() => undefined), newImageName]).optional(),
  forceUpload: z.string().optional(),
  showFrom: z.string().describe(showFromMeans).optional(),
  showUntil: z.string().describe(showUntilMeans).optional(),
  deadline: deadlineField,
});

/**
 * Reads the form. The contract names no file fields, so any name will do: one file is the source; of two, the first is
 * ready for the panel. A file named `pictureDevice` is ready for the panel wherever it stands.
 * @throws Refusal that names the field
 */
export function readImageUpload(fields: z.output<typeof imageFields>, files: readonly UploadedFile[]): ImageUpload {
  if (files.length > 2) throw refuse('invalid-request', { message: reasonOf('pictures-two') });
  const named = files.filter(({ field }) => field === 'pictureDevice');
  if (named.length > 1) throw refuse('invalid-request', { message: reasonOf('device-pictures-two') });
  const ready = named[0] ?? (files.length === 2 ? files[0] : undefined);
  const picture = files.find((file) => file !== ready) ?? ready;
  if (picture === undefined) throw noPicture();
  const force = fields.forceUpload === 'true' || fields.forceUpload === '1';
  return { uuid: fields.uuid, picture, ready, force };
}

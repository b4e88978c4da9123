/** The form of an upload to a device, as what it means (A-28, C-05 to C-08). */
import { z } from 'zod';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { noPicture } from '../files/accept-picture.ts';
import type { UploadedFile } from '../http/route.ts';
import { newImageName } from './device-images.ts';

/** The text fields that count; others are ignored (C-08). An empty one is like none. */
export const imageFields = z.object({
  uuid: z.union([z.literal('').transform(() => undefined), newImageName]).optional(),
  forceUpload: z.string().optional(),
});

/** What somebody sends to a device. */
export interface ImageUpload {
  readonly uuid: string | undefined;
  /** The source: fitted to the frame and dithered, unless there is a picture that is ready for the panel. */
  readonly picture: UploadedFile;
  readonly ready: UploadedFile | undefined;
  /** Offers the picture to the frame although it has it already. */
  readonly force: boolean;
}

/**
 * Reads the form. The contract names no file fields, so any name will do: one file is the source, of two the first is
 * ready for the panel; a file named `pictureDevice` is that one wherever it stands.
 * @throws Refusal that names the field
 */
export function readImageUpload(fields: z.output<typeof imageFields>, files: readonly UploadedFile[]): ImageUpload {
  if (files.length > 2) throw refuse('invalid-request', { message: 'More than two pictures' });
  const named = files.filter(({ field }) => field === 'pictureDevice');
  if (named.length > 1) throw refuse('invalid-request', { message: 'More than one pictureDevice' });
  const ready = named[0] ?? (files.length === 2 ? files[0] : undefined);
  const picture = files.find((file) => file !== ready) ?? ready;
  if (picture === undefined) throw noPicture();
  const force = fields.forceUpload === 'true' || fields.forceUpload === '1';
  return { uuid: fields.uuid, picture, ready, force };
}

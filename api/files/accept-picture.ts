/**
 * Accepts a picture that a person uploads: by the same rules as for pushed ones, and GIFs besides, in words that name
 * its field.
 */

import { reasonOf } from '../../reasons/reason.ts';
import { type Refusal, refuse } from '../../reasons/refusals.ts';
import type { FileContent, UploadedFile } from '../http/uploaded-file.ts';
import type { ImageFormat } from '../images/bare-image/bare-image.ts';
import { type NormalizedImage, type QueuePlace, slowSeconds } from '../images/normalize-image.ts';

/** The formats that people upload: phones make HEIC and AVIF, and clients in the field send GIFs (C-06). */
const uploadedFormats: readonly ImageFormat[] = ['jpeg', 'png', 'webp', 'gif', 'heic', 'avif'];

/** Turns a picture from outside, in one of these formats, into an upright PNG without metadata. */
export type NormalizeImage = (
  image: FileContent,
  options: QueuePlace & {
    readonly formats: readonly ImageFormat[];
    readonly keepsDetail: boolean;
    readonly maxSide?: number;
  },
) => Promise<NormalizedImage>;

/**
 * Explains a field without a picture: a form reader recognizes a file by its file name, and without one its bytes are
 * read as text, and lost.
 */
export function noPicture(): Refusal {
  return refuse('invalid-request', {
    message: reasonOf('no-image-file'),
    hint: reasonOf('field-needs-file', { field: 'picture' }),
  });
}

/** A picture that is taken: its plain bytes, PNG or JPEG, and the doubts about its file. */
export type AcceptedPicture = Pick<NormalizedImage & { readonly ok: true }, 'bytes' | 'notes'>;

/**
 * Returns the picture as an upright one without metadata, ready to be stored; with `maxSide`, no side is longer.
 * @throws Refusal `unsupported-image` or `invalid-image`; the bytes decide, whatever the sender calls them (C-06)
 */
export async function acceptPicture(
  normalizeImage: NormalizeImage,
  { field, content }: UploadedFile,
  { maxSide, ...queuePlace }: QueuePlace & { readonly maxSide?: number },
): Promise<AcceptedPicture> {
  const size = maxSide === undefined ? { keepsDetail: true } : { keepsDetail: false, maxSide };
  const image = await normalizeImage(content, { ...queuePlace, formats: uploadedFormats, ...size });
  if (image.ok) return image;
  if (image.problem === 'too-slow') throw refuse('unavailable', { retryAfterSeconds: slowSeconds });
  if (image.problem === 'cut') {
    const percent = Math.floor(image.share * 100);
    throw refuse('invalid-image', {
      message: reasonOf('image-cut', { percent }),
      hint: `${field}: send the whole file once more`,
    });
  }
  if (image.problem === 'broken') {
    throw refuse('invalid-image', {
      message: reasonOf('image-damaged'),
      hint: reasonOf('field-file-broken', { field }),
    });
  }
  const code = image.problem === 'too-many-pixels' ? 'field-many-pixels' : 'field-no-image';
  throw refuse('unsupported-image', { message: reasonOf('images-supported'), hint: reasonOf(code, { field }) });
}

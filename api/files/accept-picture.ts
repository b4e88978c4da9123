/** A picture that a person uploads: the same rules as for pushed ones, GIFs besides, in words that name its field (A-28, T-32). */
import { type Refusal, refuse } from '../../gateway/runtime/refusals.ts';
import type { UploadedFile } from '../http/route.ts';
import type { NormalizedImage } from '../integration/edges.ts';
import type { ImageFormat } from '../rendering/normalize-image.ts';

/** What people upload: clients in the field send GIFs, too (C-06). */
const uploadedFormats: readonly ImageFormat[] = ['jpeg', 'png', 'webp', 'gif'];

/** Turns a picture from outside, in one of these formats, into an upright PNG without metadata. */
export type NormalizeImage = (bytes: Buffer, formats: readonly ImageFormat[]) => Promise<NormalizedImage>;

/** A form reader takes a part for a file by its file name: without one its bytes are read as text, and lost. */
export function noPicture(): Refusal {
  return refuse('invalid-request', {
    message: 'No image file uploaded',
    hint: 'picture: send it as a file; its part needs a filename',
  });
}

/**
 * The picture as an upright PNG without metadata, ready to be stored.
 * @throws Refusal `unsupported-image` or `invalid-image`; the bytes decide, whatever the sender calls them (C-06)
 */
export async function acceptPicture(normalizeImage: NormalizeImage, { field, bytes }: UploadedFile): Promise<Buffer> {
  const image = await normalizeImage(bytes, uploadedFormats);
  if (image.ok) return image.png;
  if (image.problem === 'broken') {
    throw refuse('invalid-image', { message: 'The image is damaged', hint: `${field}: send the whole file` });
  }
  throw refuse('unsupported-image', {
    message: 'Supported images: GIF, JPEG, PNG, WebP, maximum 40 MP',
    hint:
      image.problem === 'too-many-pixels'
        ? `${field}: it has more pixels than that`
        : `${field}: its bytes are no such image`,
  });
}

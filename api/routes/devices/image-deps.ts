/** The dependencies of the routes of devices' images, besides those of all devices' routes. */
import type { Gateway } from '../../../gateway/gateway.ts';
import type { UploadDeadlineDeps } from '../../deadlines/deadline-of-upload.ts';
import type { MissLetters } from '../../drawing/missing-letters.ts';
import type { SignedImages } from '../../files/signed-images.ts';
import type { Rendering } from '../../rendering/rendering.ts';
import type { OfferImageDeps } from '../../uploads/offer-image.ts';
import type { DeviceDeps } from './device-deps.ts';
import type { Frames } from './frames.ts';

export interface ImageDeps extends DeviceDeps, OfferImageDeps {
  readonly deadlines: UploadDeadlineDeps['deadlines'];
  /** Temporary addresses of stored files. */
  readonly images: Pick<SignedImages, 'sign'>;
  /** Takes note of characters of a website that no font here has. */
  readonly missed: MissLetters;
  readonly rendering: Pick<Rendering, 'preparePicture' | 'renderPage'>;
  readonly frames: Frames & OfferImageDeps['frames'] & Pick<Gateway, 'lastShown' | 'offeredPicture'>;
}

/** What the images of devices need from outside, beside what devices need anyway. */
import type { Gateway } from '../../gateway/gateway.ts';
import type { DurableFolder } from '../../gateway/runtime/durable-folder.ts';
import type { NormalizeImage } from '../files/accept-picture.ts';
import type { SignedImages } from '../files/signed-images.ts';
import type { Rendering } from '../rendering/rendering.ts';
import type { DeviceEdges } from './device-edges.ts';
import type { Frames } from './frames.ts';

export interface ImageEdges extends DeviceEdges {
  /** Where pictures are kept, under their digests. */
  readonly files: DurableFolder;
  /** Temporary addresses of stored files. */
  readonly images: Pick<SignedImages, 'sign'>;
  readonly rendering: Pick<Rendering, 'preparePicture' | 'renderPage'>;
  readonly frames: Frames & Pick<Gateway, 'lastShown' | 'storePicture' | 'offerPicture' | 'announce'>;
  readonly normalizeImage: NormalizeImage;
}

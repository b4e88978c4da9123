import type { Gateway } from '../../gateway/gateway.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { DurableFolder } from '../../runtime/disk/durable-folder.ts';
import type { NormalizeImage } from '../files/accept-picture.ts';
import type { Rendering } from '../rendering/rendering.ts';

export interface UploadDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  /** The folder of pictures, each under its digest. */
  readonly files: DurableFolder;
  readonly rendering: Pick<Rendering, 'preparePicture'>;
  readonly frames: Pick<Gateway, 'lastOffer'>;
  readonly normalizeImage: NormalizeImage;
}

/** The dependencies of taking in an upload. */
import type { Gateway } from '../../gateway/gateway.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database.ts';
import type { DurableFolder } from '../../runtime/durable-folder.ts';
import type { Random } from '../../runtime/random.ts';
import type { NormalizeImage } from '../files/accept-picture.ts';
import type { Rendering } from '../rendering/rendering.ts';

export interface UploadDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  /** The folder of pictures, each under its digest. */
  readonly files: DurableFolder;
  readonly rendering: Pick<Rendering, 'preparePicture'>;
  readonly frames: Pick<Gateway, 'lastOffer'>;
  readonly normalizeImage: NormalizeImage;
}

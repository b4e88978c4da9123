/** What the papers need from outside. */
import type { Gateway } from '../../gateway/gateway.ts';
import type { Clock } from '../../gateway/runtime/clock.ts';
import type { Database } from '../../gateway/runtime/database.ts';
import type { DurableFolder } from '../../gateway/runtime/durable-folder.ts';
import type { Random } from '../../gateway/runtime/random.ts';
import type { NormalizeImage } from '../files/accept-picture.ts';
import type { AddressSigner } from '../files/sign-address.ts';
import type { SignedImages } from '../files/signed-images.ts';
import type { Rendering } from '../rendering/rendering.ts';

export interface PaperEdges {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  /** Where pictures are kept, under their digests. */
  readonly files: DurableFolder;
  /** Temporary addresses: of stored files, and of what may be done without credentials. */
  readonly images: Pick<SignedImages, 'sign'>;
  readonly signer: AddressSigner;
  readonly rendering: Pick<Rendering, 'preparePicture'>;
  readonly frames: Pick<Gateway, 'lastOffer'>;
  readonly normalizeImage: NormalizeImage;
  /** Says that delivery may have something to do; called after the transaction. */
  nudge(): void;
}

import type { Gateway } from '../../../gateway/gateway.ts';
import type { ChangesHub } from '../../changes/changes-hub.ts';
import type { UploadDeadlineDeps } from '../../deadlines/deadline-of-upload.ts';
import type { UploadDeps } from '../../delivery-state/upload-deps.ts';
import type { AddressSigner } from '../../files/sign-address.ts';
import type { SignedImages } from '../../files/signed-images.ts';
import type { RateLimit } from '../../http/limit-rate.ts';
import type { PaperRow } from '../../papers/store.ts';
import type { WakeFacts } from '../../timed-pictures/describe-timed.ts';

export interface PaperDeps extends UploadDeps {
  readonly deadlines: UploadDeadlineDeps['deadlines'];
  /** Temporary addresses, of stored files and of calls that need no credentials. */
  readonly images: Pick<SignedImages, 'sign'>;
  readonly signer: AddressSigner;
  /** The key that logins and the secrets of settings are sealed with. */
  readonly sealKey: Uint8Array;
  readonly frames: UploadDeps['frames'] & WakeFacts & Pick<Gateway, 'lastOffer' | 'offeredPicture' | 'traitsOf'>;
  /** The limit on tries of guest links that nobody has, by address. */
  readonly limitGuests: RateLimit;
  /** The time that a request for an image waits for a picture that delivery is drawing; 0 where nothing draws. */
  readonly drawPatienceMs: number;
  /** Notifies open streams of papers that were removed. */
  readonly changes: Pick<ChangesHub, 'left'>;
  /** Notes the hosts that a recipe asks, for which the secrets of its paper were typed; called after the transaction. */
  readonly noteHosts: (paper: PaperRow) => Promise<void>;
  /** Wakes the delivery line, which may have something to do; called after the transaction. */
  nudge(): void;
}

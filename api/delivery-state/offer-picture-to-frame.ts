/**
 * The one way on which a picture is offered to a frame, for pushed content, papers, and images of a device's own: the
 * rows that allow it are locked and checked again, it is made, noted and remembered in the same transaction, and the
 * frame is notified after the commit.
 */
import type { Gateway } from '../../gateway/gateway.ts';
import type { MadePicture } from '../../gateway/pictures/upload-row.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { type Transaction, transact } from '../../runtime/database/database.ts';
import { revisionOf, type ShownItem } from '../devices/shown-item.ts';
import { type RememberedPicture, rememberPicture } from '../devices/shown-pictures.ts';
import { lockPaper } from '../papers/lock-paper.ts';
import { paperStore } from '../papers/store.ts';
import { type EndedAttempt, uploadAttempts } from './upload-attempts.ts';

export interface OfferDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  readonly gateway: Pick<Gateway, 'offerPicture' | 'announce'>;
}

/** An offer that is to be made to a device, with the steps in which the kinds of offer differ. */
export interface OfferRequest<Decided extends OfferDecision> {
  readonly deviceId: string;
  readonly shown: ShownItem;
  /** The attempt's name where nothing is offered; a new one unless given. An offer's attempt has the offer's name. */
  readonly unofferedAs?: string | undefined;
  /** The paper whose picture is offered; an image of the device's own has none. */
  readonly paper?: { readonly id: string; readonly kind: string } | undefined;
  /**
   * Locks the rows that allow the offer and checks them again (INV-30); rows that are stored together with the offer
   * are stored here. Undefined when the offer is no longer allowed: then nothing is written at all.
   */
  decide(trx: Transaction, now: number): Promise<Decided | undefined>;
  /** Writes the caller's own rows about the offer. False takes everything back. */
  record?(trx: Transaction, decided: Decided, uploadId: string, now: number): Promise<boolean>;
  /** True when the offer ends the attempts of uploads to the paper. Otherwise it is a separate attempt. */
  readonly answersUploads?: boolean;
  /** The facts to remember; left out for a picture that a device does not show in the long run. */
  readonly remember?: Pick<RememberedPicture, 'edition' | 'position' | 'madeFor' | 'remarks'> | undefined;
  /** Called after the commit, before the frame is notified. */
  committed?(decided: Decided, now: number): void;
}

/** The decision in the transaction of the offer. */
export interface OfferDecision {
  /** Null for a device without a frame. */
  readonly serial: string | null;
  /** Undefined when nothing is offered: the frame has the picture, or takes none. */
  readonly picture: MadePicture | undefined;
  /** More facts about the attempt. */
  readonly attempt?: Pick<EndedAttempt, 'forced' | 'skipped' | 'similarity' | 'problem' | 'sender'>;
}

/** The outcome of an offer that was allowed. */
export interface OfferOutcome<Decided> {
  readonly decided: Decided;
  /** Names the attempt in the upload log of the device. */
  readonly attemptId: string;
}

/** Rolls an offer back. */
class TakenBack extends Error {}

/** Offers a picture. Undefined when the offer is no longer allowed, or was taken back: nothing has happened then. */
export async function offerPictureToFrame<Decided extends OfferDecision>(
  deps: OfferDeps,
  request: OfferRequest<Decided>,
): Promise<OfferOutcome<Decided> | undefined> {
  const made = await transact(deps.db, (trx) => commitOffer(deps, request, trx)).catch((error: unknown) => {
    if (error instanceof TakenBack) return undefined;
    throw error;
  });
  if (made === undefined) return undefined;
  const { decided, uploadId, attemptId, now } = made;
  request.committed?.(decided, now);
  if (uploadId !== undefined && decided.serial !== null) await deps.gateway.announce(decided.serial);
  return { decided, attemptId };
}

async function commitOffer<Decided extends OfferDecision>(
  { clock, random, gateway }: OfferDeps,
  request: OfferRequest<Decided>,
  trx: Transaction,
) {
  const { deviceId, shown, paper, remember } = request;
  // Newer content, or another paper on this frame, comes before this offer or after it, and never in between.
  if (paper !== undefined) await lockPaper(trx, paper.id);
  const now = clock.now();
  const decided = await request.decide(trx, now);
  if (decided === undefined) return undefined;
  const { serial, picture } = decided;
  const uploadId =
    serial !== null && picture !== undefined
      ? await gateway.offerPicture(trx, { serial, revision: revisionOf(shown), ...picture })
      : undefined;
  const isRecorded =
    uploadId === undefined || request.record === undefined || (await request.record(trx, decided, uploadId, now));
  if (!isRecorded) throw new TakenBack();
  const attemptId = uploadId ?? request.unofferedAs ?? random.id();
  const attempt = { attemptId, deviceId, shown, uploadId: uploadId ?? null, ...decided.attempt };
  const attempts = uploadAttempts(trx);
  if (paper === undefined) await attempts.note({ ...attempt, paperId: null, paperKind: null }, now);
  else {
    const ofPaper = { ...attempt, paperId: paper.id, paperKind: paper.kind };
    await (request.answersUploads ? attempts.answer(ofPaper, now) : attempts.note(ofPaper, now));
    if (remember !== undefined) await rememberPicture(trx, { deviceId, paperId: paper.id, shown, ...remember }, now);
    // An uploaded picture had its time when it was uploaded.
    const isNewImage = remember !== undefined && uploadId !== undefined && shown.kind !== 'picture';
    if (isNewImage) await paperStore(trx).imageChanged(paper.id, now);
  }
  return { decided, uploadId, attemptId, now };
}

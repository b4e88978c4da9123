/** The dependencies that the steps of the delivery line share. */

import type { Cluster } from '../../cluster/cluster.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import type { PicturesBeingMade } from '../../gateway/pictures/being-made.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import type { DeliveryMeter } from '../delivery-state/delivery-measures.ts';
import type { DrawPaper } from '../drawing/draw-paper.ts';
import type { PaperRow } from '../papers/store.ts';
import type { ShowTimed } from '../timed-pictures/show-timed.ts';

/**
 * Says if somebody will see a page that would be drawn for a wake, when it was drawn before for an earlier one (both in epoch
 * ms). Nobody looks in the middle of a sandbox's leap.
 */
export type PageIsSeen = (drawnFor: number, wake: number) => boolean;

export interface LineDeps extends CommonDeps {
  readonly meter?: DeliveryMeter | undefined;
  readonly gateway: Pick<
    Gateway,
    | ('storePicture' | 'keepPicture' | 'offerPicture' | 'announce' | 'evidence')
    | ('lostPictures' | 'remakeOffer' | 'remakeLater')
  >;
  readonly render: DrawPaper;
  /** Counts pictures of frames as being made; left out, nobody asks. */
  readonly whileMaking?: PicturesBeingMade['whileMaking'] | undefined;
  /** Polls the sources of a paper's recipe, and returns whether its data are other ones now. */
  readonly pollRecipe: (paper: PaperRow) => Promise<boolean>;
  /** Shows pictures at their time; returns when it is to be called next. */
  readonly showTimed: ShowTimed;
  /** The serials of the frames that are connected now; left out, none is. */
  readonly connected?: (() => readonly string[]) | undefined;
  /** Asks if a connection may still act: generation, revocation, membership, configuration (INV-30). */
  readonly authorized: (db: Database | Transaction, connectionId: string, generation: number) => Promise<boolean>;
  /** Says if somebody will see a page; see `PageIsSeen`. Without it every page is seen. */
  readonly pageIsSeen?: PageIsSeen | undefined;
  /** Notifies the outbox that callbacks were written. */
  readonly callbacksOwed: () => void;
  readonly cluster: Pick<Cluster, 'id' | 'single' | 'channel' | 'living' | 'isSteady'>;
}

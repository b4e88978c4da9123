/** What the devices' routes ask of the frames' side. Handed in; they know no more of it than this. */
import type { CommandOutcome, CommandWish } from '../../gateway/commands/command-frame.ts';
import type { Ping } from '../../gateway/commands/ping-frame.ts';
import type { FrameFacts } from '../../gateway/frames/frame-facts.ts';
import type { FrameSettings } from '../../gateway/frames/settings.ts';
import type { Evidence } from '../../gateway/pictures/evidence.ts';
import type { LastOffer } from '../../gateway/pictures/last-offer.ts';
import type { Transaction } from '../../gateway/runtime/database.ts';

export type { FrameFacts };

/** Frames by their serial, lower case. */
export interface Frames {
  status(serial: string): Promise<FrameFacts | undefined>;
  /** Serials of the frames that are connected right now. */
  connected(): readonly string[];
  /** Makes a provisioned frame somebody's, within the caller's transaction; `active` when it was already. */
  activate(trx: Transaction, serial: string): Promise<'unknown' | 'activated' | 'active'>;
  /** Takes what a person set for the frame, and returns whether it is news; it is told at its next wake. */
  configure(trx: Transaction, serial: string, settings: FrameSettings): Promise<boolean>;
  /** Tells it at once what was set, if it is awake; to be called after the transaction. */
  announceSettings(serial: string): Promise<void>;
  /** Makes it nobody's. */
  release(trx: Transaction, serial: string): Promise<void>;
  /** Asks it to do something, now or at its next wake; undefined when it is not provisioned. */
  command(serial: string, wish: CommandWish): Promise<CommandOutcome | undefined>;
  /** What it was offered last, if anything. */
  lastOffer(serial: string): Promise<LastOffer | undefined>;
  /** What is known of the last picture that it was offered, if any. */
  readonly newestEvidence: (serial: string) => Promise<Evidence | undefined>;
  /** Whether it is there right now; undefined when it is not provisioned. */
  ping(serial: string, how: { readonly waitForData: boolean }): Promise<Ping | undefined>;
}

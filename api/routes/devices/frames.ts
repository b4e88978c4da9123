/** The calls that the devices' routes make on the gateway. They are handed in; the routes know nothing else of it. */
import type { CommandOutcome, CommandRequest } from '../../../gateway/commands/command-frame.ts';
import type { Ping } from '../../../gateway/commands/ping-frame.ts';
import type { Connection } from '../../../gateway/commands/reach-frames.ts';
import type { TraitsOf } from '../../../gateway/frames/dialect-traits.ts';
import type { FrameFacts } from '../../../gateway/frames/frame-facts.ts';
import type { FrameSettings } from '../../../gateway/frames/settings.ts';
import type { Evidence } from '../../../gateway/pictures/evidence.ts';
import type { LastOffer } from '../../../gateway/pictures/last-offer.ts';
import type { IssuedCredentials } from '../../../gateway/provisioning/provision-frame.ts';
import type { Transaction } from '../../../runtime/database/database.ts';

export type { FrameFacts };

/** Frames by their serial, lower case. */
export interface Frames {
  status(serial: string): Promise<FrameFacts | undefined>;
  /** Serials of the frames that are connected right now. */
  connected(): readonly string[];
  /** The connection of a frame; undefined when it has none. */
  connection(serial: string): Connection | undefined;
  /** Gives a provisioned frame an owner, within the caller's transaction; `active` when it had one already. */
  activate(trx: Transaction, serial: string): Promise<'unknown' | 'activated' | 'active'>;
  /** Stores a person's settings for the frame, and returns whether they changed; they are sent at its next wake. */
  configure(trx: Transaction, serial: string, settings: FrameSettings): Promise<boolean>;
  /** Sends the new settings at once if the frame is awake; to be called after the transaction. */
  announceSettings(serial: string): Promise<void>;
  /** Makes credentials for a serial; they count for nothing until a transaction has stored them. */
  issueCredentials(serial: string, withPassword: boolean): Promise<IssuedCredentials>;
  /** Takes the frame from its owner, and ends the credentials that the owner had made. */
  release(trx: Transaction, serial: string): Promise<void>;
  /** Commands the frame, now or at its next wake; undefined when it is not provisioned. */
  command(serial: string, options: CommandRequest): Promise<CommandOutcome | undefined>;
  /** The address that a frame asks which polls one address. `asked` is the one under which its owner asks the service. */
  pollAddress(serial: string, asked: string): string;
  /** The beginning of the addresses that are entered into a frame with the offline firmware. */
  polledBase(asked: string): string;
  /** The base address that owners of frames which are adopted enter into them. */
  baseAddress(asked: string): string;
  /** Where frames of the other dialects connect by TLS. */
  brokerAddress(): { readonly host: string; readonly port: number };
  /** Returns the last offer to the frame, if there is one. */
  lastOffer(serial: string): Promise<LastOffer | undefined>;
  /** Returns the evidence of the last picture that the frame was offered, if there is one. */
  readonly newestEvidence: (serial: string) => Promise<Evidence | undefined>;
  /** The traits of the dialect in a frame's row. */
  readonly traitsOf: TraitsOf;
  /** Returns whether the frame is reachable right now; undefined when it is not provisioned. */
  ping(serial: string, how: { readonly waitForData: boolean }): Promise<Ping | undefined>;
}

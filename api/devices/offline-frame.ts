/** Makes a frame that runs the vendor's offline firmware: its address, its login and the address of its settings. */
import { maxOfflineCharacters } from '../../firmware-protocol/offline/wire.ts';
import { offlineAddressOf, settingsAddressOf } from '../../gateway/dialects/offline/offline-addresses.ts';
import { giveSettingsAddress } from '../../gateway/dialects/offline/offline-settings.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Transaction } from '../../runtime/database/database.ts';
import type { NewDeviceDeps } from './new-device.ts';
import { type MadePlainFrame, makePlainFrame, type PlainFrameOptions } from './plain-frame.ts';

/** The kinds of such frames: nothing tells the service which one it is (OF-18). */
export const offlineKinds = ['offline7', 'offline13'] as const;

/** The values that are entered into such a frame, all of them shown once. */
export interface OfflineEntries {
  readonly address: string;
  readonly user: string;
  readonly password: string;
  readonly settingsAddress: string;
}

/** A device with what is entered into its frame. */
export interface MadeOfflineFrame extends MadePlainFrame, OfflineEntries {}

/**
 * Makes such a frame a device of an organization, in the caller's transaction. One that is the organization's already is
 * given another password and another address of its settings.
 * @param base the beginning of the addresses
 * @throws Refusal `bad-configuration` where an address is longer than the firmware keeps (OF-3)
 */
export async function makeOfflineFrame(
  trx: Transaction,
  deps: NewDeviceDeps & { readonly activate: (trx: Transaction, serial: string) => Promise<unknown> },
  options: Omit<PlainFrameOptions, 'family'>,
  base: string,
): Promise<MadeOfflineFrame> {
  const made = await makePlainFrame(trx, deps, { ...options, family: 'offline' });
  const secret = await giveSettingsAddress(trx, made.serial, deps.random);
  const address = offlineAddressOf(base, made.serial);
  const settingsAddress = settingsAddressOf(base, secret);
  if (Math.max(address.length, settingsAddress.length) > maxOfflineCharacters) {
    throw refuse('bad-configuration', {
      message: reasonOf('offline-address-too-long', { characters: String(maxOfflineCharacters) }),
    });
  }
  return { ...made, address, user: made.serial, password: made.key, settingsAddress };
}

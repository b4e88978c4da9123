/** Takes a device that asks by itself for a frame: its panel comes from what it said of itself, its key is due. */
import { addressOfSerial, serialOfAddress } from '../../firmware-protocol/trmnl/mac-address.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Transaction } from '../../runtime/database.ts';
import { type FrameRow, frameRegistry } from '../frames/registry.ts';
import { expectFrame } from './frame-keys.ts';
import { forgetAsking, waitingFrame } from './waiting-frames.ts';

/**
 * The serial of a device that is to be adopted.
 * @param text a MAC address or a serial, as people type it
 * @throws Refusal `invalid-request`
 */
export function requireAddress(text: string): string {
  const serial = serialOfAddress(text);
  if (serial !== undefined) return serial;
  throw refuse('invalid-request', {
    message: reasonOf('no-mac-address'),
    hint: 'write it as the frame shows it, for example AA:BB:CC:DD:EE:FF',
  });
}

/**
 * Makes a device a frame and lets it come for its key, in the transaction that gives it an owner. A device that never asked
 * may be adopted beforehand, by its kind.
 * @param kind name of its panel; left out where the device said what it has
 * @throws Refusal `invalid-request` where nobody says the kind
 */
export async function registerAdopted(
  trx: Transaction,
  { clock }: { readonly clock: Clock },
  { serial, kind }: { readonly serial: string; readonly kind?: string | undefined },
): Promise<FrameRow> {
  const now = clock.now();
  const waiting = await waitingFrame(trx, serial);
  const known = await frameRegistry(trx).find(serial);
  const named = kind ?? waiting?.panel ?? known?.kind;
  if (named === undefined) {
    const example = '--kind mono-800x480 (kind in the body of a call)';
    throw refuse('invalid-request', {
      message: reasonOf('adopted-kind-unknown', { address: addressOfSerial(serial) ?? serial }),
      hint:
        waiting === undefined
          ? `give its kind, for example ${example}, or wait until it has asked once: most frames say what panel they have`
          : `it has asked, and says neither a model that is known nor its size: give its kind, for example ${example}`,
    });
  }
  const frame = await frameRegistry(trx).provision(serial, named, now);
  await expectFrame(trx, serial, waiting?.token_hash ?? null, now);
  await forgetAsking(trx, serial);
  return frame;
}

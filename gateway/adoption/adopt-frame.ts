/** Adopts as a frame a device that asks by itself: its panel follows from what it reported, and its key is due. */
import { addressOfSerial, serialOfAddress } from '../../firmware-protocol/trmnl/mac-address.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Transaction } from '../../runtime/database/database.ts';
import { type FrameRow, frameRegistry } from '../frames/registry.ts';
import { expectFrame, isKeyed } from './frame-keys.ts';
import { type AskingRow, askerByCode, askersOf, forgetAsking } from './waiting-frames.ts';

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

/** A device that is to be adopted. */
export interface AdoptedFrame {
  readonly serial: string;
  /** Name of its panel; left out where the device has reported it. */
  readonly kind?: string | undefined;
  /** The code of the one that is meant, where several name themselves so. */
  readonly asker?: string | undefined;
}

/**
 * Makes a device a frame and lets it come for its key, in the transaction that gives it an owner. The key is due to the
 * device that was seen to ask, and to no other that gives the same name (T-109). A device that never asked may be
 * adopted beforehand, by its kind: its key is given to the first that asks.
 * @throws Refusal `invalid-request` where nobody names the kind, `conflict` while several give the same name and none
 * is chosen, `not-found` for an unknown code
 */
export async function registerAdopted(
  trx: Transaction,
  { clock }: { readonly clock: Clock },
  { serial, kind, asker }: AdoptedFrame,
): Promise<FrameRow> {
  const now = clock.now();
  const seen = await meantAsker(trx, serial, asker);
  const known = await frameRegistry(trx).find(serial);
  // A frame that asks for another key is the panel that its owner has taken it for.
  const stays = known?.activation === 'activated' ? known.kind : undefined;
  const named = kind ?? stays ?? seen?.panel ?? known?.kind;
  if (named === undefined) {
    const example = '--kind mono-800x480 (kind in the body of a call)';
    throw refuse('invalid-request', {
      message: reasonOf('adopted-kind-unknown', { address: addressOfSerial(serial) ?? serial }),
      hint:
        seen === undefined
          ? `give its kind, for example ${example}, or wait until it has asked once: most frames say what panel they have`
          : `it has asked, and says neither a model that is known nor its size: give its kind, for example ${example}`,
    });
  }
  const frame = await frameRegistry(trx).provision(serial, named, now);
  await frameRegistry(trx).change(serial, { dialect: 'trmnl' }, now);
  // A frame that has its key, and did not ask for another one, keeps it: the next to ask could be anyone.
  if (seen !== undefined || known === undefined || !isKeyed(known)) {
    await expectFrame(trx, serial, seen ?? { address: null, token_hash: null }, now);
  }
  await forgetAsking(trx, serial);
  return frame;
}

/** The device that is meant; undefined where none has asked. */
async function meantAsker(trx: Transaction, serial: string, code: string | undefined): Promise<AskingRow | undefined> {
  const address = addressOfSerial(serial) ?? serial;
  if (code !== undefined) {
    const row = await askerByCode(trx, serial, code);
    if (row !== undefined) return row;
    throw refuse('not-found', {
      message: reasonOf('asker-unknown', { address, code }),
      hint: 'look at those that ask now: papergate frames waiting, or GET /devices/waiting',
    });
  }
  const [one, other, ...more] = await askersOf(trx, serial);
  if (other === undefined) return one;
  throw refuse('conflict', {
    message: reasonOf('several-ask', { address, count: more.length + 2 }),
    hint: reasonOf('choose-asker', { address }),
  });
}

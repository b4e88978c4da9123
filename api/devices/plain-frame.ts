/** Makes a frame that polls an address of its own, which is a frame like any other whose only credential is its key. */
import type { KindNamed } from '../../gateway/frames/frame-kinds.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { registerSerial, requireSerial, storeKey } from '../../gateway/provisioning/provision-frame.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Transaction } from '../../runtime/database/database.ts';
import { deviceOfFrame, followFrame } from './device-of-frame.ts';
import type { NewDeviceDeps } from './new-device.ts';
import { type DeviceRow, deviceStore } from './store.ts';

/** The dialects of such frames. The serials of each begin with its name. */
export type PollingFamily = 'plain' | 'offline';
/** The name of a frame that polls one address, as people give it. */
export const plainNamePattern = /^[A-Za-z0-9_-]{1,48}$/;

/** A frame that somebody makes. */
export interface PlainFrameOptions {
  readonly name: string;
  readonly kind: string;
  readonly organization: string;
  readonly paper?: string | null | undefined;
  /** How its firmware asks; `plain` unless given. */
  readonly family?: PollingFamily;
}

/** A device with its key, which is shown once. */
export interface MadePlainFrame {
  readonly device: DeviceRow;
  readonly serial: string;
  readonly key: string;
  readonly isNew: boolean;
}

/** The serial of a frame by its name. */
export function plainSerial(name: string, family: PollingFamily = 'plain'): string {
  const start = `${family}-`;
  const serial = (name.toLowerCase().startsWith(start) ? name : `${start}${name}`).toLowerCase();
  requireSerial(serial);
  return serial;
}

/**
 * Makes a frame a device of an organization and gives it a key, in the caller's transaction. One that is the
 * organization's already is given another key in place of the one before.
 * @param activate gives the frame its owner
 * @throws Refusal `frame-taken` for a frame of another organization, `conflict` for one that the operator provisioned
 */
export async function makePlainFrame(
  trx: Transaction,
  deps: NewDeviceDeps & { readonly activate: (trx: Transaction, serial: string) => Promise<unknown> },
  { name, kind, organization, paper, family = 'plain' }: PlainFrameOptions,
): Promise<MadePlainFrame> {
  const { clock, random } = deps;
  const serial = plainSerial(name, family);
  const owned = await deviceStore(trx).findBySerial(serial);
  if (owned !== undefined && owned.organization_id !== organization) throw refuse('frame-taken');
  if (owned === undefined) await requireKeyless(trx, serial, clock.now());
  const named: KindNamed = followFrame;
  await registerSerial(trx, { clock, kindNamed: named }, { serial, kind });
  // The row is locked from here on, so that two who make it at once do so one after the other.
  await frameRegistry(trx).known(serial);
  // It takes no commands, which has to be known before it asks for the first time.
  await frameRegistry(trx).change(serial, { dialect: family }, clock.now());
  const device = owned ?? (await deviceOfFrame(trx, deps, serial, { organization, paper }));
  await deps.activate(trx, serial);
  const { ownership } = await frameRegistry(trx).known(serial);
  const key = random.secret(32);
  await storeKey(trx, deps, { serial, key }, ownership);
  const changed = (await deviceStore(trx).findBySerial(serial)) ?? device;
  return { device: changed, serial, key, isNew: owned === undefined };
}

/** The credentials of a frame without an owner are on somebody's board (T-19). */
async function requireKeyless(trx: Transaction, serial: string, now: number): Promise<void> {
  const registry = frameRegistry(trx);
  const hasKey = (await registry.passwordHash(serial)) !== null;
  if (!hasKey && !(await registry.validCertificates(now)).has(serial)) return;
  throw refuse('conflict', {
    message: reasonOf('frame-has-credentials'),
    hint: `register it: POST /devices/registerdevice/${serial}`,
  });
}

/** Makes simulated frames: frames of an organization like others, but for the board, which the service plays. */
import type { Orientation } from '../../firmware-protocol/panels.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import type { FrameSettings } from '../../gateway/frames/settings.ts';
import { type SimulatedRow, simulatedFrames } from '../../gateway/frames/simulated-frames.ts';
import { registerSerial, storeKey } from '../../gateway/provisioning/provision-frame.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import { open, seal } from '../../runtime/sealed.ts';
import { type NewDeviceDeps, newDevice } from '../devices/new-device.ts';
import { settingsOfMeta } from '../devices/settings-of-meta.ts';
import { type DeviceRow, deviceName, deviceStore } from '../devices/store.ts';
import { directoryStore } from '../directory/store.ts';

/** The simulated frames of an organization at most. */
export const maxSimulatedPerOrganization = 3;
/** The default limit of simulated frames in the service. */
export const defaultSimulatedFrames = 20;

interface SimulatedKind {
  readonly dialect: SimulatedRow['dialect'];
  readonly orientation: Orientation;
}

/** The simulated frames that may be tried: by the name of its panel, the dialect and the orientation of each. */
export const simulatedKinds = {
  epd7: { dialect: 'native', orientation: 'landscape' },
  openpaper13: { dialect: 'native', orientation: 'portrait' },
  trmnl4: { dialect: 'trmnl', orientation: 'landscape' },
} as const satisfies Readonly<Record<string, SimulatedKind>>;

/** The seconds that such a frame sleeps, unless somebody changes them. */
const sleepSeconds = 60;

export interface SimulatedDeps extends NewDeviceDeps {
  readonly sealKey: Uint8Array;
  /** The simulated frames of the service at most; 0 where none is played. */
  readonly most: number;
  /** Gives the frame its owner. */
  readonly activate: (trx: Transaction, serial: string) => Promise<unknown>;
  /** Stores what the frame is sent at its wakes. */
  readonly configure: (trx: Transaction, serial: string, settings: FrameSettings) => Promise<unknown>;
}

/** A frame that somebody wants to try. */
export interface SimulatedWish {
  readonly kind: keyof typeof simulatedKinds;
  readonly name: string;
  readonly organization: string;
  readonly paper?: string | null | undefined;
}

/** Returns how many more an organization may have now. */
export async function simulatedLeft(db: Database, organization: string, most: number): Promise<number> {
  const all = await simulatedFrames(db).list();
  const own = all.filter((row) => row.organization === organization).length;
  return Math.max(0, Math.min(maxSimulatedPerOrganization - own, most - all.length));
}

/**
 * Makes one, in the caller's transaction. Anyone who plays it sees its row.
 * @throws Refusal `conflict` where there are as many as may be, or none may be
 */
export async function makeSimulated(trx: Transaction, deps: SimulatedDeps, wish: SimulatedWish): Promise<DeviceRow> {
  const { clock, random } = deps;
  const { organization, name, paper } = wish;
  // Two who make the last one at once do so one after the other.
  await directoryStore(trx).lockOrganization(organization);
  await requireRoom(trx, organization, deps.most);
  const { dialect, orientation } = simulatedKinds[wish.kind];
  const serial = newSerial(dialect, random.secret(6));
  const { kind } = await registerSerial(trx, { clock }, { serial, kind: wish.kind });
  const meta = { name, orientation, sleepTime: String(sleepSeconds) };
  const blank = newDevice(deps, { organization, paper, serial, kind });
  const described = { ...blank, meta: JSON.stringify(meta) };
  const device = { ...described, name: deviceName(described) };
  await deviceStore(trx).insert(device);
  await deps.activate(trx, serial);
  await deps.configure(trx, serial, settingsOfMeta(meta));
  const { ownership } = await frameRegistry(trx).known(serial);
  const key = random.secret(32);
  await storeKey(trx, deps, { serial, key }, ownership);
  const sealed = seal(key, placeOf(serial), deps.sealKey, random);
  await simulatedFrames(trx).insert({ serial, dialect, orientation, sealed, made_at: clock.now() });
  return device;
}

async function requireRoom(trx: Transaction, organization: string, most: number): Promise<void> {
  if (most === 0) throw refuse('conflict', { message: reasonOf('simulated-off') });
  if ((await simulatedLeft(trx, organization, most)) > 0) return;
  throw refuse('conflict', { message: reasonOf('many-simulated'), hint: reasonOf('remove-simulated') });
}

/**
 * Makes a serial that shows that the frame is simulated. A frame that polls gets an address that no maker was assigned.
 */
function newSerial(dialect: SimulatedRow['dialect'], secret: string): string {
  const digits = Buffer.from(secret, 'base64url').toString('hex');
  return dialect === 'trmnl' ? `trmnl-02${digits.slice(2)}` : `simulated-${digits}`;
}

const placeOf = (serial: string): string => JSON.stringify(['simulated_frames', serial]);

/** Opens the password of one. */
export function passwordOf({ serial, sealed }: Pick<SimulatedRow, 'serial' | 'sealed'>, sealKey: Uint8Array): string {
  return open(sealed, placeOf(serial), sealKey);
}

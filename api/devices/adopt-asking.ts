/** Frames that ask by themselves: who sees that they ask, and how one becomes an organization's device. */
import { type Orientation, panelOfKind } from '../../firmware-protocol/panels.ts';
import { registerAdopted } from '../../gateway/adoption/adopt-frame.ts';
import { type WaitingRow, waitingFrames } from '../../gateway/adoption/waiting-frames.ts';
import { activateFrame } from '../../gateway/provisioning/own-frame.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { type Database, isUniqueViolation, type Transaction, transact } from '../../runtime/database/database.ts';
import { firstRow } from '../../runtime/database/plain-sql.ts';
import { addressBucket } from '../../runtime/plain-address.ts';
import { deviceOfFrame, followFrame } from './device-of-frame.ts';
import { type DeviceRow, deviceStore } from './store.ts';

/** The dependencies of adopting, besides a transaction. */
export type AdoptDeps = Pick<CommonDeps, 'clock' | 'random'>;

/** A frame that is to be adopted, and for whom. */
export interface Adoption {
  readonly serial: string;
  /** Name of its panel; left out where the frame has reported it. */
  readonly kind?: string | undefined;
  readonly organization: string;
  readonly paper?: string | null | undefined;
  /** The code of the device that is meant, where several use its address. */
  readonly asker?: string | undefined;
}

/**
 * Makes a frame that asks an organization's device, in the caller's transaction. It comes for its key by itself. A frame
 * that is the organization's already is given another key: it was reset.
 * @throws Refusal `frame-taken` for a frame of another organization
 */
export async function adoptAsking(trx: Transaction, deps: AdoptDeps, adoption: Adoption): Promise<DeviceRow> {
  const { serial, kind, organization, paper, asker } = adoption;
  const owned = await deviceStore(trx).findBySerial(serial);
  if (owned !== undefined && owned.organization_id !== organization) throw refuse('frame-taken');
  const before = kind === undefined ? undefined : owned?.kind;
  const frame = await registerAdopted(trx, deps, { serial, kind, asker });
  const orientation = defaultOrientation(frame.kind);
  const device = owned ?? (await deviceOfFrame(trx, deps, serial, { organization, paper, orientation }));
  if (before && before !== frame.kind) await followFrame(trx, { serial, before, kind: frame.kind });
  await activateFrame(trx, serial, { now: deps.clock.now(), random: deps.random });
  return device;
}

/** Frames of this family stand on a table as they are used, or as their panel is made; one on its side has that in its settings. */
function defaultOrientation(kind: string): Orientation {
  const panel = panelOfKind(kind);
  return panel?.usual ?? (panel !== undefined && panel.width < panel.height ? 'portrait' : 'landscape');
}

/**
 * Runs an adoption in a transaction.
 * @throws Refusal `frame-taken` also when somebody else adopts the frame at the same moment
 */
export async function adoptAtOnce(db: Database, adopt: (trx: Transaction) => Promise<DeviceRow>): Promise<DeviceRow> {
  try {
    return await transact(db, adopt);
  } catch (error) {
    // Two organizations adopted the frame at once, and the other one has it.
    if (isUniqueViolation(error)) throw refuse('frame-taken');
    throw error;
  }
}

/** True for a service of one organization: every frame that asks there is its own. */
export async function isAlone(db: Database): Promise<boolean> {
  const counted = await firstRow<{ all_of: number }>(db, 'select count(*) as all_of from organizations', []);
  return Number(counted?.all_of) === 1;
}

/** A device that asks, as an organization sees it. */
export interface SeenAsking extends WaitingRow {
  /** The organization's device that it claims to be, when it asks for another key; null for one that nobody owns. */
  readonly device: string | null;
}

/**
 * The frames that ask and that somebody may see: all of them in a service of one organization, else those that ask from
 * the address that the person calls from. Any other frame is adopted by the address printed on it. One that claims to
 * be another organization's frame is not seen.
 */
export async function waitingFor(
  db: Database,
  { organization, address, now }: { readonly organization: string; readonly address: string; readonly now: number },
): Promise<readonly SeenAsking[]> {
  const from = addressBucket(address);
  const all = await waitingFrames(db, now);
  const near = (await isAlone(db)) ? all : all.filter((frame) => frame.address === from);
  const owned = await db<DeviceRow>('devices')
    .whereIn('serial', [...new Set(near.map(({ serial }) => serial))])
    .select('id', 'serial', 'organization_id');
  const owners = new Map(owned.map((device) => [device.serial, device]));
  return near.flatMap((row) => {
    const device = owners.get(row.serial);
    if (device !== undefined && device.organization_id !== organization) return [];
    return [{ ...row, device: device?.id ?? null }];
  });
}

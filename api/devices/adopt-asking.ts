/** Frames that ask by themselves: who sees that they ask, and how one becomes an organization's device. */
import { type Orientation, panelOfKind } from '../../firmware-protocol/panels.ts';
import { registerAdopted } from '../../gateway/adoption/adopt-frame.ts';
import { type WaitingRow, waitingFrame, waitingFrames } from '../../gateway/adoption/waiting-frames.ts';
import { activateFrame } from '../../gateway/provisioning/own-frame.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { CommonDeps } from '../../runtime/common-deps.ts';
import { type Database, isUniqueViolation, type Transaction, transact } from '../../runtime/database.ts';
import { changeRows, firstRow } from '../../runtime/plain-sql.ts';
import { deviceOfFrame, followFrame } from './device-of-frame.ts';
import { type DeviceRow, deviceStore } from './store.ts';

/** What adopting needs besides a transaction. */
export type AdoptDeps = Pick<CommonDeps, 'clock' | 'random'>;

/** A frame that is to be adopted, and for whom. */
export interface Adoption {
  readonly serial: string;
  /** Name of its panel; left out where the frame said what it has. */
  readonly kind?: string | undefined;
  readonly organization: string;
  readonly paper?: string | null | undefined;
}

/**
 * Makes a frame that asks an organization's device, in the caller's transaction. It comes for its key by itself. A frame
 * that is the organization's already is given another key: it was reset.
 * @throws Refusal `frame-taken` for a frame of another organization
 */
export async function adoptAsking(trx: Transaction, deps: AdoptDeps, adoption: Adoption): Promise<DeviceRow> {
  const { serial, kind, organization, paper } = adoption;
  const owned = await deviceStore(trx).findBySerial(serial);
  if (owned !== undefined && owned.organization_id !== organization) throw refuse('frame-taken');
  const before = kind === undefined ? undefined : owned?.kind;
  const frame = await registerAdopted(trx, deps, { serial, kind });
  const orientation = defaultOrientation(frame.kind);
  const device = owned ?? (await deviceOfFrame(trx, deps, serial, { organization, paper, orientation }));
  if (before && before !== frame.kind) await followFrame(trx, { serial, before, kind: frame.kind });
  await activateFrame(trx, serial, { now: deps.clock.now(), random: deps.random });
  return device;
}

/** Frames of this family stand on a table as they are used, or as their panel is made; one on its side is told so in its settings. */
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

/** True for a service of one organization: whatever asks there is its own. */
async function isAlone(db: Database): Promise<boolean> {
  const counted = await firstRow<{ all_of: number }>(db, 'select count(*) as all_of from organizations', []);
  return Number(counted?.all_of) === 1;
}

/**
 * The frames that ask and that somebody may see: all of them in a service of one organization, else those that ask from
 * the address that the person calls from. Whoever has another one adopts it by the address that stands on it.
 */
export async function waitingFor(db: Database, address: string, now: number): Promise<readonly WaitingRow[]> {
  const all = await waitingFrames(db, now);
  return (await isAlone(db)) ? all : all.filter((frame) => frame.address === address);
}

/** The time in which an organization takes every frame that asks. */
export interface AdoptionWindow {
  readonly organization_id: string;
  /** Epoch milliseconds. */
  readonly until: number;
  /** The address that it was opened from. */
  readonly address: string;
}

/** Opens the window of an organization, or moves its end. */
export function openWindow(db: Database, { organization_id, until, address }: AdoptionWindow): Promise<void> {
  return changeRows(
    db,
    `insert into adoption_windows (organization_id, until, address) values (?, ?, ?)
     on conflict (organization_id) do update set until = excluded.until, address = excluded.address`,
    [organization_id, until, address],
  );
}

/** Closes the window of an organization. */
export function closeWindow(db: Database, organizationId: string): Promise<void> {
  return changeRows(db, 'delete from adoption_windows where organization_id = ?', [organizationId]);
}

/** The window of an organization while it is open. */
export function windowOf(db: Database, organizationId: string, now: number): Promise<AdoptionWindow | undefined> {
  const sql = 'select * from adoption_windows where organization_id = ? and until > ?';
  return firstRow(db, sql, [organizationId, now]);
}

/**
 * Adopts a frame that asks for its key while exactly one window is open to it, in the transaction of its call.
 * @returns true when it is somebody's now
 */
export async function adoptInWindow(
  trx: Transaction,
  deps: AdoptDeps,
  { serial, address }: { readonly serial: string; readonly address: string | undefined },
): Promise<boolean> {
  const now = deps.clock.now();
  const open = await trx<AdoptionWindow>('adoption_windows').where('until', '>', now).limit(100);
  if (open.length === 0 || (await deviceStore(trx).findBySerial(serial)) !== undefined) return false;
  const alone = await isAlone(trx);
  const [window, other] = open.filter((each) => alone || each.address === address);
  if (window === undefined || other !== undefined) return false;
  // What names no panel has to be adopted by its kind.
  if (((await waitingFrame(trx, serial))?.panel ?? null) === null) return false;
  await adoptAsking(trx, deps, { serial, organization: window.organization_id });
  return true;
}

/** Takes frames from organizations: at the operator's word, and claims under which no board came. */
import { releaseFrame } from '../../gateway/provisioning/own-frame.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { type Transaction, transact } from '../../runtime/database/database.ts';
import { type ActorKind, auditLog } from '../audit/audit-log.ts';
import { claimsBefore, isOpenClaim } from '../devices/claims.ts';
import { type DeviceRow, deviceStore } from '../devices/store.ts';

const dayMs = 86_400_000;

type EndDeps = Pick<CommonDeps, 'db' | 'clock' | 'random'>;

/** Who takes a frame, as the organization's log names them. */
interface Taker {
  readonly by: Extract<ActorKind, 'operator' | 'service'>;
  readonly name: string;
}

/** Ends the claims that have been open for this long. @returns how many */
export async function endClaims(deps: EndDeps, days: number): Promise<number> {
  let ended = 0;
  for (const device of await claimsBefore(deps.db, deps.clock.now() - days * dayMs)) {
    const taker = { by: 'service', name: 'Papergate' } as const;
    if (await endOwnership(deps, device, taker, (trx) => isOpenClaim(trx, device.id))) ended++;
  }
  return ended;
}

/** Takes a frame from its organization, with every credential that was made there, on the operator's request. */
export function takeFrame(deps: EndDeps, device: DeviceRow): Promise<boolean> {
  return endOwnership(deps, device, { by: 'operator', name: 'papergate frames provision --take' });
}

/**
 * Removes the device and releases its frame, with an entry in the organization's log.
 * @returns false when the frame has changed hands meanwhile, or `stillHolds` returns false
 */
function endOwnership(
  { db, clock, random }: EndDeps,
  device: DeviceRow,
  { by, name }: Taker,
  stillHolds: (trx: Transaction) => Promise<boolean> = async () => true,
): Promise<boolean> {
  return transact(db, async (trx) => {
    const held = await deviceStore(trx).locked(device.id);
    const isSame = held?.serial === device.serial && held?.organization_id === device.organization_id;
    if (held === undefined || held.serial === null || !isSame || !(await stillHolds(trx))) return false;
    const now = clock.now();
    await auditLog(trx).insert([
      {
        id: random.id(),
        organization_id: held.organization_id,
        at: now,
        actor: by,
        account_id: null,
        user_id: null,
        actor_name: name,
        key_id: null,
        key_name: null,
        action: 'device.released',
        object_kind: 'device',
        object_id: held.id,
        object_name: held.name,
        address: '',
        detail: '{}',
      },
    ]);
    await deviceStore(trx).remove(held);
    await releaseFrame(trx, held.serial, { now, random });
    return true;
  });
}

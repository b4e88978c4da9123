/** Finds the frames that a job is for. */
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import type { Database } from '../../../runtime/database/database.ts';
import { type CommonTrait, devicesOf, hasTrait } from '../../jobs/addressees.ts';
import { groupStore } from '../../jobs/group-store.ts';
import { type JobFrame, requireFrames } from '../../jobs/make-job.ts';

/** The addressees of a body, of which exactly one is named. */
export interface Addressees {
  readonly devices?: readonly string[] | undefined;
  readonly place?: Extract<CommonTrait, { place: unknown }>['place'] | undefined;
  readonly tag?: string | undefined;
  readonly group?: string | undefined;
  readonly all?: true | undefined;
}

/**
 * Finds the frames: those that are named in their order, others by name.
 * @throws Refusal `invalid-request` where none or several ways are named, `not-found` for a device elsewhere
 */
export async function findAddressees(
  db: Database,
  organizationId: string,
  { devices, place, tag, group, all }: Addressees,
): Promise<readonly JobFrame[]> {
  const named = [devices, place, tag, group, all].filter((way) => way !== undefined);
  if (named.length !== 1) {
    throw refuse('invalid-request', {
      message: reasonOf(named.length === 0 ? 'job-no-frames' : 'job-many-ways'),
      hint: 'name one of devices, place, tag, group and all',
    });
  }
  if (devices !== undefined) return requireFrames(db, organizationId, devices);
  const rows = await devicesOf(db, organizationId);
  if (group !== undefined) {
    const members = await groupStore(db).members(organizationId);
    return rows.filter(({ id }) => members.get(group)?.has(id));
  }
  const trait = place !== undefined ? { place } : tag !== undefined ? { tag } : undefined;
  return trait === undefined ? rows : rows.filter((row) => hasTrait(row, trait));
}

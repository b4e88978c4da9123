/** Finds the frames that a job is for. */
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import type { Database } from '../../../runtime/database/database.ts';
import { type CommonTrait, devicesOf, hasTrait } from '../../jobs/addressees.ts';
import { type JobFrame, requireFrames } from '../../jobs/make-job.ts';

/** The addressees of a body, of which exactly one is named. */
export interface Addressees {
  readonly devices?: readonly string[] | undefined;
  readonly place?: Extract<CommonTrait, { place: unknown }>['place'] | undefined;
  readonly tag?: string | undefined;
  readonly all?: true | undefined;
}

/**
 * Finds the frames: those that are named in their order, others by name.
 * @throws Refusal `invalid-request` where none or several ways are named, `not-found` for a device elsewhere
 */
export async function findAddressees(
  db: Database,
  organizationId: string,
  { devices, place, tag, all }: Addressees,
): Promise<readonly JobFrame[]> {
  if ([devices, place, tag, all].filter((way) => way !== undefined).length !== 1) {
    throw refuse('invalid-request', {
      message: reasonOf('job-no-frames'),
      hint: 'name one of devices, place, tag and all',
    });
  }
  if (devices !== undefined) return requireFrames(db, organizationId, devices);
  const trait = place !== undefined ? { place } : tag !== undefined ? { tag } : undefined;
  const rows = await devicesOf(db, organizationId);
  return trait === undefined ? rows : rows.filter((row) => hasTrait(row, trait));
}

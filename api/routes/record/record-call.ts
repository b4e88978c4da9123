/** The parts that calls about the wall's record share: whose it is, who may read it, and of which time. */
import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { type Principal, reachOf, requireMembership } from '../../access/principal.ts';
import { wrongFieldIssue } from '../../http/fit-schema.ts';
import { momentField } from '../../http/time-of-iso.ts';
import type { RecordStretch } from '../../record/intervals.ts';
import type { RecordKeyDeps } from '../../record/record-key.ts';
import type { Rendering } from '../../rendering/rendering.ts';

/** Where the routes begin. */
export const recordBase = '/organizations/:organizationId/record';

export interface RecordRouteDeps extends RecordKeyDeps {
  readonly printDocument: Rendering['printDocument'];
}

/** A time in ISO 8601, as epoch milliseconds. */
const recordTime = momentField(wrongFieldIssue('field-not-time'));

/** The stretch of a call. */
export const stretchQuery = {
  from: recordTime.describe('included').optional(),
  to: recordTime.describe('excluded; now unless said').optional(),
  frame: z.string().max(64).describe('the serial of one frame alone, also of one that is gone').optional(),
};

interface StretchQuery {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly frame?: string | undefined;
}

/**
 * Returns the stretch that a call asks for: from the beginning of the record and to now, unless it says otherwise.
 * @throws Refusal `invalid-request` for one that ends before it begins
 */
export function stretchOf(organizationId: string, { from = 0, to, frame }: StretchQuery, now: number): RecordStretch {
  if (to !== undefined && from >= to) {
    throw refuse('invalid-request', { hint: reasonOf('field-not-after', { field: 'to', other: 'from' }) });
  }
  return { organizationId, serial: frame?.toLowerCase(), from, to: to ?? now + 1 };
}

/**
 * Checks that the caller sees everything that the organization has.
 * @throws Refusal `not-found`, `access-denied`
 */
export function requireWholeReach(principal: Principal, organizationId: string): void {
  const membership = requireMembership(principal, organizationId, 'read');
  if (reachOf(membership) !== 'organization') throw refuse('access-denied');
}

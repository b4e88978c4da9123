/** How an organization sees rollouts: its own, and the operator's as far as they reach its frames. */

import { z } from 'zod';
import type { OfferRow, UpdateOutcome } from '../../../gateway/firmware/offer-log.ts';
import type { Rollout } from '../../../gateway/firmware/rollouts.ts';
import { readReasons } from '../../../reasons/reason.ts';
import { wordsOf } from '../../../reasons/words.ts';
import { isoTime } from '../../../runtime/clock.ts';
import type { Database } from '../../../runtime/database/database.ts';
import { spelledAs, spelledReasons } from '../../http/spelled-reasons.ts';

export const rolloutShown = z
  .object({
    id: z.string(),
    kind: z.string(),
    dialect: z.enum(['native', 'classic']),
    version: z.string(),
    isOwn: z.boolean().describe('of the organization; others are the operator’s, who alone steers them'),
    state: z.enum(['running', 'paused', 'finished', 'superseded']),
    reason: z.string().nullable().describe('why it is paused'),
    reasons: spelledReasons.optional(),
    target: z.number().nullable().describe('the number of frames it is for; null for the operator’s'),
    offered: z.number().describe('frames of the organization that were notified of it'),
    started: z.number(),
    updated: z.number().describe('proven by a later wake'),
    lost: z.number().describe('failed, or did not come back'),
    createdAt: z.string(),
    changedAt: z.string(),
  })
  .meta({ id: 'Rollout' });

type RolloutShown = z.input<typeof rolloutShown>;

/** The tables' rows of offers to frames that the organization has now. */
export const ownOffers = (db: Database, organizationId: string, rolloutIds: readonly string[]) =>
  db('firmware_offers as o')
    .join('devices as d', 'd.serial', 'o.serial')
    .where({ 'd.organization_id': organizationId })
    .whereIn('o.rollout_id', [...rolloutIds]);

/** Presents rollouts with the numbers of the organization's frames. */
export async function showRollouts(
  db: Database,
  organizationId: string,
  rollouts: readonly Rollout[],
): Promise<RolloutShown[]> {
  const ids = rollouts.map(({ id }) => id);
  const offers: Pick<OfferRow, 'rollout_id' | 'outcome' | 'started_at'>[] = await ownOffers(
    db,
    organizationId,
    ids,
  ).select('o.rollout_id', 'o.outcome', 'o.started_at');
  const listed: { rollout_id: string; count: unknown }[] = await db('firmware_rollout_frames')
    .whereIn('rollout_id', ids)
    .groupBy('rollout_id')
    .select('rollout_id')
    .count({ count: '*' });
  const targets = new Map(listed.map(({ rollout_id: id, count }) => [id, Number(count)]));
  return rollouts.map((rollout) => {
    const own = offers.filter(({ rollout_id: id }) => id === rollout.id);
    const ended = (...outcomes: UpdateOutcome[]) => own.filter(({ outcome }) => outcome && outcomes.includes(outcome));
    const isOwn = rollout.owner === organizationId;
    const { id, kind, dialect, version, state } = rollout;
    const reasons = readReasons(rollout.reason);
    return {
      id,
      kind,
      dialect,
      version,
      isOwn,
      state,
      reason: reasons.length === 0 ? null : wordsOf(reasons),
      ...spelledAs('reasons', reasons),
      target: isOwn ? (targets.get(rollout.id) ?? 0) : rollout.serial === null ? null : 1,
      offered: own.length,
      started: own.filter(({ started_at: at }) => at !== null).length,
      updated: ended('updated').length,
      lost: ended('failed', 'lost').length,
      createdAt: isoTime(rollout.created_at),
      changedAt: isoTime(rollout.changed_at),
    };
  });
}

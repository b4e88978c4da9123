/** Offers of firmware to single frames, and how far each came. */
import type { Update } from '../../firmware-protocol/messages.ts';
import { serialKey } from '../frames/registry.ts';
import type { Database } from '../runtime/database.ts';
import type { Random } from '../runtime/random.ts';
import { newFirmwarePath } from './rollouts.ts';

/** `failed` by the frame's word or its return, `lost` when it did not come back. */
export type Outcome = 'updated' | 'failed' | 'lost';

/** A row of `firmware_offers`. Times are epoch milliseconds. */
export interface OfferRow {
  id: string;
  rollout_id: string;
  serial: string;
  path: string;
  version_before: string | null;
  boot: number | null;
  tries: number;
  phase: Exclude<Update['phase'], 'failed'> | null;
  told_at: number | null;
  started_at: number | null;
  taken_at: number | null;
  outcome: Outcome | null;
  outcome_at: number | null;
  reason: string | null;
}

/** How the frames of a rollout fared, by number. */
export interface RolloutCounts {
  /** Began to take the firmware, whatever came of it. */
  readonly started: number;
  /** Failed, or did not come back. */
  readonly lost: number;
  readonly offered: number;
  readonly updated: number;
}

/** A frame as an offer remembers it. */
interface OfferedFrame {
  readonly serial: string;
  readonly firmware: string | null;
  readonly boot: number | null;
}

/** The log's queries over a database or a transaction. */
export function offerLog(db: Database) {
  const offers = () => db<OfferRow>('firmware_offers');
  const change = (id: string, row: Partial<OfferRow>): Promise<number> => offers().where({ id }).update(row);
  return {
    find: (id: string): Promise<OfferRow | undefined> => offers().where({ id }).first(),
    byPath: (path: string): Promise<OfferRow | undefined> => offers().where({ path }).first(),
    of: (rolloutId: string, serial: string): Promise<OfferRow | undefined> =>
      offers()
        .where({ rollout_id: rolloutId, serial: serialKey(serial) })
        .first(),
    ofRollout: (rolloutId: string): Promise<OfferRow[]> => offers().where({ rollout_id: rolloutId }).orderBy('serial'),

    /** Makes an offer; `more` is what is known of it already. */
    async insert(
      rolloutId: string,
      frame: OfferedFrame,
      more: Partial<OfferRow>,
      random: Random,
    ): Promise<OfferRow | undefined> {
      const row: OfferRow = {
        id: random.id(),
        rollout_id: rolloutId,
        serial: serialKey(frame.serial),
        path: newFirmwarePath(random),
        version_before: frame.firmware,
        boot: frame.boot,
        tries: 0,
        phase: null,
        told_at: null,
        started_at: null,
        taken_at: null,
        outcome: null,
        outcome_at: null,
        reason: null,
        ...more,
      };
      const kept = await offers().insert(row, 'id').onConflict(['rollout_id', 'serial']).ignore();
      return kept.length === 0 ? undefined : row;
    },

    told: (id: string, boot: number | null, now: number): Promise<number> => change(id, { told_at: now, boot }),
    phase: (offer: OfferRow, phase: OfferRow['phase'], now: number): Promise<number> =>
      change(offer.id, { phase, started_at: offer.started_at ?? now }),
    /** Every byte of the image went to the frame's connection, which then ended well. */
    taken: (offer: OfferRow, at: number): Promise<number> =>
      change(offer.id, { taken_at: at, started_at: offer.started_at ?? at }),
    settle: (offer: OfferRow, outcome: Outcome, at: number, reason: string | null): Promise<number> =>
      offers()
        .where({ id: offer.id, outcome: offer.outcome })
        .update({ outcome, outcome_at: at, reason, started_at: offer.started_at ?? at }),
    /** As if it had only been told: it may start anew. */
    again: (offer: OfferRow, tries: number): Promise<number> =>
      change(offer.id, {
        tries,
        ...{ phase: null, started_at: null, taken_at: null, outcome: null, outcome_at: null },
      }),
    forget: (id: string): Promise<number> => offers().where({ id }).delete(),

    /** Numbers of a rollout; what was lost before `since` counts neither way. */
    async counts(rolloutId: string, since: number): Promise<RolloutCounts> {
      const rows: { outcome: Outcome | null; all: number; started: number; recent: number }[] = await offers()
        .where({ rollout_id: rolloutId })
        .groupBy('outcome')
        .select('outcome')
        .count({ all: 'id', started: 'started_at' })
        .select(db.raw('sum(case when outcome_at >= ? then 1 else 0 end) as recent', [since]));
      const counts = { offered: 0, started: 0, updated: 0, lost: 0 };
      for (const { outcome, all, started, recent } of rows) {
        const isLoss = outcome === 'failed' || outcome === 'lost';
        counts.offered += Number(all);
        counts.started += isLoss ? Number(recent) : Number(started);
        counts.lost += isLoss ? Number(recent) : 0;
        counts.updated += outcome === 'updated' ? Number(all) : 0;
      }
      return counts;
    },
  };
}

/** The log of firmware offers to single frames, and how far each came. */

import type { Update } from '../../firmware-protocol/messages.ts';
import { type Because, storedReasons } from '../../reasons/reason.ts';
import type { Database } from '../../runtime/database/database.ts';
import { newRow, type RowIn } from '../../runtime/database/table.ts';
import type { Random } from '../../runtime/random.ts';
import { serialKey } from '../frames/registry.ts';
import { newFirmwarePath } from './rollouts.ts';
import { firmwareTables } from './tables.ts';

/** An update has `failed` by the frame's report or its return, and is `lost` when the frame did not come back. */
export type UpdateOutcome = 'updated' | 'failed' | 'lost';

/** A row of `firmware_offers`. */
export type OfferRow = RowIn<
  typeof firmwareTables,
  'firmware_offers',
  { phase: Exclude<Update['phase'], 'failed'> | null; outcome: UpdateOutcome | null }
>;

/** The numbers of frames of a rollout, by outcome. */
export interface RolloutCounts {
  /** Frames that began to take the firmware, whatever the outcome. */
  readonly started: number;
  /** Frames that failed, or did not come back. */
  readonly lost: number;
  readonly offered: number;
  readonly updated: number;
}

/** The state of a frame that an offer stores. */
interface OfferedFrame {
  readonly serial: string;
  readonly firmware: string | null;
  readonly boot: number | null;
}

/** The offer log's queries over a database or a transaction. */
export function offerLog(db: Database): OfferLog {
  return new OfferLog(db);
}

/** The offer log over a database or a transaction. */
class OfferLog {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  #offers() {
    return this.#db<OfferRow>('firmware_offers');
  }

  #change(id: string, row: Partial<OfferRow>): Promise<number> {
    return this.#offers().where({ id }).update(row);
  }

  find(id: string): Promise<OfferRow | undefined> {
    return this.#offers().where({ id }).first();
  }

  byPath(path: string): Promise<OfferRow | undefined> {
    return this.#offers().where({ path }).first();
  }

  of(rolloutId: string, serial: string): Promise<OfferRow | undefined> {
    return this.#offers()
      .where({ rollout_id: rolloutId, serial: serialKey(serial) })
      .first();
  }

  ofRollout(rolloutId: string): Promise<OfferRow[]> {
    return this.#offers().where({ rollout_id: rolloutId }).orderBy('serial');
  }

  /** Makes an offer; `more` are columns that are known already. @returns undefined when the frame has an offer */
  async insert(
    rolloutId: string,
    frame: OfferedFrame,
    more: Partial<OfferRow>,
    random: Random,
  ): Promise<OfferRow | undefined> {
    const row: OfferRow = newRow(firmwareTables, 'firmware_offers', {
      id: random.id(),
      rollout_id: rolloutId,
      serial: serialKey(frame.serial),
      path: newFirmwarePath(random),
      version_before: frame.firmware,
      boot: frame.boot,
      tries: 0,
      ...more,
    });
    const inserted = await this.#offers().insert(row, 'id').onConflict(['rollout_id', 'serial']).ignore();
    return inserted.length === 0 ? undefined : row;
  }

  /** Records that the offer was sent to its frame: the first time is kept (EV-09), the boot counter is the last one. */
  announced(id: string, boot: number | null, now: number): Promise<number> {
    return this.#offers()
      .where({ id })
      .update({ told_at: this.#db.raw('coalesce(told_at, ?)', [now]), boot });
  }

  phase(offer: OfferRow, phase: OfferRow['phase'], now: number): Promise<number> {
    return this.#change(offer.id, { phase, started_at: offer.started_at ?? now });
  }

  /** Records that every byte of the image went to the frame's connection, which then ended well: the first time counts. */
  taken(offer: OfferRow, at: number): Promise<number> {
    return this.#change(offer.id, { taken_at: offer.taken_at ?? at, started_at: offer.started_at ?? at });
  }

  settle(offer: OfferRow, outcome: UpdateOutcome, at: number, because: Because | null): Promise<number> {
    const reason = because === null ? null : storedReasons(because);
    return this.#offers()
      .where({ id: offer.id, outcome: offer.outcome })
      .update({ outcome, outcome_at: at, reason, started_at: offer.started_at ?? at });
  }

  /** Sets an offer back to the state after its announcement: the frame may start again. */
  again(offer: OfferRow, tries: number): Promise<number> {
    const anew = { phase: null, started_at: null, taken_at: null, outcome: null, outcome_at: null };
    return this.#change(offer.id, { tries, ...anew });
  }

  forget(id: string): Promise<number> {
    return this.#offers().where({ id }).delete();
  }

  /** Counts the frames of a rollout; frames that were lost before `since` count neither as started nor as lost. */
  async counts(rolloutId: string, since: number): Promise<RolloutCounts> {
    const rows: { outcome: UpdateOutcome | null; all: number; started: number; recent: number }[] = await this.#offers()
      .where({ rollout_id: rolloutId })
      .groupBy('outcome')
      .select('outcome')
      .count({ all: 'id', started: 'started_at' })
      .select(this.#db.raw('sum(case when outcome_at >= ? then 1 else 0 end) as recent', [since]));
    const counts = { offered: 0, started: 0, updated: 0, lost: 0 };
    for (const { outcome, all, started, recent } of rows) {
      const isLoss = outcome === 'failed' || outcome === 'lost';
      counts.offered += Number(all);
      counts.started += isLoss ? Number(recent) : Number(started);
      counts.lost += isLoss ? Number(recent) : 0;
      counts.updated += outcome === 'updated' ? Number(all) : 0;
    }
    return counts;
  }
}

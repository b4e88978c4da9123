/** Claims pending deliveries whose turn has come, and begins an attempt to offer each to its frame. */

import { reasonOf } from '../../reasons/reason.ts';
import { type Database, isPostgres } from '../../runtime/database/database.ts';
import { attemptsBeforeFailure, type DeliveryRow } from '../delivery-state/states.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import { failDelivery } from './end-attempt.ts';
import type { LineDeps } from './line-deps.ts';
import { pictureClaims } from './picture-claims.ts';
import { pictureStore } from './picture-store.ts';
import { type WorksUnderWay, worksUnderWay } from './works-under-way.ts';

/**
 * An attempt that has not ended by then was lost with its process; the next one counts (INV-28). What a node that is known
 * to be dead has claimed is given back sooner (`take-over.ts`).
 */
const leaseMs = 180_000;

/** The step, with the attempts it has under way. */
export interface OfferStep {
  /** Claims due deliveries and begins their attempts, which end on their own and call `ended`. */
  begin(): Promise<void>;
  /** Begins attempts that waited for one that has ended. */
  goOn(): Promise<void>;
  /** True while more is due than may begin. */
  isFull(): boolean;
  /** Resolves when no attempt is under way. */
  idle(): Promise<void>;
  /** Starts no new attempt and waits for those under way. */
  stop(): Promise<void>;
}

/** A delivery whose turn has come. It has no organization when its paper is gone. */
type DueDelivery = DeliveryRow & { readonly organization_id: string | null };

/**
 * Makes the step.
 * @param ended is called whenever an attempt ended, so that `goOn` is called; `dueAgain` when another try is due
 */
export function offerContent(deps: LineDeps, { ended, dueAgain }: Record<'ended' | 'dueAgain', () => void>): OfferStep {
  const { db, clock, logger } = deps;
  const store = pictureStore(deps, pictureClaims(deps));
  const underWay = worksUnderWay<DueDelivery>();
  /** True when more may be due than was read. */
  let isMoreDue = false;
  let stopping = false;
  const attempting = { ...deps, store, dueAgain, isStopping: () => stopping };

  async function claim(due: DueDelivery): Promise<void> {
    const { organization_id, ...delivery } = due;
    const organizationId = organization_id ?? '';
    if (!underWay.mayBegin(delivery.id, organizationId)) {
      underWay.wait(delivery.id, organizationId, due);
      return;
    }
    if (delivery.attempts >= attemptsBeforeFailure) {
      return failDelivery(deps, delivery, reasonOf('attempts-interrupted'));
    }
    const by = { claimed_by: deps.cluster.id };
    const claimed = { ...delivery, ...by, attempts: delivery.attempts + 1, due_at: clock.now() + leaseMs };
    const won = await unlessLocked(deps, delivery)
      .where({ state: 'pending', attempts: delivery.attempts, due_at: delivery.due_at })
      .update({ attempts: claimed.attempts, due_at: claimed.due_at, ...by });
    if (won !== 1) return;
    const work = attemptDelivery(attempting, claimed).catch((error: unknown) =>
      logger.error({ error }, 'delivery attempt broke off; its lease will expire'),
    );
    underWay.begin(delivery.id, organizationId, work, ended);
  }

  async function begin(): Promise<void> {
    underWay.forgetWaiting();
    isMoreDue = false;
    let full: number;
    do {
      full = underWay.full().length;
      const room = underWay.room();
      if (stopping) return;
      if (room <= 0) {
        isMoreDue = true;
        return;
      }
      const due = await dueDeliveries(db, underWay, clock.now());
      // The due work of an organization that is full already is not read.
      isMoreDue ||= due.length >= room || full > 0;
      for (const delivery of due) await claim(delivery);
      // Deliveries of others may wait behind those of an organization that has enough since.
    } while (underWay.full().length > full);
  }

  return {
    begin,
    async goOn() {
      for (let next = underWay.next(); next !== undefined && !stopping; next = underWay.next()) await claim(next);
      if (isMoreDue && !underWay.isAnyWaiting()) await begin();
    },
    isFull: underWay.isFull,
    idle: underWay.idle,
    stop() {
      stopping = true;
      return underWay.idle();
    },
  };
}

/** A delivery by its id. Among nodes on PostgreSQL one that another node has just locked counts as not there. */
function unlessLocked({ db, cluster }: Pick<LineDeps, 'db' | 'cluster'>, { id }: Pick<DeliveryRow, 'id'>) {
  const row = db<DeliveryRow>('deliveries').where({ id });
  if (cluster.id === null || !isPostgres(db)) return row;
  return row.whereIn('id', db('deliveries').where({ id }).forUpdate().skipLocked().select('id'));
}

/** Reads the due deliveries that may begin: none that is under way already, nor of an organization that has enough. */
function dueDeliveries(db: Database, underWay: WorksUnderWay<DueDelivery>, now: number): Promise<DueDelivery[]> {
  return (
    db('deliveries')
      .leftJoin('papers', 'papers.id', 'deliveries.paper_id')
      // The state is written out: SQLite plans a statement again at each binding that a partial index could depend on.
      .whereRaw("deliveries.state = 'pending'")
      .where('due_at', '<=', now)
      .whereNotIn('deliveries.id', underWay.ids())
      .where((any) => any.whereNull('papers.id').orWhereNotIn('papers.organization_id', underWay.full()))
      .orderBy('due_at')
      .limit(underWay.room())
      .select('deliveries.*', 'papers.organization_id')
  );
}

/**
 * The rollout watch: it finds frames that did not come back after an update, and pauses a rollout that loses too many.
 */

import type { SingleTask } from '../../cluster/cluster.ts';
import { isNewerFirmware } from '../../firmware-protocol/firmware-version.ts';
import { type Reason, reasonOf, storedReasons } from '../../reasons/reason.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Database } from '../../runtime/database/database.ts';
import { type EventFacts, recordFrameEvent } from '../frames/event-log.ts';
import type { FrameRow } from '../frames/registry.ts';
import { firmwareKind } from './images.ts';
import { reasonToPause } from './judge-rollout.ts';
import { type OfferRow, offerLog } from './offer-log.ts';
import { type Rollout, rolloutLog } from './rollouts.ts';

export interface RolloutWatchDeps extends CommonDeps {
  /** Of several nodes one watches. */
  readonly single: SingleTask;
}

/**
 * Looks once at a live rollout. The presence watch decides who is overdue (W-39), so a frame counts as lost here when
 * it is overdue there: after its expected wake and a grace, and not because the service itself was away.
 * @returns the reason for which the rollout was paused, or undefined
 */
export async function watchRollout(deps: RolloutWatchDeps, rollout: Rollout): Promise<Reason | undefined> {
  if (rollout.dialect === 'native') await findLostNative(deps, rollout);
  else if (rollout.state === 'running') await findLostClassic(deps, rollout);
  if (rollout.state !== 'running') return undefined;
  const reason = reasonToPause(await offerLog(deps.db).counts(rollout.id, rollout.counted_from));
  if (reason === undefined) return undefined;
  const paused = await deps.single.transact(deps.db, (trx) =>
    rolloutLog(trx).move(rollout, { state: 'paused', reason: storedReasons(reason) }, deps.clock.now()),
  );
  return paused ? reason : undefined;
}

async function findLostNative(deps: RolloutWatchDeps, rollout: Rollout): Promise<void> {
  const lost: OfferRow[] = await deps
    .db('firmware_offers as o')
    .join('frame_watch as w', 'w.serial', 'o.serial')
    .where({ 'o.rollout_id': rollout.id })
    .whereNull('o.outcome')
    .whereNotNull('o.started_at')
    .whereRaw('w.overdue_since >= o.started_at')
    .select('o.*');
  for (const offer of lost) {
    await deps.single.transact(deps.db, async (trx) => {
      const settled = await offerLog(trx).settle(offer, 'lost', deps.clock.now(), 'did not come back');
      if (settled > 0) await alert(deps, trx, rollout, offer.serial);
    });
  }
}

/**
 * Finds lost classic frames. Nobody sees which classic frame fetched an image, so a frame counts as lost when it was
 * expected after the manifest was offered, is overdue, and never reported the new version. An empty battery counts as
 * well.
 */
async function findLostClassic(deps: RolloutWatchDeps, rollout: Rollout): Promise<void> {
  const overdue: Pick<FrameRow, 'serial' | 'kind' | 'firmware' | 'boot'>[] = await deps
    .db('frames as f')
    .join('frame_watch as w', 'w.serial', 'f.serial')
    .leftJoin('firmware_offers as o', (on) => on.on('o.serial', 'f.serial').andOnVal('o.rollout_id', rollout.id))
    .where({ 'f.dialect': 'classic' })
    .where('w.overdue_since', '>=', rollout.counted_from)
    .where('f.asleep_until', '>=', rollout.counted_from)
    .whereNull('o.id')
    .select('f.serial', 'f.kind', 'f.firmware', 'f.boot');
  for (const frame of overdue) {
    const { kind, firmware } = frame;
    if (firmwareKind(kind) !== rollout.kind || !isNewerFirmware(rollout.version, firmware ?? '')) continue;
    await deps.single.transact(deps.db, async (trx) => {
      const now = deps.clock.now();
      const more = { started_at: now, outcome: 'lost', outcome_at: now, reason: notBack } as const;
      const offer = await offerLog(trx).insert(rollout.id, frame, more, deps.random);
      if (offer !== undefined) await alert(deps, trx, rollout, offer.serial);
    });
  }
}

const notBack = storedReasons(reasonOf('update-no-return'));

async function alert(deps: RolloutWatchDeps, trx: Database, rollout: Rollout, serial: string): Promise<void> {
  const { id: rolloutId, version, dialect } = rollout;
  const problem = dialect === 'native' ? reasonOf('lost-in-update') : reasonOf('away-in-update');
  const payload: EventFacts = { stage: 'lost', problem, rolloutId, version };
  await recordFrameEvent(trx, deps.random, { serial, type: 'alert', at: deps.clock.now(), payload });
}

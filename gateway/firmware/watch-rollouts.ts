/** Looks for frames that did not come back after an update, and pauses a rollout that loses too many. */
import { isNewerFirmware } from '../../firmware-protocol/firmware-version.ts';
import { recordEvent } from '../frames/event-log.ts';
import type { FrameRow } from '../frames/registry.ts';
import type { Clock } from '../runtime/clock.ts';
import { type Database, transact } from '../runtime/database.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Random } from '../runtime/random.ts';
import { firmwareKind } from './images.ts';
import { reasonToPause } from './judge-rollout.ts';
import { type OfferRow, offerLog } from './offer-log.ts';
import { type Rollout, rolloutLog } from './rollouts.ts';

/** What the watch is handed. */
export interface RolloutWatchEdges {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * One look at a live rollout. The presence watch says who is overdue (A-12, W-39), so a frame is lost here when it is
 * missed there: after its expected wake and a grace, and not because the service itself was away.
 * @returns why the rollout was paused, or undefined
 */
export async function watchRollout(edges: RolloutWatchEdges, rollout: Rollout): Promise<string | undefined> {
  if (rollout.dialect === 'native') await findLostNative(edges, rollout);
  else if (rollout.state === 'running') await findLostClassic(edges, rollout);
  if (rollout.state !== 'running') return undefined;
  const reason = reasonToPause(await offerLog(edges.db).counts(rollout.id, rollout.counted_from));
  if (reason === undefined) return undefined;
  const paused = await rolloutLog(edges.db).move(rollout, { state: 'paused', reason }, edges.clock.now());
  return paused ? reason : undefined;
}

async function findLostNative(edges: RolloutWatchEdges, rollout: Rollout): Promise<void> {
  const lost: OfferRow[] = await edges
    .db('firmware_offers as o')
    .join('frame_watch as w', 'w.serial', 'o.serial')
    .where({ 'o.rollout_id': rollout.id })
    .whereNull('o.outcome')
    .whereNotNull('o.started_at')
    .whereRaw('w.overdue_since >= o.started_at')
    .select('o.*');
  for (const offer of lost) {
    await transact(edges.db, async (trx) => {
      const settled = await offerLog(trx).settle(offer, 'lost', edges.clock.now(), 'did not come back');
      if (settled > 0) await alert(edges, trx, rollout, offer.serial);
    });
  }
}

/**
 * Nobody sees which classic frame fetched an image. So one counts as lost when it was expected after the manifest was
 * there, is overdue, and never showed the new version: an empty battery counts as well.
 */
async function findLostClassic(edges: RolloutWatchEdges, rollout: Rollout): Promise<void> {
  const overdue: Pick<FrameRow, 'serial' | 'kind' | 'firmware' | 'boot'>[] = await edges
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
    await transact(edges.db, async (trx) => {
      const now = edges.clock.now();
      const more = { started_at: now, outcome: 'lost', outcome_at: now, reason: 'did not come back' } as const;
      const offer = await offerLog(trx).insert(rollout.id, frame, more, edges.random);
      if (offer !== undefined) await alert(edges, trx, rollout, offer.serial);
    });
  }
}

async function alert(edges: RolloutWatchEdges, trx: Database, rollout: Rollout, serial: string): Promise<void> {
  const { id: rolloutId, version, dialect } = rollout;
  const problem =
    dialect === 'native' ? 'did not come back from a firmware update' : 'stayed away while a firmware was published';
  const payload = { stage: 'lost', problem, rolloutId, version };
  await recordEvent(trx, edges.random, { serial, type: 'alert', at: edges.clock.now(), payload });
}

/** Offers of firmware to frames: made at hello, recorded phase by phase, and proven by the version of a later wake. */

import { isFirmwareVersion, isNewerFirmware } from '../../firmware-protocol/firmware-version.ts';
import type { OfferedFirmware, Update } from '../../firmware-protocol/messages.ts';
import { reasonOf } from '../../reasons/reason.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { type Database, type Transaction, transact } from '../../runtime/database/database.ts';
import { cellsOf } from '../frames/battery.ts';
import { type EventFacts, type EventStage, recordFrameEvent } from '../frames/event-log.ts';
import type { FrameRow } from '../frames/registry.ts';
import { isAmong, judgeReturn } from './judge-rollout.ts';
import { type OfferRow, offerLog } from './offer-log.ts';
import type { RolloutCache } from './rollout-cache.ts';
import { type Rollout, rolloutLog } from './rollouts.ts';

export interface FirmwareOfferDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  readonly rolloutCache: RolloutCache;
  /** The base of the addresses that native frames get. */
  readonly publicUrl: () => string;
}

/** A frame as it was just reported at its wake. */
export type WokenFrame = Pick<FrameRow, 'serial' | 'kind' | 'boot'> & {
  readonly dialect: string;
  readonly firmware: string;
  /** The version that was known until this wake. */
  readonly firmwareBefore: string | null;
};

/** The functions of firmware offers that dialects call. */
export interface FirmwareOffers {
  /** Settles an earlier offer by a wake report, in the transaction that records it. */
  woke(trx: Transaction, frame: WokenFrame): Promise<void>;
  /** The version that a frame is offered as soon as it can take it, or that it took from a rollout; null when there is none. */
  versionFor(frame: Pick<FrameRow, 'serial' | 'kind' | 'dialect' | 'firmware'>): string | null;
  /** Offers firmware to a native frame that is awake, if there is any for it. */
  offerTo(trx: Transaction, frame: FrameRow): Promise<OfferedFirmware | undefined>;
  /** Commits a phase that a native frame reports. The report of a suspect frame is kept as an event only (T-47). */
  phaseReported(serial: string, update: Update, suspect: boolean): Promise<void>;
}

/** Composes the functions of firmware offers. */
export function offerFirmware(deps: FirmwareOfferDeps): FirmwareOffers {
  const { db, rolloutCache } = deps;
  return {
    async woke(trx, frame) {
      const rollout = rolloutCache.live(frame, frame.dialect);
      if (rollout === undefined) return;
      if (frame.dialect === 'classic') await wokeClassic(deps, trx, rollout, frame);
      else await wokeNative(deps, trx, rollout, frame);
    },
    versionFor({ serial, kind, dialect, firmware }) {
      const rollout = dialect === null ? undefined : rolloutCache.live({ serial, kind }, dialect);
      if (rollout === undefined || !reaches(rollout, serial) || rolloutCache.image(rollout) === undefined) {
        const taken = rolloutCache.finished(serial);
        return taken !== undefined && taken === firmware ? taken : null;
      }
      return firmware !== null && isNewerFirmware(firmware, rollout.version) ? null : rollout.version;
    },
    offerTo: (trx, frame) => offerTo(deps, trx, frame),
    phaseReported: (serial, update, suspect) =>
      transact(db, async (trx) => {
        const stage: EventStage = suspect ? `doubted ${update.phase}` : await recordPhase(deps, trx, serial, update);
        const { offer, reason } = update;
        await recordStage(deps, trx, serial, { stage, offer, ...(reason !== undefined && { reason }) });
      }),
  };
}

function recordStage(
  { clock, random }: FirmwareOfferDeps,
  trx: Database,
  serial: string,
  payload: EventFacts,
): Promise<void> {
  return recordFrameEvent(trx, random, { serial, type: 'firmware', at: clock.now(), payload });
}

/** Settles an offer whose version a wake has proven. */
async function updated(
  deps: FirmwareOfferDeps,
  trx: Database,
  { rollout, offer }: { readonly rollout: Rollout; readonly offer: OfferRow },
  firmware: string,
): Promise<void> {
  const now = deps.clock.now();
  if ((await offerLog(trx).settle(offer, 'updated', now, null)) === 0) return;
  if (rollout.serial !== null) await rolloutLog(trx).move(rollout, { state: 'finished' }, now);
  const { serial, version_before: before } = offer;
  await recordStage(deps, trx, serial, { stage: 'updated', rolloutId: rollout.id, version: firmware, before });
}

/** Settles the offer of a classic frame. Classic frames report no phases: their offers are recorded once they are decided. */
async function wokeClassic(
  deps: FirmwareOfferDeps,
  trx: Transaction,
  rollout: Rollout,
  frame: WokenFrame,
): Promise<void> {
  const { firmwareBefore: before } = frame;
  // W-37: a version that cannot be read proves nothing, neither way.
  if (!isFirmwareVersion(frame.firmware)) return;
  const log = offerLog(trx);
  const offer = await log.of(rollout.id, frame.serial);
  if (isNewerFirmware(rollout.version, frame.firmware)) {
    // The frame was away for another reason.
    if (offer?.outcome === 'lost') await log.forget(offer.id);
    return;
  }
  const rose = before !== null && isNewerFirmware(rollout.version, before);
  const known =
    offer ?? (rose ? await log.insert(rollout.id, { ...frame, firmware: before }, {}, deps.random) : undefined);
  if (known !== undefined && known.outcome !== 'updated') {
    await updated(deps, trx, { rollout, offer: known }, frame.firmware);
  }
}

async function wokeNative(
  deps: FirmwareOfferDeps,
  trx: Transaction,
  rollout: Rollout,
  frame: WokenFrame,
): Promise<void> {
  const log = offerLog(trx);
  const offer = await log.of(rollout.id, frame.serial);
  const verdict = offer && judgeReturn(offer, frame, rollout.version);
  if (offer === undefined || verdict === undefined) return;
  if (verdict.do === 'updated') return updated(deps, trx, { rollout, offer }, frame.firmware);
  const { reason } = verdict.do === 'failed' ? verdict : { reason: reasonOf('update-broken-off') };
  if (verdict.do === 'failed') await log.settle(offer, 'failed', deps.clock.now(), reason);
  else await log.again(offer, offer.tries + 1);
  const { id: rolloutId, version } = rollout;
  await recordStage(deps, trx, frame.serial, { stage: 'failed', rolloutId, version, reason });
}

/** True when a running rollout includes a frame; an owner's is only looked at for frames that it lists. */
function reaches(rollout: Rollout, serial: string): boolean {
  if (rollout.state !== 'running') return false;
  if (rollout.owner !== null) return true;
  return rollout.serial === null ? isAmong(rollout.id, serial, rollout.percent) : rollout.serial === serial;
}

function mayTake(frame: FrameRow, rollout: Rollout): boolean {
  if (frame.activation !== 'activated' || !reaches(rollout, frame.serial)) return false;
  if (!isNewerFirmware(rollout.version, frame.firmware ?? '')) return false;
  // A frame whose battery dies while it writes its flash may never start again. A frame on a cable reports 0, or nothing.
  return !((frame.battery_mv ?? 0) > 0 && (frame.battery_mv ?? 0) < cellsOf(frame.serial).criticalMv);
}

async function offerTo(
  deps: FirmwareOfferDeps,
  trx: Transaction,
  frame: FrameRow,
): Promise<OfferedFirmware | undefined> {
  const { clock, random, rolloutCache } = deps;
  const cached = rolloutCache.live(frame, 'native');
  if (cached === undefined || rolloutCache.image(cached) === undefined) return undefined;
  // The rollout is read again, because a person may have paused it a moment ago.
  const rollout = await rolloutLog(trx).find(cached.id);
  if (rollout === undefined || !mayTake(frame, rollout)) return undefined;
  // The frame may have changed hands a moment ago (T-63).
  if (rollout.owner !== null && !(await rolloutLog(trx).reaches(rollout, frame.serial))) return undefined;
  const log = offerLog(trx);
  const offer = (await log.of(rollout.id, frame.serial)) ?? (await log.insert(rollout.id, frame, {}, random));
  if (offer === undefined || offer.outcome !== null) return undefined;
  await log.announced(offer.id, frame.boot, clock.now());
  if (offer.told_at === null) {
    await recordStage(deps, trx, frame.serial, { stage: 'offered', rolloutId: rollout.id, version: rollout.version });
  }
  const { version, bytes, sha256 } = rollout;
  return { offer: offer.id, version, url: deps.publicUrl() + offer.path, bytes, sha256 };
}

/** Records a phase that a frame reported. @returns the stage of the event */
async function recordPhase(
  { clock }: FirmwareOfferDeps,
  trx: Transaction,
  serial: string,
  update: Update,
): Promise<EventStage> {
  const log = offerLog(trx);
  const offer = await log.find(update.offer);
  // T-48: a phase of another frame's offer, or one replayed after the end, proves nothing.
  if (offer?.serial !== serial || offer.outcome !== null) return `stale ${update.phase}`;
  const rollout = (await rolloutLog(trx).find(offer.rollout_id)) as Rollout;
  const now = clock.now();
  if (update.phase !== 'failed') await log.phase(offer, update.phase, now);
  else if (rollout.state === 'running')
    await log.settle(offer, 'failed', now, update.reason ?? reasonOf('update-failed'));
  // The rollout was paused during the update: the frame found no file, and may take it when the rollout goes on.
  else await log.again(offer, offer.tries);
  return update.phase;
}

/** Firmware in the frames' conversation: offered at hello, its phases recorded, its success proven by a later wake. */
import { isFirmwareVersion, isNewerFirmware } from '../../firmware-protocol/firmware-version.ts';
import type { OfferedFirmware, Update } from '../../firmware-protocol/messages.ts';
import { criticalBatteryMv } from '../frames/battery.ts';
import { recordEvent } from '../frames/event-log.ts';
import type { FrameRow } from '../frames/registry.ts';
import type { Clock } from '../runtime/clock.ts';
import { type Database, type Transaction, transact } from '../runtime/database.ts';
import type { Random } from '../runtime/random.ts';
import { isAmong, judgeReturn } from './judge-rollout.ts';
import { type OfferRow, offerLog } from './offer-log.ts';
import { type Rollout, rolloutLog } from './rollouts.ts';
import type { FirmwareShelf } from './shelf.ts';

/** What offering is handed. */
export interface OfferEdges {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly shelf: FirmwareShelf;
  /** Base of the addresses native frames get. */
  readonly publicUrl: () => string;
}

/** A frame as its wake report has just described it. */
export type WokenFrame = Pick<FrameRow, 'serial' | 'kind' | 'boot'> & {
  readonly dialect: string;
  readonly firmware: string;
};

/** What dialects do about firmware. */
export interface FirmwareTalk {
  /** Settles what a wake proves of an earlier offer, in the transaction that records it. `before` is the version known until now. */
  woke(trx: Transaction, frame: WokenFrame, before: string | null): Promise<void>;
  /** The version that a frame would be offered as soon as it can take one, or has from there: null when there is none. */
  versionFor(frame: Pick<FrameRow, 'serial' | 'kind' | 'dialect' | 'firmware'>): string | null;
  /** What a native frame that is awake is to be offered, if anything. */
  offerTo(trx: Transaction, frame: FrameRow): Promise<OfferedFirmware | undefined>;
  /** Commits a phase that a native frame tells. A doubted frame's word is kept and moves nothing (T-47). */
  heard(serial: string, said: Update, doubted: boolean): Promise<void>;
}

/** Puts it together. */
export function offerFirmware(edges: OfferEdges): FirmwareTalk {
  const { db, clock, random, shelf } = edges;

  const note = (trx: Database, serial: string, payload: Record<string, unknown>): Promise<void> =>
    recordEvent(trx, random, { serial, type: 'firmware', at: clock.now(), payload });

  async function updated(trx: Database, rollout: Rollout, offer: OfferRow, firmware: string): Promise<void> {
    const now = clock.now();
    if ((await offerLog(trx).settle(offer, 'updated', now, null)) === 0) return;
    if (rollout.serial !== null) await rolloutLog(trx).move(rollout, { state: 'finished' }, now);
    const { serial, version_before: before } = offer;
    await note(trx, serial, { stage: 'updated', rolloutId: rollout.id, version: firmware, before });
  }

  /** Classic frames tell no phases: an offer of theirs exists only once it is decided. */
  async function wokeClassic(trx: Transaction, rollout: Rollout, frame: WokenFrame, before: string | null) {
    // A version that cannot be read proves nothing, neither way (W-37).
    if (!isFirmwareVersion(frame.firmware)) return;
    const log = offerLog(trx);
    const offer = await log.of(rollout.id, frame.serial);
    if (isNewerFirmware(rollout.version, frame.firmware)) {
      // It was away for another reason.
      if (offer?.outcome === 'lost') await log.forget(offer.id);
      return;
    }
    const rose = before !== null && isNewerFirmware(rollout.version, before);
    const known =
      offer ?? (rose ? await log.insert(rollout.id, { ...frame, firmware: before }, {}, random) : undefined);
    if (known !== undefined && known.outcome !== 'updated') await updated(trx, rollout, known, frame.firmware);
  }

  async function wokeNative(trx: Transaction, rollout: Rollout, frame: WokenFrame): Promise<void> {
    const log = offerLog(trx);
    const offer = await log.of(rollout.id, frame.serial);
    const verdict = offer && judgeReturn(offer, frame, rollout.version);
    if (offer === undefined || verdict === undefined) return;
    if (verdict.do === 'updated') return updated(trx, rollout, offer, frame.firmware);
    const { reason } = verdict.do === 'failed' ? verdict : { reason: 'broken off' };
    if (verdict.do === 'failed') await log.settle(offer, 'failed', clock.now(), reason);
    else await log.again(offer, offer.tries + 1);
    await note(trx, frame.serial, { stage: 'failed', rolloutId: rollout.id, version: rollout.version, reason });
  }

  /** Whether a rollout is on its way to a frame, or was. */
  function reaches(rollout: Rollout, serial: string): boolean {
    if (rollout.state !== 'running') return false;
    return rollout.serial === null ? isAmong(rollout.id, serial, rollout.percent) : rollout.serial === serial;
  }

  function mayTake(frame: FrameRow, rollout: Rollout): boolean {
    if (frame.activation !== 'activated' || !reaches(rollout, frame.serial)) return false;
    if (!isNewerFirmware(rollout.version, frame.firmware ?? '')) return false;
    // A frame on a cable reports 0, or nothing. One that dies while it writes its flash may never start again.
    return !((frame.battery_mv ?? 0) > 0 && (frame.battery_mv ?? 0) < criticalBatteryMv);
  }

  async function heard(trx: Transaction, serial: string, said: Update): Promise<string> {
    const log = offerLog(trx);
    const offer = await log.find(said.offer);
    // T-48: a phase of somebody else's offer, or one replayed after the end, proves nothing.
    if (offer?.serial !== serial || offer.outcome !== null) return `stale ${said.phase}`;
    const rollout = (await rolloutLog(trx).find(offer.rollout_id)) as Rollout;
    const now = clock.now();
    if (said.phase !== 'failed') await log.phase(offer, said.phase, now);
    else if (rollout.state === 'running') await log.settle(offer, 'failed', now, said.reason ?? 'failed');
    // Paused under its hands: it found nothing, and may take it when the rollout goes on.
    else await log.again(offer, offer.tries);
    return said.phase;
  }

  return {
    async woke(trx, frame, before) {
      const rollout = shelf.live(frame.kind, frame.dialect);
      if (rollout === undefined) return;
      if (frame.dialect === 'classic') await wokeClassic(trx, rollout, frame, before);
      else await wokeNative(trx, rollout, frame);
    },
    versionFor({ serial, kind, dialect, firmware }) {
      const rollout = dialect === null ? undefined : shelf.live(kind, dialect);
      if (rollout === undefined || !reaches(rollout, serial) || shelf.image(rollout) === undefined) {
        const taken = shelf.finished(serial);
        return taken !== undefined && taken === firmware ? taken : null;
      }
      return firmware !== null && isNewerFirmware(firmware, rollout.version) ? null : rollout.version;
    },
    async offerTo(trx, frame) {
      const shelved = shelf.live(frame.kind, 'native');
      if (shelved === undefined || shelf.image(shelved) === undefined) return undefined;
      // Read again: a person may have paused it a moment ago.
      const rollout = await rolloutLog(trx).find(shelved.id);
      if (rollout === undefined || !mayTake(frame, rollout)) return undefined;
      const log = offerLog(trx);
      const offer = (await log.of(rollout.id, frame.serial)) ?? (await log.insert(rollout.id, frame, {}, random));
      if (offer === undefined || offer.outcome !== null) return undefined;
      await log.told(offer.id, frame.boot, clock.now());
      if (offer.told_at === null) {
        await note(trx, frame.serial, { stage: 'offered', rolloutId: rollout.id, version: rollout.version });
      }
      const { version, bytes, sha256 } = rollout;
      return { offer: offer.id, version, url: edges.publicUrl() + offer.path, bytes, sha256 };
    },
    heard: (serial, said, doubted) =>
      transact(db, async (trx) => {
        const stage = doubted ? `doubted ${said.phase}` : await heard(trx, serial, said);
        const { offer, reason } = said;
        await note(trx, serial, { stage, offer, ...(reason !== undefined && { reason }) });
      }),
  };
}

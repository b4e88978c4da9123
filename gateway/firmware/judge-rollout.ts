/**
 * Decides which frames a rollout reaches, what the return of a frame proves, and when a rollout is paused. Pure
 * functions.
 */

import { createHash } from 'node:crypto';
import { isFirmwareVersion, isNewerFirmware } from '../../firmware-protocol/firmware-version.ts';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import type { OfferRow, RolloutCounts } from './offer-log.ts';

/** The fewest lost frames that prove anything: one or two run out of battery on any day. */
export const fewestLost = 3;
/** The part of lost frames, among those that started, beyond which the firmware is a likelier cause than the frames. */
export const maxLostShare = 0.2;
/** The number of times that a frame may break a download off in one rollout: each try costs battery. */
export const maxTries = 3;

/** True when a frame belongs to the given percentage. A greater percentage only adds frames: each keeps its place. */
export function isAmong(rolloutId: string, serial: string, percent: number): boolean {
  const place = createHash('sha256').update(`${rolloutId}/${serial}`).digest().readUInt32BE(0) / 2 ** 32;
  return place * 100 < percent;
}

/** The reason why a rollout has to be paused; undefined when it may go on. */
export function reasonToPause({ started, lost }: Pick<RolloutCounts, 'started' | 'lost'>): Reason | undefined {
  if (lost < fewestLost || lost <= started * maxLostShare) return undefined;
  return reasonOf('rollout-losing', { lost, started });
}

/** The decision about a frame that reports after it was offered a firmware. */
export type Return =
  | { readonly do: 'updated' }
  | { readonly do: 'again' }
  | { readonly do: 'failed'; readonly reason: Reason };

/**
 * Judges a frame that reports a version at its wake.
 * @returns undefined when the report proves nothing: it belongs to the wake of the offer, or the offer is settled
 */
export function judgeReturn(
  offer: Pick<OfferRow, 'phase' | 'started_at' | 'boot' | 'tries' | 'outcome'>,
  frame: { readonly firmware: string; readonly boot: number | null },
  version: string,
): Return | undefined {
  if (offer.outcome === 'updated') return undefined;
  if (isFirmwareVersion(frame.firmware) && !isNewerFirmware(version, frame.firmware)) return { do: 'updated' };
  // The boot counter shows the same wake: the frame may have lost its link, or said hello twice.
  if (offer.started_at === null || (frame.boot ?? 0) <= (offer.boot ?? 0)) return undefined;
  const whole = offer.phase === 'fetched' || offer.phase === 'restarting';
  if (!whole && offer.tries + 1 < maxTries) return { do: 'again' };
  if (offer.outcome === 'failed') return undefined;
  const reason = whole
    ? reasonOf('update-other-version', { version: frame.firmware })
    : reasonOf('update-given-up', { times: maxTries });
  return { do: 'failed', reason };
}

/** Whom a rollout reaches, what a frame's return proves, and when a rollout goes on no longer: pure functions. */
import { createHash } from 'node:crypto';
import { isFirmwareVersion, isNewerFirmware } from '../../firmware-protocol/firmware-version.ts';
import type { OfferRow, RolloutCounts } from './offer-log.ts';

/** Fewer lost frames prove nothing: one or two run out of battery on any day. */
export const fewestLost = 3;
/** With more than this part of the started frames lost, the firmware is the likelier cause than the frames. */
export const mostLostShare = 0.2;
/** How often a frame may break a download off in one rollout: each try costs battery. */
export const mostTries = 3;

/** Whether a frame belongs to the given percentage. A greater one only adds frames: each keeps its place. */
export function isAmong(rolloutId: string, serial: string, percent: number): boolean {
  const place = createHash('sha256').update(`${rolloutId}/${serial}`).digest().readUInt32BE(0) / 2 ** 32;
  return place * 100 < percent;
}

/** Why a rollout must not go on, or undefined when it may. */
export function reasonToPause({ started, lost }: Pick<RolloutCounts, 'started' | 'lost'>): string | undefined {
  if (lost < fewestLost || lost <= started * mostLostShare) return undefined;
  return `${lost} of ${started} frames that started failed or did not come back`;
}

/** What follows from a frame's report after it was offered a firmware. */
export type Return =
  | { readonly do: 'updated' }
  | { readonly do: 'again' }
  | { readonly do: 'failed'; readonly reason: string };

/**
 * Judges a frame that reports a version at its wake.
 * @returns undefined when the report proves nothing: the offer's own wake, or a story that is over
 */
export function judgeReturn(
  offer: Pick<OfferRow, 'phase' | 'started_at' | 'boot' | 'tries' | 'outcome'>,
  frame: { readonly firmware: string; readonly boot: number | null },
  version: string,
): Return | undefined {
  if (offer.outcome === 'updated') return undefined;
  if (isFirmwareVersion(frame.firmware) && !isNewerFirmware(version, frame.firmware)) return { do: 'updated' };
  // The same wake still: it may have lost its link, or said hello twice.
  if (offer.started_at === null || (frame.boot ?? 0) <= (offer.boot ?? 0)) return undefined;
  const whole = offer.phase === 'fetched' || offer.phase === 'restarting';
  if (!whole && offer.tries + 1 < mostTries) return { do: 'again' };
  if (offer.outcome === 'failed') return undefined;
  const reason = whole ? `came back with ${frame.firmware}` : `broken off ${mostTries} times`;
  return { do: 'failed', reason };
}

/**
 * The evidence of a wake about the picture that was announced to the frame at the wake before. The frame never reports its
 * glass: it sends back the sleep that it was sent, unless something that it noticed went wrong. That alone proves too
 * little (docs/polled-frames.md), so the time of the wake, the download and the frame's own errors are weighed with it.
 */
import type { TrmnlCall } from '../../../firmware-protocol/trmnl/headers.ts';
import { isOwnRate } from '../../../firmware-protocol/trmnl/refresh-rate.ts';
import { rangeOfFirmware } from '../../../firmware-protocol/trmnl/versions.ts';

/** The last answer to a frame, as far as it is weighed. Times are epoch milliseconds. */
export interface LastAnswer {
  readonly at: number;
  readonly refreshSeconds: number;
  /** Time of the last error that the frame has logged since; null without one. */
  readonly erredAt: number | null;
}

/** The service's own observations of a wake. */
export interface SeenWake {
  /** Time of the call, epoch milliseconds. */
  readonly now: number;
  /** True when every byte of the picture went to the frame in its last wake, and the connection ended well. */
  readonly isWhole: boolean;
  /** The least time in which the panel can be drawn, 0 where it is not known. */
  readonly drawingMs: number;
}

/** The evidence against a picture that was announced. */
export const wakeDoubts = [
  'no echo',
  'another answer echoed',
  'the frame stored a value of its own',
  'not downloaded whole',
  'woke too early',
  'woke too late',
  'the frame logged an error',
  'awake too shortly to draw',
  'drawn from flash without a download',
  'unknown firmware',
] as const;
export type Doubt = (typeof wakeDoubts)[number];

/** The verdict on a wake; without doubts the picture was processed to the end. */
export interface WakeVerdict {
  readonly doubts: readonly Doubt[];
  /** True when the frame sends no echo at all: its silence does not count against the picture either. */
  readonly cannotTell: boolean;
}

/** How far a sleep may differ from what was sent: clocks of these boards drift by some percent, and a call takes seconds. */
const drift = { part: 0.1, ms: 20_000 };
/** The retries of a call that failed before it came through: five, two seconds apart, each up to 15 s (W-T). */
export const retriesMs = 90_000;

/** Weighs a wake. */
export function judgeWake(
  last: LastAnswer,
  call: Pick<TrmnlCall, 'firmware' | 'refreshSeconds' | 'wake' | 'isCached' | 'wakeMs'>,
  { now, isWhole, drawingMs }: SeenWake,
): WakeVerdict {
  const { refreshSeconds: echoed } = call;
  const range = rangeOfFirmware(call.firmware);
  const found: Doubt[] = [];
  if (range === undefined) found.push('unknown firmware');
  if (echoed === undefined) found.push('no echo');
  else if (echoed !== last.refreshSeconds) {
    found.push(isOwnRate(echoed) ? 'the frame stored a value of its own' : 'another answer echoed');
  }
  // Where the frame reports that it drew from flash, a whole download at the same time was somebody else's.
  if (call.isCached === true) found.push('drawn from flash without a download');
  else if (!isWhole) found.push('not downloaded whole');
  found.push(...doubtsOfTime(last, call, range?.tellsWake === true, now));
  if (last.erredAt !== null) found.push('the frame logged an error');
  if (call.wakeMs !== undefined && call.wakeMs < drawingMs) found.push('awake too shortly to draw');
  return { doubts: found, cannotTell: echoed === undefined };
}

/**
 * A frame that restarts in the middle of drawing asks again at once, with the right echo. A person who presses the
 * button looks the same, unless the firmware reports what woke it.
 */
function doubtsOfTime(
  { at, refreshSeconds }: LastAnswer,
  { wake }: Pick<TrmnlCall, 'wake'>,
  tellsWake: boolean,
  now: number,
): Doubt[] {
  const told = refreshSeconds * 1000;
  const slept = now - at;
  if (wake === 'reset') return ['woke too early'];
  const isPressed = tellsWake && wake === 'button';
  // It sleeps after the answer and its picture, and calls after Wi-Fi: only its clock can make it early.
  if (!isPressed && slept < told * (1 - drift.part)) return ['woke too early'];
  // Its Wi-Fi or the service was away meanwhile: an error screen may lie over the picture.
  return slept > told * (1 + drift.part) + drift.ms + retriesMs ? ['woke too late'] : [];
}

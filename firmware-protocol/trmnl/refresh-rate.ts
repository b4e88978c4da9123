/**
 * The sleep that an answer carries, and the echo that comes back. A frame stores `refresh_rate` as it reads the answer,
 * writes another value over it when it fails, and sends what it has stored with the next call (usetrmnl/trmnl-firmware,
 * `lib/trmnl/src/refresh_interval.cpp`, `src/bl.cpp`).
 */

/** The least and the most seconds that are sent: 0 would be an endless loop of wakes. */
export const refreshLimits = { shortest: 60, longest: 86_400 } as const;

/**
 * The values that a frame stores by itself: after failures of the service (5, 10, 15, 30, 60, 300, 900), of its Wi-Fi (60, 180,
 * 300, 900), while it is not registered (5, 60, 900, 3600), and the default. None of them is ever sent.
 */
const ownRates: ReadonlySet<number> = new Set([5, 10, 15, 30, 60, 180, 300, 900, 3600]);

/** True for a value that a frame stores by itself when it could not show what it was sent. */
export function isOwnRate(seconds: number): boolean {
  return ownRates.has(seconds);
}

/** The widest that a sleep is moved off what was asked for, in seconds and as a part of it. */
const widest = { seconds: 60, part: 0.02, least: 8 };

/** How far the seconds that are sent may lie from those that are wanted. */
function reachOf(middle: number): number {
  return Math.max(widest.least, Math.min(widest.seconds, Math.floor(middle * widest.part)));
}

/** The sleep to ask for so that none that may be sent for it is shorter than `least` seconds (WK-13). */
export function rateFrom(least: number): number {
  let middle = least + reachOf(least);
  while (middle - reachOf(middle) < least) middle++;
  return middle;
}

/** The sleep to ask for so that none that may be sent for it is longer than `most` seconds. */
export function rateUpTo(most: number): number {
  return most - reachOf(most);
}

/**
 * Chooses the seconds to send: close to the sleep that is wanted, no value that frames store by themselves, and none of
 * those sent lately, so that an echo tells which answer it is of.
 * @param wanted seconds
 * @param lately the values sent last
 * @param chance a number from 0 up to 1
 */
export function chooseRefreshRate(wanted: number, lately: readonly number[], chance: number): number {
  const { shortest, longest } = refreshLimits;
  const middle = Math.min(longest, Math.max(shortest, Math.round(wanted)));
  const reach = reachOf(middle);
  const [from, to] = [Math.max(shortest, middle - reach), Math.min(longest, middle + reach)];
  const free = Array.from({ length: to - from + 1 }, (_, at) => from + at).filter(
    (seconds) => !isOwnRate(seconds) && !lately.includes(seconds),
  );
  return free[Math.floor(chance * free.length)] ?? middle + 1;
}

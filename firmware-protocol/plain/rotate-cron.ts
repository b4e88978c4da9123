/**
 * The times at which esp32-photoframe wakes. It takes no sleep, but rules of minute, hour and weekday, of which the
 * earliest counts (WK-6). Its own zone is not known here, so that the rules are in UTC and say so.
 */

/** The header that carries them on an answer with a picture. */
export const configPayloadHeader = 'x-config-payload';
/** The most bytes of that header, and the most rules in it. */
export const maxConfigBytes = 2047;
export const maxCronRules = 7;

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** The wakes that are wanted. */
export interface WantedWakes {
  /** Its usual sleep, in seconds. */
  readonly everySeconds: number;
  /** The hours of the day, UTC, in which it wakes by that, 0 to 23. */
  readonly hours: readonly number[];
  /** The minute of the hour at which it does, 0 to 59: not all frames ask at once. */
  readonly minute: number;
  /** Further times at which it has to be awake, epoch milliseconds, the earliest first. */
  readonly times: readonly number[];
  readonly now: number;
}

/** The rules for these wakes: the usual ones first, then those of the week ahead, the earliest of them. */
export function rotateCron({ everySeconds, hours, minute, times, now }: WantedWakes): readonly string[] {
  const minutes = everySeconds < 3600 ? `*/${divisorOfHour(everySeconds / 60)}` : String(minute);
  const inHours = hours.length === 24 ? '*' : [...hours].sort((a, b) => a - b).join(',');
  // A frame that is five seconds early sleeps again, so that the minute begins at the time or after it.
  const coming = times
    .filter((at) => at > now && at < now + 7 * dayMs)
    .map((at) => new Date(Math.ceil(at / minuteMs) * minuteMs))
    .map((at) => `${at.getUTCMinutes()} ${at.getUTCHours()} ${at.getUTCDay()}`);
  return [...new Set([`${minutes} ${inHours} *`, ...coming])].slice(0, maxCronRules);
}

/** The value of the header. */
export function configPayload(rules: readonly string[]): string {
  return JSON.stringify({ config: { auto_rotate: true, timezone: 'UTC0', rotate_cron: rules } });
}

/** The largest part of an hour, in whole minutes that go into it, which is not longer than this. */
function divisorOfHour(minutes: number): number {
  return [30, 20, 15, 12, 10, 6, 5, 4, 3, 2, 1].find((part) => part <= minutes) ?? 1;
}

/** Time as an edge: handed in, so that tests and the laboratory can move it by words. */

/** A timer that can be taken back. */
export interface Timer {
  cancel(): void;
}

/** Where time comes from. `now` is epoch milliseconds; `after` never keeps the process alive by itself. */
export interface Clock {
  now(): number;
  after(delayMs: number, run: () => void): Timer;
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};

const dayMs = 86_400_000;
/** Texts of days up to their `T`, by their number since 1970; when there are too many, all are forgotten. */
const days = new Map<number, string>();
const mostDays = 1000;
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

/**
 * ISO 8601 with milliseconds and `Z`, as every time in the HTTP contract. Put together from the day and the time of day:
 * a `Date` takes four times as long for its text, and every row that is shown has two or three.
 */
export function isoTime(epochMs: number): string {
  const day = Math.floor(epochMs / dayMs);
  const ms = Math.floor(epochMs) - day * dayMs;
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const time = `${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}:${twoDigits[seconds % 60]}`;
  return `${days.get(day) ?? keptDay(day)}${time}.${String(ms % 1000).padStart(3, '0')}Z`;
}

function keptDay(day: number): string {
  const text = new Date(day * dayMs).toISOString().slice(0, -'00:00:00.000Z'.length);
  if (days.size >= mostDays) days.clear();
  days.set(day, text);
  return text;
}

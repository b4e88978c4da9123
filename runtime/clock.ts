/** The clock, which is handed in, so that tests and the simulation can move time. */
import { BoundedMap } from './bounded-map.ts';

/** A timer that can be cancelled. */
export interface Timer {
  cancel(): void;
}

/** The source of time. `now` is epoch milliseconds; `after` never keeps the process alive by itself. */
export interface Clock {
  now(): number;
  after(delayMs: number, run: () => void): Timer;
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};

/** Keeps the process alive until the returned function is called, which timers of a clock and sleeping frames do not. */
export function keepProcess(): () => void {
  const timer = setInterval(() => undefined, 60_000);
  return () => clearInterval(timer);
}

const dayMs = 86_400_000;
/** The texts of days up to their `T`, by the number of the day since 1970. */
const days = new BoundedMap<number, string>(1000);
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

/**
 * Writes a moment in ISO 8601 with milliseconds and `Z`, like every time in the HTTP contract. The text is put together
 * from the day and the time of day, because a `Date` takes four times as long and every shown row has two or three
 * times.
 */
export function isoTime(epochMs: number): string {
  const day = Math.floor(epochMs / dayMs);
  const ms = Math.floor(epochMs) - day * dayMs;
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const time = `${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}:${twoDigits[seconds % 60]}`;
  return `${days.get(day) ?? keptDay(day)}${time}.${String(ms % 1000).padStart(3, '0')}Z`;
}

/** Writes a moment that there may be none of. */
export const isoTimeOrNull = (epochMs: number | null | undefined): string | null =>
  typeof epochMs === 'number' ? isoTime(epochMs) : null;

function keptDay(day: number): string {
  const text = new Date(day * dayMs).toISOString().slice(0, -'00:00:00.000Z'.length);
  days.set(day, text);
  return text;
}

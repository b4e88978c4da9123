/** The cost of settings of sleep and update windows: the wakes of a day, and the days that a battery lasts. */
import { clampSleepSeconds } from '../../firmware-protocol/sleep.ts';
import { sleepBetweenWindows, type UpdateSchedule } from './update-windows.ts';

/** The settings that decide when a frame wakes. */
export interface WakeSettings {
  readonly sleepSeconds: number;
  /** Null for a frame that wakes at all times. */
  readonly updateSchedule: UpdateSchedule | null;
}

const dayMs = 86_400_000;
/** Windows of months are seen whole. */
const lookedAtMs = 28 * dayMs;
/** The longest time within a window that is looked at as one; a shorter window is one. */
const stepSeconds = 3_600;
/** The most that a forecast may cost: windows that are asked, over all its steps (T-61). It stops then, at fewer days. */
const maxAsked = 3_000;
/** The cost of a step by itself, as windows. */
const stepAsWindows = 10;
/**
 * The use of a frame while it sleeps, as a number of wakes a day: about 0.1 mA all day, where a wake takes about 80 mA for
 * 15 seconds.
 */
const sleepAsWakes = 7;

/** The number of wakes a day with these settings, from a moment on. */
export function wakesPerDay({ sleepSeconds, updateSchedule }: WakeSettings, from: number): number {
  const normal = clampSleepSeconds(sleepSeconds);
  if (updateSchedule === null) return dayMs / 1000 / normal;
  const shortest = Math.min(...updateSchedule.map(({ durationMinutes }) => durationMinutes * 60), stepSeconds);
  let steps = Math.floor(maxAsked / (updateSchedule.length + stepAsWindows));
  let [wakes, at] = [0, from];
  for (; at < from + lookedAtMs && steps > 0; steps--) {
    const sleep = sleepBetweenWindows(updateSchedule, normal, at);
    // A sleep of just the normal length lies within a window, or ends at the beginning of one.
    const isWithin = sleep === normal;
    const lasts = isWithin ? Math.max(normal, shortest) : clampSleepSeconds(sleep);
    wakes += isWithin ? lasts / normal : 1;
    at += lasts * 1000;
  }
  return (wakes * dayMs) / (at - from);
}

/** The number of times as long as with the first number of wakes a day that a battery lasts with the second. */
export function lastsTimes(wakesNow: number, wakesThen: number): number {
  return (wakesNow + sleepAsWakes) / (wakesThen + sleepAsWakes);
}

/**
 * Computes when a paper is to be rendered again by its own schedule: `meta.schedule`, a cron line, in `meta.timezone`.
 */

import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { cronTimes } from '../../runtime/cron-times.ts';
import { isTimezone } from '../http/field-shapes.ts';

const maxLineLength = 100;

/** Reads the cron line of a paper; undefined when it has none. */
function lineOf({ schedule, timezone }: Readonly<Record<string, unknown>>): ReturnType<typeof cronTimes> | undefined {
  if (typeof schedule !== 'string' || schedule.trim() === '' || schedule.length > maxLineLength) return undefined;
  const zone = typeof timezone === 'string' && isTimezone(timezone) ? timezone : 'UTC';
  try {
    // A line has five fields: no paper changes by the second.
    return cronTimes(schedule, zone);
  } catch {
    return undefined;
  }
}

/**
 * Finds the field of a meta that wrongly states when its paper changes, and the mistake; undefined when there is none.
 */
export function timeProblem(meta: Readonly<Record<string, unknown>>): Reason | undefined {
  const { schedule, timezone } = meta;
  const isGiven = (value: unknown) => value !== undefined && value !== null && value !== '';
  if (isGiven(timezone) && !(typeof timezone === 'string' && isTimezone(timezone))) {
    return reasonOf('field-time-zone', { field: 'timezone' });
  }
  if (isGiven(schedule) && lineOf(meta) === undefined) return reasonOf('field-not-cron', { field: 'schedule' });
  return undefined;
}

/** Returns the first time after `after` that a paper's schedule names, in epoch milliseconds; null without any. */
export function nextRun(meta: Readonly<Record<string, unknown>>, after: number): number | null {
  return lineOf(meta)?.(after) ?? null;
}

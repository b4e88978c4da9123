/** `meta.updateSchedule`: the times at which people want a frame to wake, as clients in the field write them. */

import { z } from 'zod';
import {
  maxWindowMinutes,
  type Recurrence,
  type UpdateSchedule,
  type UpdateWindow,
} from '../../gateway/frames/update-windows.ts';
import { isTimezone } from '../http/field-shapes.ts';
import { wrongField, wrongFieldIssue } from '../http/fit-schema.ts';
import { RuleProblem, readWindowRule, recurring, startAt } from './recurrence-rule.ts';

const maxWindows = 50;
/**
 * The number of zones a schedule may name. A frame hangs in one zone, and each further one costs at every wake, for
 * more than its own windows (T-61).
 */
const maxZones = 5;
/** The zone of a schedule that names none. */
const defaultZone = 'Europe/Berlin';
const repeats = { none: undefined, daily: 'day', weekly: 'week', monthly: 'month' } as const;

/**
 * A window of time. With an `rrule` that rule counts, and `startsAt` is its start if it names none; else `repeat`
 * counts.
 */
const updateWindow = z.looseObject({
  startsAt: z.iso.datetime({ offset: true }).nullish(),
  durationMinutes: z.number().int().min(1).max(maxWindowMinutes),
  repeat: z.enum(['none', 'daily', 'weekly', 'monthly']).nullish(),
  rrule: z.string().nullish(),
});

/** The shape of `meta.updateSchedule`. Further fields are kept and mean nothing. */
export const updateSchedule = z
  .looseObject({
    enabled: z.boolean().nullish(),
    timezone: z
      .string()
      .refine((name) => name === '' || isTimezone(name), wrongField('field-time-zone-unknown'))
      .nullish(),
    windows: z.array(updateWindow).max(maxWindows).nullish(),
  })
  .superRefine((given, context) => {
    // Rules are read only in a zone and from a start that are themselves valid.
    if (context.issues.length > 0) return;
    const zones = new Set([zoneOf(given)]);
    for (const [index, window] of (given.windows ?? []).entries()) {
      try {
        zones.add(recurrenceOf(window, zoneOf(given)).timeZone);
      } catch (error) {
        if (!(error instanceof RuleProblem)) throw error;
        const field = window.rrule ? 'rrule' : 'startsAt';
        context.addIssue({ code: 'custom', path: ['windows', index, field], message: error.message });
      }
      if (zones.size <= maxZones) continue;
      const tooMany = wrongFieldIssue('field-many-time-zones', { most: maxZones });
      context.addIssue({ ...tooMany, path: ['windows', index] });
      return;
    }
  });

type GivenSchedule = z.output<typeof updateSchedule>;

/**
 * Returns the windows that a frame is to keep; null for a schedule that is not enabled: the frame then wakes at all
 * times.
 */
export function windowsOf(given: GivenSchedule | null | undefined): UpdateSchedule | null {
  if (given?.enabled !== true) return null;
  return (given.windows ?? []).map(
    (window): UpdateWindow => ({
      ...recurrenceOf(window, zoneOf(given)),
      durationMinutes: window.durationMinutes,
    }),
  );
}

function zoneOf({ timezone }: Pick<GivenSchedule, 'timezone'>): string {
  return timezone || defaultZone;
}

function recurrenceOf({ startsAt, repeat, rrule }: z.output<typeof updateWindow>, timeZone: string): Recurrence {
  const start = startsAt ? startAt(Date.parse(startsAt), timeZone) : undefined;
  if (rrule) return readWindowRule(rrule, timeZone, start);
  if (start === undefined) throw new RuleProblem('is missing');
  const every = repeats[repeat ?? 'none'];
  return every === undefined ? recurring(start, 'day', { lastDay: start.firstDay }) : recurring(start, every);
}

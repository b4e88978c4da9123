/** `meta.updateSchedule`: when people want a frame to wake, as clients in the field write it (C-59). */
import { z } from 'zod';
import { longestWindowMinutes, type UpdateSchedule, type UpdateWindow } from '../../gateway/frames/update-windows.ts';
import { isTimezone } from '../http/field-shapes.ts';
import { type Recurrence, RuleProblem, readRule, recurring, startAt } from './recurrence-rule.ts';

const mostWindows = 50;
/** Where no zone is named. */
const usualZone = 'Europe/Berlin';
const repeats = { none: undefined, daily: 'day', weekly: 'week', monthly: 'month' } as const;

/** A window. With an `rrule` that counts, and `startsAt` is where it begins if it does not say; else `repeat` does. */
const updateWindow = z.looseObject({
  startsAt: z.iso.datetime({ offset: true }).nullish(),
  durationMinutes: z.number().int().min(1).max(longestWindowMinutes),
  repeat: z.enum(['none', 'daily', 'weekly', 'monthly']).nullish(),
  rrule: z.string().nullish(),
});

/** What `meta.updateSchedule` may hold; fields besides are kept and mean nothing. */
export const updateSchedule = z
  .looseObject({
    enabled: z.boolean().nullish(),
    timezone: z
      .string()
      .refine((name) => name === '' || isTimezone(name), 'no time zone that is known')
      .nullish(),
    windows: z.array(updateWindow).max(mostWindows).nullish(),
  })
  .superRefine((given, context) => {
    // Rules are read in a zone, and from a start, that were found to be some.
    if (context.issues.length > 0) return;
    (given.windows ?? []).forEach((window, index) => {
      try {
        recurrenceOf(window, zoneOf(given));
      } catch (error) {
        if (!(error instanceof RuleProblem)) throw error;
        const field = window.rrule ? 'rrule' : 'startsAt';
        context.addIssue({ code: 'custom', path: ['windows', index, field], message: error.message });
      }
    });
  });

type GivenSchedule = z.output<typeof updateSchedule>;

/** The windows that a frame is to keep, null for a schedule that is not enabled: it wakes at all times. */
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
  return timezone || usualZone;
}

function recurrenceOf({ startsAt, repeat, rrule }: z.output<typeof updateWindow>, timeZone: string): Recurrence {
  const start = startsAt ? startAt(Date.parse(startsAt), timeZone) : undefined;
  if (rrule) return readRule(rrule, timeZone, start);
  if (start === undefined) throw new RuleProblem('is missing');
  const every = repeats[repeat ?? 'none'];
  return every === undefined ? recurring(start, 'day', { lastDay: start.firstDay }) : recurring(start, every);
}

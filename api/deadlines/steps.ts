/** The steps by which a deadline that is not kept goes from one person to the next. Pure. */
import { z } from 'zod';
import { objectId } from '../http/field-shapes.ts';
import type { DeadlineState } from './deadline-state.ts';

/** The most steps of one deadline. */
export const maxSteps = 10;
const minuteMs = 60_000;
const minutes = z.int().min(0).max(1_440);

/** The states on which a step may wait, from the least to the most severe. */
export const stepStates = ['at-risk', 'unavoidable', 'missed'] as const;

/** When a step is taken: on a state, so long before or after the time, or so long after the step before it. */
const stepWhen = z.union([
  z.strictObject({ state: z.enum(stepStates) }).describe('as soon as it stands so, or worse'),
  z.strictObject({ minutesBefore: minutes }).describe('before its time, if it is not met by then'),
  z.strictObject({ minutesAfter: minutes }).describe('after its time'),
  z
    .strictObject({ minutesLater: minutes })
    .describe('after the step before; it waits while the deadline is planned again'),
]);

/** Who or what a step goes to. */
const stepTo = z.union([
  z.strictObject({ channels: z.literal('all') }).describe('every channel of alerts that is on'),
  z.strictObject({ channel: objectId }).describe('one channel of alerts'),
  z.strictObject({ person: objectId }).describe('a member, by email: the id of the user'),
  z.strictObject({ device: objectId }).describe('another frame, on which the same paper is put'),
]);

/** A step. */
export const deadlineStep = z.object({
  when: stepWhen,
  to: stepTo,
  urgent: z.boolean().default(false).describe('true for one that quiet hours and digests do not hold back'),
});
export type DeadlineStep = z.output<typeof deadlineStep>;

/** The steps of a deadline that names none: every channel is notified of what cannot be kept. */
export const defaultSteps: readonly DeadlineStep[] = [
  { when: { state: 'unavoidable' }, to: { channels: 'all' }, urgent: false },
];

/** For how long an acknowledgement stops the steps (DL-21). */
export const acknowledgedMs = 15 * minuteMs;

const severity: Readonly<Record<DeadlineState, number>> = {
  met: -1,
  'met-late': -1,
  planned: 0,
  'at-risk': 1,
  unavoidable: 2,
  'shown-unproven': 3,
  missed: 3,
};

/** Whether a deadline in a state needs somebody. */
export const isAtStake = (state: DeadlineState): boolean => severity[state] > 0;

/** How far the steps of a deadline have come. Times are epoch milliseconds. */
export interface Ladder {
  readonly steps: readonly DeadlineStep[];
  readonly by: number;
  readonly state: DeadlineState;
  readonly taken: number;
  /** From when on the next one counts: when the last one was taken, or it was at stake again after that; null before the first. */
  readonly takenAt: number | null;
  readonly acknowledgedUntil: number | null;
}

/**
 * Returns when the next step is to be taken, and which one it is: `at` is `now` or earlier for one that is due, Infinity
 * while it waits for another state. Undefined when there is none, as after the deadline was met (DL-21).
 */
export function nextStep(
  { steps, by, state, taken, takenAt, acknowledgedUntil }: Ladder,
  now: number,
): { readonly step: DeadlineStep; readonly at: number } | undefined {
  const step = steps[taken];
  if (step === undefined || severity[state] < 0) return undefined;
  const at = timeOf(step.when, { by, state, takenAt }, now);
  // Where nobody takes care of it any longer, it goes on where it stopped.
  return { step, at: acknowledgedUntil !== null && acknowledgedUntil > now ? Math.max(at, acknowledgedUntil) : at };
}

function timeOf(
  when: DeadlineStep['when'],
  { by, state, takenAt }: Pick<Ladder, 'by' | 'state' | 'takenAt'>,
  now: number,
): number {
  if ('state' in when) return severity[state] >= severity[when.state] ? now : Infinity;
  if ('minutesBefore' in when) return by - when.minutesBefore * minuteMs;
  if ('minutesAfter' in when) return by + 1 + when.minutesAfter * minuteMs;
  // Whatever was at stake is well again: nobody needs the next one.
  if (!isAtStake(state)) return Infinity;
  return takenAt === null ? now : takenAt + when.minutesLater * minuteMs;
}

/** Words the cause of a deadline at stake as a reason, and names the ways out. */
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { isoTime } from '../../runtime/clock.ts';
import type { DeadlineCause } from './deadline-state.ts';
import type { DeadlineSituation } from './read-situation.ts';

/** The ways out for a person, by codes that the console and messages word. */
export const waysOut = [
  'press-button',
  'other-frame',
  'charge',
  'choose-paper',
  'mend-picture',
  'bind-frame',
  'lower-grade',
] as const;
export type DeadlineWayOut = (typeof waysOut)[number];

/** The ways out of each cause, the nearest first (DL-12). */
const waysOf: Readonly<Record<`deadline-${DeadlineCause}`, readonly DeadlineWayOut[]>> = {
  'deadline-no-frame': ['bind-frame', 'other-frame'],
  'deadline-flat': ['charge', 'other-frame'],
  'deadline-grade-never': ['lower-grade'],
  'deadline-asleep': ['press-button', 'other-frame'],
  'deadline-came-late': ['press-button', 'other-frame'],
  'deadline-not-woken': ['press-button', 'charge', 'other-frame'],
  'deadline-not-reported': ['press-button'],
  'deadline-too-late': ['press-button', 'other-frame'],
  'deadline-other-paper': ['choose-paper'],
  'deadline-not-made': ['mend-picture'],
  'deadline-making': [],
  'deadline-identity': ['other-frame'],
  'deadline-failing': ['press-button', 'other-frame'],
  'deadline-silent': ['press-button', 'charge', 'other-frame'],
  'deadline-battery': ['charge'],
  'deadline-late': ['press-button', 'other-frame'],
  'deadline-tight': ['press-button'],
};

/** Returns the reason of a cause, with the time that it speaks of. */
export function reasonOfCause(cause: DeadlineCause, { facts }: Pick<DeadlineSituation, 'facts'>): Reason {
  const code = `deadline-${cause}` as const;
  const time = isoTime(facts.frame?.wakesAt ?? facts.by);
  switch (code) {
    case 'deadline-asleep':
    case 'deadline-came-late':
    case 'deadline-late':
    case 'deadline-not-woken':
      return reasonOf(code, { time });
    default:
      return reasonOf(code);
  }
}

/** Returns the ways out of what a cause says; none where there is no cause. */
export function waysOutOf(reason: Reason | string | undefined): readonly DeadlineWayOut[] {
  const code = typeof reason === 'object' ? reason.code : '';
  return Object.hasOwn(waysOf, code) ? waysOf[code as keyof typeof waysOf] : [];
}

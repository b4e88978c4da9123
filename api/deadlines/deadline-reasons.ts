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
const waysOf: Readonly<Record<DeadlineCause, readonly DeadlineWayOut[]>> = {
  'no-frame': ['bind-frame', 'other-frame'],
  flat: ['charge', 'other-frame'],
  'grade-never': ['lower-grade'],
  asleep: ['press-button', 'other-frame'],
  'came-late': ['press-button', 'other-frame'],
  'not-woken': ['press-button', 'charge', 'other-frame'],
  'not-reported': ['press-button'],
  'too-late': ['press-button', 'other-frame'],
  'other-paper': ['choose-paper'],
  'not-made': ['mend-picture'],
  making: [],
  identity: ['other-frame'],
  failing: ['press-button', 'other-frame'],
  silent: ['press-button', 'charge', 'other-frame'],
  battery: ['charge'],
  late: ['press-button', 'other-frame'],
  tight: ['press-button'],
};

const prefix = 'deadline-';

/** Returns the reason of a cause, with the time that it speaks of. */
export function reasonOfCause(cause: DeadlineCause, { facts }: Pick<DeadlineSituation, 'facts'>): Reason {
  const code = `${prefix}${cause}` as const;
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
  if (typeof reason !== 'object' || !reason.code.startsWith(prefix)) return [];
  const cause = reason.code.slice(prefix.length);
  return Object.hasOwn(waysOf, cause) ? waysOf[cause as DeadlineCause] : [];
}

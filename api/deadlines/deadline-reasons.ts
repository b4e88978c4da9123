/** Words the cause of a deadline at stake as a reason, and names the ways out. */
import { type Reason, type Reasons, reasonOf } from '../../reasons/reason.ts';
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
  'set-up-frame',
  'lower-grade',
] as const;
export type DeadlineWayOut = (typeof waysOut)[number];

/** The ways out of each cause, the nearest first (DL-12). */
const waysOf: Readonly<Record<`deadline-${DeadlineCause}`, readonly DeadlineWayOut[]>> = {
  'deadline-not-shown': ['choose-paper'],
  'deadline-no-frame': ['bind-frame', 'other-frame'],
  'deadline-flat': ['charge', 'other-frame'],
  'deadline-grade-never': ['lower-grade'],
  'deadline-asleep': ['press-button', 'other-frame'],
  'deadline-came-late': ['press-button', 'other-frame'],
  'deadline-not-woken': ['press-button', 'charge', 'other-frame'],
  'deadline-not-reported': ['press-button'],
  'deadline-never-came': ['set-up-frame', 'other-frame'],
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

/** Returns the reason of a cause; before it the reason that whatever the frame does, it is to show something else. */
export function reasonsOfCause(cause: DeadlineCause, situation: Pick<DeadlineSituation, 'facts'>): Reasons {
  const isElsewhere = situation.facts.picture === 'other-paper' && cause !== 'other-paper';
  return [...(isElsewhere ? [reasonOf('deadline-other-paper')] : []), reasonOfCause(cause, situation)];
}

/** Returns the reason of a cause, with the time that it speaks of. */
function reasonOfCause(cause: DeadlineCause, { facts }: Pick<DeadlineSituation, 'facts'>): Reason {
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

/** Returns the ways out of some causes, each once; an empty list without a cause. */
export function waysOutOf(causes: Reasons): readonly DeadlineWayOut[] {
  const ways = causes.flatMap((cause) => {
    const code = typeof cause === 'object' ? cause.code : '';
    return Object.hasOwn(waysOf, code) ? waysOf[code as keyof typeof waysOf] : [];
  });
  return [...new Set(ways)];
}

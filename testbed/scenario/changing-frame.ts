/** A frame whose behaviours and Wi-Fi change while it is played. */

import { frameThat } from '../../simulator/behaviours/behaviours.ts';
import { withoutWifi } from '../../simulator/behaviours/surrounding-behaviours.ts';
import { type Behaviour, type StepFrame, withEffects } from '../../simulator/dialects/any-frame.ts';
import type { Group } from './scenario.ts';

/** The behaviour of a changing frame, and what changes it. */
export interface ChangingFrame {
  /** Its only behaviour, which stands for those that it has at the moment. */
  readonly behaviour: Behaviour;
  /** Gives it these behaviours in place of its own. */
  behave(as: readonly string[]): void;
  /** Takes its Wi-Fi away until a moment, epoch milliseconds. */
  loseWifi(until: number): void;
  /** Whether it does what its firmware does. */
  isHealthy(): boolean;
}

/** A frame that has come to the end of its wakes sleeps on until the longest scenario is over; its button still wakes it. */
const lastSleepMs = 400 * 86_400_000;

/** Wakes by its clock at these times, in place of the end of each of its sleeps. */
const wakingAt =
  (wakes: readonly number[], now: () => number): Behaviour =>
  (below) =>
  (state, event) =>
    withEffects(below(state, event), (effect) => {
      if (effect.do !== 'sleep' || effect.seconds === 'for ever') return [effect];
      const sleepMs = (wakes.find((at) => at > now()) ?? now() + lastSleepMs) - now();
      return [{ do: 'sleep', seconds: sleepMs / 1000, wake: 'timer', isExact: true }];
    });

/** The delay until a frame that wakes at given times is switched on: the first of these times. */
export function switchOnMs({ wakes }: Pick<Group, 'wakes'>, now: number): number | undefined {
  return wakes?.[0] === undefined ? undefined : Math.max(0, wakes[0] - now);
}

/** Begins with the behaviours of a group. */
export function changingFrame(
  { behaviours, dialect, wakes }: Pick<Group, 'behaviours' | 'dialect' | 'wakes'>,
  now: () => number,
): ChangingFrame {
  let isHealthy = behaviours.length === 0;
  let awayUntil = 0;
  const withoutIts = withoutWifi(() => now() < awayUntil);
  const timed: Behaviour = wakes === undefined ? (below) => below : wakingAt(wakes, now);
  const surrounded: Behaviour = (below) => timed(withoutIts(below));
  let step: StepFrame = surrounded(frameThat(behaviours, dialect));
  return {
    behaviour: () => (state, event) => step(state, event),
    behave(as) {
      isHealthy &&= as.length === 0;
      step = surrounded(frameThat(as, dialect));
    },
    loseWifi(until) {
      awayUntil = until;
    },
    isHealthy: () => isHealthy,
  };
}

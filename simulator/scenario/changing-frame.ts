/** A frame whose behaviours and Wi-Fi change while it is played. */
import type { AnyFrame, Behaviour, StepFrame } from '../any-frame.ts';
import { frameThat } from '../behaviours.ts';
import { withoutWifi } from '../surrounding-behaviours.ts';

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

/** Begins with these behaviours. */
export function changingFrame(
  behaviours: readonly string[],
  dialect: AnyFrame['dialect'],
  now: () => number,
): ChangingFrame {
  let isHealthy = behaviours.length === 0;
  let awayUntil = 0;
  const surrounded = withoutWifi(() => now() < awayUntil);
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

/** A frame of any dialect, and the step of one that is honest and healthy. */

import { type FrameEffect, only, type SimulatedEvent, type Step } from '../frame/frame.ts';
import { stepClassic } from './classic/classic-frame.ts';
import type { ClassicState } from './classic/classic-state.ts';
import { stepNative } from './native/native-frame.ts';
import type { NativeState } from './native/native-state.ts';
import { stepOffline } from './offline/offline-frame.ts';
import type { OfflineState } from './offline/offline-state.ts';
import { stepTrmnl } from './trmnl/trmnl-frame.ts';
import type { TrmnlState } from './trmnl/trmnl-state.ts';

/** A frame of any dialect. */
export type AnyFrame = NativeState | ClassicState | TrmnlState | OfflineState;

/** Makes the step of a frame after an event. */
export type StepFrame = (state: AnyFrame, event: SimulatedEvent) => Step<AnyFrame>;

/** A behaviour: makes the step of a frame out of the step below it. */
export type Behaviour = (below: StepFrame) => StepFrame;

/** The step of a frame that does what its firmware does. */
export const honest: StepFrame = (state, event) => {
  if (state.dialect === 'trmnl') return stepTrmnl(state, event);
  if (state.dialect === 'offline') return stepOffline(state, event);
  return state.dialect === 'native' ? stepNative(state, event) : stepClassic(state, event);
};

/** Returns a step with other effects in place of each of its own. */
export function withEffects(
  step: Step<AnyFrame>,
  change: (effect: FrameEffect, step: Step<AnyFrame>) => readonly FrameEffect[],
): Step<AnyFrame> {
  return only(step.state, ...step.effects.flatMap((effect) => change(effect, step)));
}

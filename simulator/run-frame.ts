/** One simulated frame that lives: its state, what happens to it, and what it does about that. */
import type { Clock } from '../runtime/clock.ts';
import type { AnyFrame, StepFrame } from './behaviours.ts';
import type { Facts, SimulatedEvent } from './frame.ts';
import { type LinkedFrame, liveLink } from './live-link.ts';

/** A frame before it is switched on. */
export interface AssembledFrame {
  readonly state: AnyFrame;
  readonly step: StepFrame;
  readonly switchOn: { readonly afterMs: number; readonly reason: 'button' | 'timer' };
}

/** What is told of it. */
export interface FrameListener {
  readonly trace: (event: string, facts: Facts) => void;
  /** Called after each step that changed something. */
  readonly changed: (before: AnyFrame, now: AnyFrame) => void;
}

/** A frame that lives until it is stopped. */
export interface RunningFrame {
  readonly state: AnyFrame;
  /** Wakes it, unless it is awake. */
  pressButton(): void;
  stop(): void;
}

/** Switches a frame on. */
export function runFrame(
  { state: initial, step, switchOn }: AssembledFrame,
  linked: LinkedFrame,
  clock: Clock,
  { trace, changed }: FrameListener,
): RunningFrame {
  let state = initial;
  let stopped = false;
  const handle = (event: SimulatedEvent): void => {
    if (stopped) return;
    const before = state;
    const next = step(before, event);
    state = next.state;
    for (const effect of next.effects) {
      if (effect.do === 'trace') trace(effect.event, effect.facts);
      else link.perform(effect);
    }
    if (state !== before) changed(before, state);
  };
  const link = liveLink(linked, clock, handle);
  const first = clock.after(switchOn.afterMs, () => link.wake(switchOn.reason));
  return {
    get state() {
      return state;
    },
    pressButton() {
      if (state.asleep) link.wake('button');
    },
    stop() {
      stopped = true;
      first.cancel();
      link.destroy();
    },
  };
}

/** One live simulated frame: its state, what happens to it, and how it reacts. */
import type { Orientation } from '../../firmware-protocol/panels.ts';
import type { WakeReason } from '../../firmware-protocol/sleep.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type LinkedFrame, liveLink } from '../air/live-link.ts';
import type { AnyFrame, StepFrame } from '../dialects/any-frame.ts';
import { losePower } from '../dialects/lose-power.ts';
import type { Facts, SimulatedEvent } from '../frame/frame.ts';

/** A frame before it is switched on. */
export interface AssembledFrame {
  readonly state: AnyFrame;
  readonly step: StepFrame;
  readonly switchOn: { readonly afterMs: number; readonly reason: 'button' | 'timer' };
}

/** The functions that are called with what a frame does. */
export interface FrameListener {
  readonly trace: (event: string, facts: Facts) => void;
  /** Called after each step that changed something. */
  readonly changed: (before: AnyFrame, now: AnyFrame) => void;
}

/** A frame that lives until it is stopped, and the actions on it. */
export interface RunningFrame {
  /** All that the frame knows, and what a person sees on its glass. */
  readonly state: AnyFrame;
  /** Whether it is awake and waits for the service. */
  readonly isWaiting: boolean;
  /** Wakes it, unless it is awake: by its button unless another reason is given. */
  wake(reason?: WakeReason): void;
  /** Hangs it the other way; a draw that is under way is broken off, and begun again by the frame (W-30). */
  hang(orientation: Orientation): void;
  /** Sets its battery, in millivolts. */
  charge(batteryMv: number): void;
  /** Takes its power at once, whatever it was doing. `wake('reset')` gives it back. */
  cutPower(): void;
  /** Breaks the connection and the download that are open. */
  cutLink(): void;
  /** Takes its Wi-Fi away for this many wakes; the one that is under way is the first of them. */
  loseLink(wakes: number): void;
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
  const become = (next: AnyFrame): void => {
    const before = state;
    state = next;
    if (state !== before) changed(before, state);
  };
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
    get isWaiting() {
      return !state.asleep && !link.isByItself();
    },
    wake(reason = 'button') {
      first.cancel();
      if (state.asleep && !stopped) link.wake(reason);
    },
    hang(orientation) {
      link.breakDraw();
      become({ ...state, orientation });
    },
    charge(batteryMv) {
      become({ ...state, batteryMv });
    },
    cutPower() {
      first.cancel();
      link.switchOff();
      become(losePower(state));
    },
    cutLink: () => link.cut(),
    loseLink(wakes) {
      link.loseFor(wakes);
      if (!state.asleep) link.cut();
    },
    stop() {
      stopped = true;
      first.cancel();
      link.destroy();
    },
  };
}

/** The fielded frame's state, its phases, and the sentences it says. Sections and W-rules are those of the frame wire. */
import { encodeClassicWake } from '../firmware-protocol/classic.ts';
import { effectiveSleepSeconds } from '../firmware-protocol/sleep.ts';
import { classicTopics } from '../firmware-protocol/topics.ts';
import {
  asleep,
  defaultSleepSeconds,
  type FrameEffect,
  type FrameState,
  type Glass,
  only,
  type Publish,
  type SleepSeconds,
  type Step,
  type StoredPicture,
  sensorValue,
  trace,
} from './frame.ts';

/** What the last step of a cycle says. */
export type UpdateState = 'update_ok' | 'update_failed';

/** A phase that starts with saying something, once the link is up. */
export type TalkingPhase =
  | { readonly name: 'deactivating'; readonly tries: number; readonly next: 'report' | 'sleep' }
  | { readonly name: 'reporting'; readonly tries: number }
  | { readonly name: 'requesting'; readonly tries: number }
  | { readonly name: 'saying'; readonly says: UpdateState };

/** Where a classic frame is in its wake cycle. */
export type ClassicPhase =
  | { readonly name: 'asleep' }
  | { readonly name: 'connecting'; readonly attempt: number; readonly next: TalkingPhase }
  | TalkingPhase
  | { readonly name: 'asking for firmware'; readonly next: TalkingPhase }
  | { readonly name: 'flashing'; readonly next: TalkingPhase; readonly version: string }
  /** Waits for what cannot come any more, until the failsafe (W-01). */
  | { readonly name: 'stuck' }
  | { readonly name: 'awaiting url' }
  | { readonly name: 'probing'; readonly round: number; readonly url: string }
  | { readonly name: 'downloading'; readonly round: number; readonly url: string }
  | { readonly name: 'drawing'; readonly plan: DrawPlan; readonly draws: number };

/** What is being drawn, and what follows from it. */
export interface DrawPlan {
  readonly glass: Glass;
  readonly keep: StoredPicture | undefined;
  /** Undefined: nothing is said, the frame just sleeps. */
  readonly says: UpdateState | undefined;
}

/** What one wake learns; gone with it. */
export interface Cycle {
  readonly t: number | undefined;
  readonly url: string | undefined;
  /** Fixed right after the answer; the boot default until then (W-20). */
  readonly sleepSeconds: number;
}

export interface ClassicState extends FrameState {
  readonly dialect: 'classic';
  /** Compiled into the firmware. */
  readonly urlPrefix: string;
  /** Where it looks for firmware, compiled in too; undefined: it never does. */
  readonly manifestUrl: string | undefined;
  readonly activated: boolean;
  /** Whether somebody has just set up its WiFi: such a frame asks to be deactivated first (W-36). */
  readonly freshWifi: boolean;
  readonly pairingRounds: number;
  readonly lastFullWakeMs: number;
  readonly phase: ClassicPhase;
  readonly cycle: Cycle;
}

export type ClassicStep = Step<ClassicState>;

export const freshCycle: Cycle = { t: undefined, url: undefined, sleepSeconds: defaultSleepSeconds };

/** A fielded frame: WiFi is set up, no picture yet, not activated as far as it knows. */
export function newClassicFrame(frame: FrameState, urlPrefix: string, manifestUrl?: string): ClassicState {
  return {
    ...frame,
    dialect: 'classic',
    urlPrefix,
    manifestUrl,
    activated: false,
    freshWifi: false,
    pairingRounds: 0,
    lastFullWakeMs: 0,
    phase: { name: 'asleep' },
    cycle: freshCycle,
  };
}

/** The sleep the frame would take now, told this timeout (section 9). */
export function sleepAfter(state: ClassicState, timeoutSeconds: number): number {
  return effectiveSleepSeconds({
    wake: state.wake,
    timeoutSeconds,
    storedTimeoutSeconds: state.sleepSeconds,
    secondsSinceFullWake: Math.round((state.nowMs - state.lastFullWakeMs) / 1000),
  });
}

export function wakeReport(state: ClassicState): Publish {
  return classicPublish(
    classicTopics.activate(state.serial),
    encodeClassicWake({
      firmware: state.firmware,
      fileVersion: state.fileVersion,
      batteryMv: Math.round(state.batteryMv),
      wake: state.wake,
      rssi: state.rssi,
      orientation: sensorValue(state),
      storedTimeoutSeconds: state.sleepSeconds,
      predictedSleepSeconds: sleepAfter(state, state.sleepSeconds),
    }),
  );
}

function pleaseDeactivate(state: ClassicState): Publish {
  return classicPublish(classicTopics.activate(state.serial), text('{"act": 0}'));
}

function urlRequest(state: ClassicState): Publish {
  return classicPublish(classicTopics.request(state.serial), text('{"func": "request"}'));
}

/** A state names neither version nor picture (W-14). */
export function updateState(state: ClassicState, says: UpdateState): Publish {
  return classicPublish(classicTopics.state(state.serial), text(`{"state": "${says}"}`));
}

/** Sleeps without DISCONNECT: the connection just dies (W-26). */
export function vanish(state: ClassicState, seconds: SleepSeconds, ...before: FrameEffect[]): ClassicStep {
  const wake = seconds === 'until button' ? 'button' : 'timer';
  return asleep({ ...state, phase: { name: 'asleep' } }, seconds, wake, ...before);
}

/** What would corrupt the firmware's memory or end its connection: counted, and the cycle is over (W-04, W-05). */
export function crash(state: ClassicState, why: string): ClassicStep {
  return vanish({ ...state, crashes: state.crashes + 1 }, state.sleepSeconds, trace('crashed', { why }));
}

/** Enters a phase that says something and waits; the link is up. */
export function talk(state: ClassicState, phase: TalkingPhase): ClassicStep {
  const talking = { ...state, phase };
  switch (phase.name) {
    case 'deactivating':
      return only(talking, pleaseDeactivate(state), { do: 'timer', name: 'answer', afterMs: 5000 });
    case 'reporting':
      return only(talking, wakeReport(state), { do: 'timer', name: 'answer', afterMs: 5000 });
    case 'requesting':
      return only(talking, urlRequest(state), { do: 'timer', name: 'answer', afterMs: 7500 });
    case 'saying':
      return vanish(
        talking,
        state.cycle.sleepSeconds,
        trace('said', { state: phase.says }),
        updateState(state, phase.says),
      );
  }
}

/** Connects, then talks. */
export function connectTo(state: ClassicState, next: TalkingPhase, ...before: FrameEffect[]): ClassicStep {
  const phase = { name: 'connecting', attempt: 1, next } as const;
  return only({ ...state, phase }, ...before, { do: 'connect', connackMs: 1000 });
}

function classicPublish(topic: string, payload: Uint8Array): Publish {
  return { do: 'publish', topic, payload, qos: 0 };
}

function text(json: string): Uint8Array {
  return new TextEncoder().encode(json);
}

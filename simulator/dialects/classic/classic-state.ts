/** The state of the fielded frame, its phases, and its messages. Sections are those of the frame wire. */
import { encodeClassicWake } from '../../../firmware-protocol/classic.ts';
import { effectiveSleepSeconds } from '../../../firmware-protocol/sleep.ts';
import { classicTopics } from '../../../firmware-protocol/topics.ts';
import {
  asleep,
  defaultSleepSeconds,
  type FrameEffect,
  type FramePicture,
  type Glass,
  only,
  type Publish,
  type SimulatedFrame,
  type SleepSeconds,
  type Step,
  sensorValue,
  trace,
} from '../../frame/frame.ts';

/** The result that the last step of a cycle reports. */
export type UpdateState = 'update_ok' | 'update_failed';

/** A phase that begins with a message of the frame, once the link is up. */
export type TalkingPhase =
  | { readonly name: 'deactivating'; readonly tries: number; readonly next: 'report' | 'sleep' }
  | { readonly name: 'reporting'; readonly tries: number }
  | { readonly name: 'requesting'; readonly tries: number }
  | { readonly name: 'saying'; readonly says: UpdateState };

/** The place of a classic frame in its wake cycle. */
export type ClassicPhase =
  | { readonly name: 'asleep' }
  | { readonly name: 'connecting'; readonly attempt: number; readonly next: TalkingPhase }
  | TalkingPhase
  | { readonly name: 'asking for firmware'; readonly next: TalkingPhase }
  | { readonly name: 'flashing'; readonly next: TalkingPhase; readonly version: string }
  /** Waits until the failsafe for an answer that can no longer come (W-01). */
  | { readonly name: 'stuck' }
  /** Was told to stay awake: takes later pictures as long as its connection lasts, and never connects again (W-27). */
  | { readonly name: 'kept awake' }
  | { readonly name: 'awaiting url' }
  | { readonly name: 'probing'; readonly round: number; readonly url: string }
  | { readonly name: 'downloading'; readonly round: number; readonly url: string }
  | { readonly name: 'drawing'; readonly plan: DrawPlan; readonly draws: number };

/** The picture that is being drawn, and what the frame does afterwards. */
export interface DrawPlan {
  readonly glass: Glass;
  readonly keep: FramePicture | undefined;
  /** The result that the frame reports; when undefined it just sleeps. */
  readonly says: UpdateState | undefined;
}

/** The state of one wake, which is lost at its end. */
export interface Cycle {
  readonly t: number | undefined;
  readonly url: string | undefined;
  /** The sleep that the answer set; the boot default until then (W-20). */
  readonly sleepSeconds: number;
  /** The flags that the answer set; the boot default until then (W-20). */
  readonly flags: ClassicEeprom;
}

/** The flags that the firmware stores at every wake that reaches the network, for wakes that do not (W-27). */
export interface ClassicEeprom {
  readonly overlay: boolean;
  readonly clearscreen: boolean;
  /** True when the frame stays awake on its connection for good. */
  readonly sleepDisabled: boolean;
}

export interface ClassicState extends SimulatedFrame {
  readonly dialect: 'classic';
  /** The prefix of pictures' addresses, compiled into the firmware. */
  readonly urlPrefix: string;
  /** The address of the firmware manifest, compiled in too; when undefined the frame never fetches one. */
  readonly manifestUrl: string | undefined;
  readonly activated: boolean;
  /** True right after somebody set up the WiFi: such a frame asks to be deactivated first (W-36). */
  readonly freshWifi: boolean;
  readonly pairingRounds: number;
  /** The wakes without Wi-Fi since the last one with it. */
  readonly wifiFailures: number;
  readonly lastFullWakeMs: number;
  readonly eeprom: ClassicEeprom;
  readonly phase: ClassicPhase;
  readonly cycle: Cycle;
}

export type ClassicStep = Step<ClassicState>;

export const bootFlags: ClassicEeprom = { overlay: true, clearscreen: true, sleepDisabled: false };

export const freshCycle: Cycle = {
  t: undefined,
  url: undefined,
  sleepSeconds: defaultSleepSeconds,
  flags: bootFlags,
};

/** Creates a fielded frame with WiFi, without a picture, and not activated as far as it knows. */
export function newClassicFrame(frame: SimulatedFrame, urlPrefix: string, manifestUrl?: string): ClassicState {
  return {
    ...frame,
    dialect: 'classic',
    urlPrefix,
    manifestUrl,
    activated: false,
    freshWifi: false,
    pairingRounds: 0,
    wifiFailures: 0,
    lastFullWakeMs: 0,
    eeprom: bootFlags,
    phase: { name: 'asleep' },
    cycle: freshCycle,
  };
}

/** Returns the sleep that the frame would take now with this timeout (section 9). */
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

/** Creates the report of a result, which names neither version nor picture (W-14). */
export function updateState(state: ClassicState, says: UpdateState): Publish {
  return classicPublish(classicTopics.state(state.serial), text(`{"state": "${says}"}`));
}

/**
 * Sleeps without DISCONNECT, so that the connection just dies (W-26). A frame that was told to stay awake does that
 * instead.
 */
export function vanish(state: ClassicState, seconds: SleepSeconds, ...before: FrameEffect[]): ClassicStep {
  if (state.cycle.flags.sleepDisabled) {
    return only({ ...state, phase: { name: 'kept awake' } }, ...before, trace('kept awake'));
  }
  const wake = seconds === 'until button' ? 'button' : 'timer';
  return asleep({ ...state, phase: { name: 'asleep' } }, seconds, wake, ...before);
}

/** Counts a message that would corrupt the firmware's memory or end its connection, and ends the cycle (W-04). */
export function crash(state: ClassicState, why: string): ClassicStep {
  return vanish({ ...state, crashes: state.crashes + 1 }, state.sleepSeconds, trace('crashed', { why }));
}

/** Enters a phase over a link that is up: the frame sends its message and waits. */
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

/** Connects, then enters the phase. */
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

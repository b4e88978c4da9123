/**
 * The parts of a simulated frame that both dialects share, without IO. `step(state, event)` returns the next state and
 * the effects to carry out; it has no clock, no randomness and no sockets. The same function runs live over TLS and
 * under virtual time.
 */
import { createHash } from 'node:crypto';
import type { Orientation, Panel } from '../../firmware-protocol/panels.ts';
import type { WakeReason } from '../../firmware-protocol/sleep.ts';

/** A picture file in flash. */
export interface FramePicture {
  readonly file: Uint8Array;
  /** The digest that the frame reports; an honest frame computed it from `file`. */
  readonly sha256: string;
}

/** The picture that a person sees on the glass: the ground truth, whatever the frame reports. */
export type Glass =
  | { readonly shows: 'nothing' }
  | { readonly shows: 'picture'; readonly file: Uint8Array; readonly sha256: string }
  | {
      readonly shows: 'screen';
      readonly screen:
        | 'no picture'
        | 'pairing'
        | 'download failed'
        | 'logo'
        | 'set up'
        | 'not registered'
        | 'Wi-Fi failed'
        | 'Wi-Fi given up'
        /** The screen of the fielded frame after ten wakes without Wi-Fi. */
        | 'offline'
        | 'service failed'
        /** The screen after a file that cannot be decoded. */
        | 'garbled';
    };

/** The flash, the battery and the counters of any frame. */
export interface SimulatedFrame {
  readonly serial: string;
  readonly panel: Panel;
  readonly orientation: Orientation;
  readonly firmware: string;
  readonly rssi: number;
  readonly batteryMv: number;
  /** The version of the stored picture, 0 for none. */
  readonly fileVersion: number;
  readonly picture: FramePicture | undefined;
  readonly glass: Glass;
  /** The sleep that the frame was sent last, in seconds. */
  readonly sleepSeconds: number;
  readonly boots: number;
  /** The events since it woke. */
  readonly events: number;
  readonly wake: WakeReason;
  readonly asleep: boolean;
  /** The time of its last event, by its own clock. */
  readonly nowMs: number;
  readonly awakeSeconds: number;
  readonly refreshes: number;
  readonly factoryResets: number;
  readonly crashes: number;
  /** The reports of earlier wakes; only frames that repeat them keep them. */
  readonly earlierReports: readonly Publish[];
}

/** An event of a frame. `atMs` is the frame's own time, which includes the sleeps that a fleet shortens. */
export type SimulatedEvent = { readonly atMs: number } & FrameIncident;
export type FrameIncident =
  | { readonly kind: 'woken'; readonly reason: WakeReason }
  | { readonly kind: 'connected' | 'subscribed' }
  | { readonly kind: 'link lost'; readonly why: string }
  | { readonly kind: 'message'; readonly topic: string; readonly payload: Uint8Array }
  /** The headers of a probe have arrived. */
  | { readonly kind: 'probed'; readonly status: number; readonly location: string | undefined }
  | {
      readonly kind: 'downloaded';
      readonly status: number;
      readonly body: Uint8Array;
      readonly complete: boolean;
      readonly lengthKnown: boolean;
      /** True when the server offers to send parts of the file. */
      readonly partsOffered: boolean;
      /** Its Content-Type, where there was one. */
      readonly type?: string | undefined;
      /** The headers of an answer that a frame with the offline firmware reads. */
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The frame has joined its Wi-Fi, or could not. */
  | { readonly kind: 'joined'; readonly isIn: boolean }
  /** No answer came: the connection was refused, reset before the headers, or silent for too long. */
  | { readonly kind: 'download failed'; readonly why: string }
  | { readonly kind: 'drawn'; readonly turned: boolean }
  | { readonly kind: 'timer'; readonly name: string };

export interface Publish {
  readonly do: 'publish';
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: 0 | 1;
}

export type Facts = Readonly<Record<string, string | number | boolean>>;

/**
 * An effect that a frame asks for. Starting a timer replaces the timer of that name; sleeping ends timers, downloads
 * and link.
 */
export type FrameEffect =
  /** Logs in. A frame that has a time of its own (`clockMs`) refuses a certificate that is not valid then. */
  | { readonly do: 'connect'; readonly connackMs: number; readonly clockMs?: number }
  | { readonly do: 'subscribe'; readonly topics: readonly string[]; readonly qos: 0 | 1; readonly subackMs: number }
  | Publish
  | { readonly do: 'disconnect' }
  | {
      readonly do: 'download';
      readonly url: string;
      readonly part: 'headers' | 'half' | 'whole';
      /** The first byte to ask for; the whole file when absent. */
      readonly from?: number;
      readonly headersMs: number;
      /** The longest wait for the body; undefined waits for ever (W-10). */
      readonly bodyMs: number | undefined;
      /** As with `connect`, where the address begins with `https`. */
      readonly clockMs?: number;
      /** A body is not read whose ETag or Last-Modified is this. */
      readonly unread?: string;
      /** The request of a frame that polls. */
      readonly call?: {
        readonly method: 'GET' | 'POST';
        readonly headers: Readonly<Record<string, string>>;
        readonly body?: string;
      };
    }
  /** Joins the Wi-Fi; with `inVainSeconds` it is not there, and the frame gives up after so long. */
  | { readonly do: 'join'; readonly inVainSeconds?: number }
  | { readonly do: 'draw'; readonly seconds: number }
  | { readonly do: 'timer'; readonly name: string; readonly afterMs: number }
  /** With `isExact` the time is exact; without, it passes by the frame's own clock, which may be off. */
  | { readonly do: 'sleep'; readonly seconds: SleepSeconds; readonly wake: WakeReason; readonly isExact?: true }
  /** Its power fails, and is back after so long; the state is what `losePower` left of it. It starts by a reset. */
  | { readonly do: 'lose power'; readonly seconds: number | 'for ever' }
  | { readonly do: 'trace'; readonly event: string; readonly facts: Facts };

/** The length of a sleep: seconds, until somebody presses the button, or for ever when the battery is gone. */
export type SleepSeconds = number | 'until button' | 'for ever';

/** The outcome of one step. */
export interface Step<State> {
  readonly state: State;
  readonly effects: readonly FrameEffect[];
}

/** The sleep of a frame of either dialect before it was sent another. */
export const defaultSleepSeconds = 3600;

/** How long a frame that logs in to the broker looks for its Wi-Fi: five tries of 10 s (section 7). */
export const noWifiSeconds = 50;

/** Both firmwares force the frame to sleep after this time awake (W-21). */
export const failsafeMs = 180_000;

/** The frame gives up after this many draws that were broken off because somebody turned it (W-30). */
export const maxDraws = 5;

/** Creates a frame as it leaves the factory, asleep. */
export function newFrame(identity: {
  serial: string;
  panel: Panel;
  orientation: Orientation;
  firmware: string;
  rssi: number;
}): SimulatedFrame {
  return {
    ...identity,
    batteryMv: 6000,
    fileVersion: 0,
    picture: undefined,
    glass: { shows: 'nothing' },
    sleepSeconds: defaultSleepSeconds,
    boots: 0,
    events: 0,
    wake: 'reset',
    asleep: true,
    nowMs: 0,
    awakeSeconds: 0,
    refreshes: 0,
    factoryResets: 0,
    crashes: 0,
    earlierReports: [],
  };
}

/** Returns the step that falls asleep after these effects. */
export function asleep<State extends SimulatedFrame>(
  state: State,
  seconds: SleepSeconds,
  wake: WakeReason,
  ...before: FrameEffect[]
): Step<State> {
  return {
    state: { ...state, asleep: true },
    effects: [...before, trace('asleep', { seconds }), { do: 'sleep', seconds, wake }],
  };
}

/** Returns the step that has only these effects. */
export function only<State>(state: State, ...effects: FrameEffect[]): Step<State> {
  return { state, effects };
}

/** Joins two steps into one. */
export function after<State>(first: Step<State>, second: Step<State>): Step<State> {
  return { state: second.state, effects: [...first.effects, ...second.effects] };
}

export function trace(event: string, facts: Facts = {}): FrameEffect {
  return { do: 'trace', event, facts };
}

/** Returns the SHA-256 in lower-case hex, as it is sent on the wire. */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Returns the sensor's number for the orientation: the fielded firmware counts quarters, 0 to 3, from the axis that looks
 * down. Which of them is landscape depends on how the sensor is soldered, so 0 and 1 stand for both.
 */
export function sensorValue(state: SimulatedFrame): number {
  return state.orientation === 'landscape' ? 0 : 1;
}

/**
 * A frame, sans IO: what both dialects share. `step(state, event)` yields the next state and the effects to carry out;
 * no clock, no randomness, no sockets. The same function runs live over TLS and under virtual time.
 */
import { createHash } from 'node:crypto';
import type { Orientation, Panel } from '../firmware-protocol/panels.ts';
import type { WakeReason } from '../firmware-protocol/sleep.ts';

/** A picture file in flash. */
export interface StoredPicture {
  readonly file: Uint8Array;
  /** What the frame says its digest is; an honest frame computed it from `file`. */
  readonly sha256: string;
}

/** What a person sees: the ground truth, whatever the frame reports. */
export type Glass =
  | { readonly shows: 'nothing' }
  | { readonly shows: 'picture'; readonly file: Uint8Array; readonly sha256: string }
  | { readonly shows: 'screen'; readonly screen: 'no picture' | 'pairing' | 'download failed' };

/** Flash, battery and counters of any frame. */
export interface FrameState {
  readonly serial: string;
  readonly panel: Panel;
  readonly orientation: Orientation;
  readonly firmware: string;
  readonly rssi: number;
  readonly batteryMv: number;
  /** Version of the stored picture, 0 for none. */
  readonly fileVersion: number;
  readonly picture: StoredPicture | undefined;
  readonly glass: Glass;
  /** The sleep the frame was last told, in seconds. */
  readonly sleepSeconds: number;
  readonly boots: number;
  readonly wake: WakeReason;
  readonly asleep: boolean;
  /** The frame's own time of its last event. */
  readonly nowMs: number;
  readonly awakeSeconds: number;
  readonly refreshes: number;
  readonly factoryResets: number;
  readonly crashes: number;
  /** Reports of earlier wakes, kept only by frames that repeat them. */
  readonly earlierReports: readonly Publish[];
}

/** Something happened to a frame. `atMs` is the frame's own time, which lives through sleeps a fleet shortens. */
export type FrameEvent = { readonly atMs: number } & FrameIncident;
export type FrameIncident =
  | { readonly kind: 'woken'; readonly reason: WakeReason }
  | { readonly kind: 'connected' | 'subscribed' }
  | { readonly kind: 'link lost'; readonly why: string }
  | { readonly kind: 'message'; readonly topic: string; readonly payload: Uint8Array }
  /** The headers of a probe came. */
  | { readonly kind: 'probed'; readonly status: number; readonly location: string | undefined }
  | {
      readonly kind: 'downloaded';
      readonly status: number;
      readonly body: Uint8Array;
      readonly complete: boolean;
      readonly lengthKnown: boolean;
      /** The server says that a part of the file can be asked for. */
      readonly partsOffered: boolean;
    }
  /** No answer at all: refused, reset before the headers, silent too long. */
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

/** What a frame wants done. Starting a timer replaces the one of that name; sleeping ends timers, downloads and link. */
export type FrameEffect =
  | { readonly do: 'connect'; readonly connackMs: number }
  | { readonly do: 'subscribe'; readonly topics: readonly string[]; readonly qos: 0 | 1; readonly subackMs: number }
  | Publish
  | { readonly do: 'disconnect' }
  | {
      readonly do: 'download';
      readonly url: string;
      readonly part: 'headers' | 'half' | 'whole';
      /** Asks for the bytes from here on only. */
      readonly from?: number;
      readonly headersMs: number;
      /** Patience with the body; undefined waits for ever (W-10). */
      readonly bodyMs: number | undefined;
    }
  | { readonly do: 'draw'; readonly seconds: number }
  | { readonly do: 'timer'; readonly name: string; readonly afterMs: number }
  | { readonly do: 'sleep'; readonly seconds: SleepSeconds; readonly wake: WakeReason }
  | { readonly do: 'trace'; readonly event: string; readonly facts: Facts };

/** How long: seconds, until somebody presses the button, or for ever (the battery is gone). */
export type SleepSeconds = number | 'until button' | 'for ever';

/** One step's outcome. */
export interface Step<State> {
  readonly state: State;
  readonly effects: readonly FrameEffect[];
}

/** What the charge costs, in millivolts. An order of magnitude that empties a frame in months; not measured. */
const drainMv = { awakeSecond: 0.005, linkSecond: 0.01, refresh: 0.05 } as const;

/** A frame's sleep before it was told any (classic and native alike). */
export const defaultSleepSeconds = 3600;

/** Both firmwares force the frame to sleep after so long awake (W-21). */
export const failsafeMs = 180_000;

/** Draws broken off by somebody turning the frame, before it gives up (W-30). */
export const mostDraws = 5;

/** A frame fresh from the factory, asleep. */
export function newFrame(identity: {
  serial: string;
  panel: Panel;
  orientation: Orientation;
  firmware: string;
  rssi: number;
}): FrameState {
  return {
    ...identity,
    batteryMv: 6000,
    fileVersion: 0,
    picture: undefined,
    glass: { shows: 'nothing' },
    sleepSeconds: defaultSleepSeconds,
    boots: 0,
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

/** Lets the time up to an event pass: seconds awake drain the battery, unanswered ones too (W-21). */
export function passTime<State extends FrameState>(state: State, event: FrameEvent): State {
  const nowMs = Math.max(event.atMs, state.nowMs);
  if (state.asleep) return { ...state, nowMs };
  const seconds = (nowMs - state.nowMs) / 1000;
  const drain = seconds * (drainMv.awakeSecond + (event.kind === 'drawn' ? 0 : drainMv.linkSecond));
  return { ...drained(state, drain), nowMs, awakeSeconds: state.awakeSeconds + seconds };
}

/** The state after a refresh of the panel. */
export function refreshed<State extends FrameState>(state: State, glass: Glass): State {
  return { ...drained(state, drainMv.refresh), glass, refreshes: state.refreshes + 1 };
}

/** Awake: counts the boot and remembers why. */
export function woken<State extends FrameState>(state: State, reason: WakeReason): State {
  return { ...state, asleep: false, boots: state.boots + 1, wake: reason };
}

/** Falls asleep after the effects given. */
export function asleep<State extends FrameState>(
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

/** A step without more to it than these effects. */
export function only<State>(state: State, ...effects: FrameEffect[]): Step<State> {
  return { state, effects };
}

/** One step after another, as one. */
export function after<State>(first: Step<State>, second: Step<State>): Step<State> {
  return { state: second.state, effects: [...first.effects, ...second.effects] };
}

export function trace(event: string, facts: Facts = {}): FrameEffect {
  return { do: 'trace', event, facts };
}

/** Lower-case hex SHA-256, as the wire spells it. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The sensor's number for a way of hanging; the firmware's own numbering is not published, 0 and 1 stand for both. */
export function sensorValue(state: FrameState): number {
  return state.orientation === 'landscape' ? 0 : 1;
}

function drained<State extends FrameState>(state: State, mv: number): State {
  return { ...state, batteryMv: Math.max(0, state.batteryMv - mv) };
}

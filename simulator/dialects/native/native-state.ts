/** The state of the native frame, and its messages. */
import { encode } from '../../../firmware-protocol/codec.ts';
import type {
  Desired,
  Hello,
  Message,
  MessageName,
  OfferedFirmware,
  Report,
} from '../../../firmware-protocol/messages.ts';
import { nativeTopic } from '../../../firmware-protocol/topics.ts';
import {
  asleep,
  type FrameEffect,
  type FramePicture,
  type Publish,
  type SimulatedFrame,
  type Step,
  sensorValue,
} from '../../frame/frame.ts';

/** A picture that the gateway wants on the glass. */
export type NativeOffer = NonNullable<Desired['picture']>;

/** The work that the frame is busy with. */
export type Work =
  | {
      readonly doing: 'downloading';
      readonly picture: NativeOffer;
      /** The bytes that came before the download broke off; the frame asked for the rest. */
      readonly held?: Uint8Array;
    }
  | {
      readonly doing: 'drawing';
      readonly picture: NativeOffer;
      readonly stored: FramePicture;
      readonly draws: number;
    };

export interface NativeState extends SimulatedFrame {
  readonly dialect: 'native';
  readonly linkUp: boolean;
  /** The attempts to connect since the link was last up. */
  readonly connects: number;
  readonly hellos: number;
  /** True when the last hello was answered by a desired. */
  readonly answered: boolean;
  readonly work: Work | undefined;
  /** An offer that is newer than the present work and is taken after it. */
  readonly next: NativeOffer | undefined;
  /** The version that the frame gave up in this wake, 0 for none. */
  readonly failedVersion: number;
  /** The firmware that the frame takes once it has nothing else to do. */
  readonly update: { readonly firmware: OfferedFirmware; readonly downloading: boolean } | undefined;
  /** The offer of a firmware that the frame gave up in this wake. */
  readonly failedOffer: string | undefined;
  /** The reports that found no link, which follow the next hello. */
  readonly unsaid: readonly Report[];
  /** The ids of the last answered commands, so that a repeated command is not carried out twice. */
  readonly answeredCommands: readonly string[];
}

export function newNativeFrame(frame: SimulatedFrame): NativeState {
  return {
    ...frame,
    dialect: 'native',
    linkUp: false,
    connects: 0,
    hellos: 0,
    answered: false,
    work: undefined,
    next: undefined,
    failedVersion: 0,
    update: undefined,
    failedOffer: undefined,
    unsaid: [],
    answeredCommands: [],
  };
}

/** Creates a native message of this frame. */
export function say<Name extends MessageName>(state: NativeState, name: Name, message: Message<Name>): Publish {
  return { do: 'publish', topic: nativeTopic(state.serial, name), payload: encode(name, message), qos: 1 };
}

export function hello(state: NativeState): Hello {
  return {
    boot: state.boots,
    firmware: state.firmware,
    panel: state.panel.name,
    fileVersion: state.fileVersion,
    ...(state.picture === undefined ? {} : { sha256: state.picture.sha256 }),
    pictureSynced: state.picture !== undefined,
    batteryMv: Math.round(state.batteryMv),
    rssi: state.rssi,
    wake: state.wake,
    orientation: sensorValue(state),
    sleepSeconds: state.sleepSeconds,
  };
}

/** Sends bye if there is a link, and sleeps. */
export function goodNight(state: NativeState, ...before: FrameEffect[]): Step<NativeState> {
  return leave(state, state.sleepSeconds, 'timer', ...before);
}

/** Restarts by a sleep of one second that ends in a reset. */
export function restart(state: NativeState, ...before: FrameEffect[]): Step<NativeState> {
  return leave(state, 1, 'reset', ...before);
}

function leave(state: NativeState, sleepSeconds: number, wake: 'timer' | 'reset', ...before: FrameEffect[]) {
  const bye: FrameEffect[] = state.linkUp ? [say(state, 'bye', { sleepSeconds }), { do: 'disconnect' }] : [];
  return asleep({ ...state, linkUp: false }, sleepSeconds, wake, ...before, ...bye);
}

/** The native frame's state, and the sentences it says. */
import { encode } from '../firmware-protocol/codec.ts';
import type { Desired, Hello, Message, MessageName, OfferedFirmware, Report } from '../firmware-protocol/messages.ts';
import { nativeTopic } from '../firmware-protocol/topics.ts';
import {
  asleep,
  type FrameEffect,
  type FrameState,
  type Publish,
  type Step,
  type StoredPicture,
  sensorValue,
} from './frame.ts';

/** A picture as the gateway wants it on the glass. */
export type WantedPicture = NonNullable<Desired['picture']>;

/** What the frame is busy with. */
export type Work =
  | {
      readonly doing: 'downloading';
      readonly picture: WantedPicture;
      /** What came before the download was broken off; the rest was asked for. */
      readonly held?: Uint8Array;
    }
  | {
      readonly doing: 'drawing';
      readonly picture: WantedPicture;
      readonly stored: StoredPicture;
      readonly draws: number;
    };

export interface NativeState extends FrameState {
  readonly dialect: 'native';
  readonly linkUp: boolean;
  /** Connects tried since the link was last up. */
  readonly connects: number;
  readonly hellos: number;
  /** Whether the last hello has its desired. */
  readonly answered: boolean;
  readonly work: Work | undefined;
  /** Newer than the work at hand; taken after it. */
  readonly next: WantedPicture | undefined;
  /** The version given up on in this wake, 0 for none. */
  readonly failedVersion: number;
  /** The firmware to be taken when nothing else is to do. */
  readonly update: { readonly firmware: OfferedFirmware; readonly downloading: boolean } | undefined;
  /** The offer of a firmware given up on in this wake. */
  readonly failedOffer: string | undefined;
  /** Reports that found no link; said after the next hello. */
  readonly unsaid: readonly Report[];
  /** Ids of the last commands answered, so that a repeated one is not carried out twice. */
  readonly answeredCommands: readonly string[];
}

export function newNativeFrame(frame: FrameState): NativeState {
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

/** A native message from this frame. */
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

/** Says bye as far as there is a link, and sleeps. */
export function goodNight(state: NativeState, ...before: FrameEffect[]): Step<NativeState> {
  return leave(state, state.sleepSeconds, 'timer', ...before);
}

/** Restarts: a sleep of one second that ends in a reset. */
export function restart(state: NativeState, ...before: FrameEffect[]): Step<NativeState> {
  return leave(state, 1, 'reset', ...before);
}

function leave(state: NativeState, sleepSeconds: number, wake: 'timer' | 'reset', ...before: FrameEffect[]) {
  const bye: FrameEffect[] = state.linkUp ? [say(state, 'bye', { sleepSeconds }), { do: 'disconnect' }] : [];
  return asleep({ ...state, linkUp: false }, sleepSeconds, wake, ...before, ...bye);
}

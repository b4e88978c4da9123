/** The state of a frame that polls as TRMNL's do, and the effects by which it calls. */
import { addressOfSerial } from '../../../firmware-protocol/trmnl/mac-address.ts';
import {
  asleep,
  type FrameEffect,
  type FramePicture,
  type Glass,
  only,
  type SimulatedFrame,
  type SleepSeconds,
  type Step,
  trace,
} from '../../frame/frame.ts';
import { type TrmnlFirmware, type TrmnlVersion, trmnlFirmware } from './trmnl-firmware.ts';

/** The picture that an answer gave the frame to show. */
export interface AnswerOfServer {
  readonly name: string;
  readonly url: string;
}

/** The next step of the firmware when something that takes time is over. */
export type TrmnlNext =
  | { readonly go: 'join' }
  | { readonly go: 'ask' }
  | { readonly go: 'write'; readonly told: AnswerOfServer; readonly picture: FramePicture }
  | { readonly go: 'after Wi-Fi failed' }
  | { readonly go: 'after a failure'; readonly screen: TrmnlScreen }
  | { readonly go: 'after no picture' }
  | { readonly go: 'sleep'; readonly seconds: SleepSeconds }
  /** The picture of this name is drawn: everything went well. */
  | { readonly go: 'drawn'; readonly name: string };

/** The screens that the firmware draws by itself. */
export type TrmnlScreen = Extract<Glass, { shows: 'screen' }>['screen'];

/** The place of a frame in its wake. */
export type TrmnlPhase =
  | { readonly name: 'asleep' }
  | { readonly name: 'drawing'; readonly glass: Glass; readonly next: TrmnlNext }
  | { readonly name: 'joining' }
  | { readonly name: 'setting up' }
  | { readonly name: 'posting'; readonly next: TrmnlNext }
  | { readonly name: 'asking'; readonly attempt: number }
  | { readonly name: 'pausing'; readonly attempt: number }
  | { readonly name: 'fetching'; readonly told: AnswerOfServer }
  | { readonly name: 'writing'; readonly told: AnswerOfServer; readonly picture: FramePicture };

/** The outcome of an answer, as far as the firmware itself knows. */
export interface TrmnlOutcome {
  /** The frame's own time, epoch milliseconds. */
  readonly at: number;
  /** The name that the answer gave; undefined for a failure before there was one. */
  readonly name: string | undefined;
  /** `swallowed`: it went wrong, and the firmware did not notice. */
  readonly ended: 'drawn' | 'kept' | 'error' | 'swallowed';
}

/** A picture in flash. */
export interface TrmnlFile {
  readonly name: string;
  readonly picture: FramePicture;
  /** Time at which it was written, epoch milliseconds. */
  readonly at: number;
}

export interface TrmnlState extends SimulatedFrame {
  readonly dialect: 'trmnl';
  readonly does: TrmnlFirmware;
  /** The base address that its owner entered, without a slash at its end. */
  readonly baseUrl: string;
  readonly mac: string;
  readonly model: string;
  /** The panel size that it reports, in pixels. */
  readonly size: { readonly width: number; readonly height: number };
  /** True when the panel is stuck, which the firmware cannot notice. */
  readonly isStuck: boolean;
  /** The picture that the firmware believes to be on its glass: the real one, unless the panel is stuck. */
  readonly believed: Glass;
  readonly outcomes: readonly TrmnlOutcome[];

  /** The key that it was given; like everything up to `flash` it is kept when power is lost. */
  readonly key: string | undefined;
  /** The sleep that is stored, in seconds: the echo. */
  readonly refreshRate: number | undefined;
  readonly apiFailures: number;
  readonly wifiFailures: number;
  /** Errors that were logged and not accepted by the service yet. */
  readonly logs: readonly string[];
  readonly flash: readonly TrmnlFile[];

  /** The name of the picture that was drawn last; it is forgotten when power is lost, and at each wake that no timer began. */
  readonly remembered: string | undefined;
  readonly isCached: boolean;
  /** How long the last wake took, milliseconds. */
  readonly lastWakeMs: number;
  readonly wokeAt: number;
  readonly phase: TrmnlPhase;
}

export type TrmnlStep = Step<TrmnlState>;

/** Seconds of a refresh of a panel with grays. */
const drawSeconds = 3;
/** How long a call waits, milliseconds. */
const callMs = 15_000;
/** The most outcomes that are remembered. */
const remembered = 60;

/** Creates a frame that was set up with its Wi-Fi and a base address, and has no key yet. */
export function newTrmnlFrame(
  frame: SimulatedFrame,
  more: {
    readonly version: TrmnlVersion;
    readonly baseUrl: string;
    readonly model: string;
    readonly size: TrmnlState['size'];
    readonly isStuck?: boolean;
  },
): TrmnlState {
  const { version, baseUrl, model, size, isStuck = false } = more;
  return {
    ...frame,
    dialect: 'trmnl',
    firmware: version,
    sleepSeconds: trmnlFirmware(version).ownSeconds,
    does: trmnlFirmware(version),
    baseUrl,
    mac: addressOfSerial(frame.serial) ?? frame.serial,
    model,
    size,
    isStuck,
    believed: frame.glass,
    outcomes: [],
    key: undefined,
    refreshRate: undefined,
    apiFailures: 0,
    wifiFailures: 0,
    logs: [],
    flash: [],
    remembered: undefined,
    isCached: false,
    lastWakeMs: 0,
    wokeAt: 0,
    phase: { name: 'asleep' },
  };
}

/** Draws; a panel that is stuck is driven all the same. */
export function drawTrmnl(state: TrmnlState, glass: Glass, next: TrmnlNext, ...before: FrameEffect[]): TrmnlStep {
  return only({ ...state, phase: { name: 'drawing', glass, next } }, ...before, { do: 'draw', seconds: drawSeconds });
}

/** Draws a screen of the firmware's own. */
export function drawScreen(state: TrmnlState, screen: TrmnlScreen, next: TrmnlNext): TrmnlStep {
  return drawTrmnl(state, { shows: 'screen', screen }, next, trace('screen', { screen }));
}

/** Sleeps as long as is stored, or until the button is pressed. */
export function trmnlSleeps(state: TrmnlState, seconds: SleepSeconds, ...before: FrameEffect[]): TrmnlStep {
  const lastWakeMs = seconds === 'until button' ? state.lastWakeMs : state.nowMs - state.wokeAt;
  const done: TrmnlState = { ...state, lastWakeMs, phase: { name: 'asleep' } };
  return asleep(done, seconds, seconds === 'until button' ? 'button' : 'timer', ...before);
}

/** The sleep that is stored, seconds. */
export function storedSleep({ does, refreshRate = does.ownSeconds }: TrmnlState): number {
  return refreshRate;
}

/** Records the outcome of an answer. */
export function withOutcome(state: TrmnlState, name: string | undefined, ended: TrmnlOutcome['ended']): TrmnlState {
  return { ...state, outcomes: [...state.outcomes, { at: state.nowMs, name, ended }].slice(-remembered) };
}

/** Stores an error until the service takes it: the five oldest, and the five newest. */
export function withLog(state: TrmnlState, message: string): TrmnlState {
  const kept = [...state.logs, message];
  return { ...state, logs: kept.length <= 10 ? kept : [...kept.slice(0, 5), ...kept.slice(-5)] };
}

/** Returns the cause of a wake, in the firmware's words. */
function updateSource({ wake }: TrmnlState): string {
  return wake === 'timer' ? 'timer' : wake === 'button' ? 'button' : 'powercycle';
}

/** The call that asks what to show, with the headers in the order of the firmware. */
export function displayCall(state: TrmnlState): FrameEffect {
  const { does, size, key = '', isCached, lastWakeMs, mac, model } = state;
  const headers = {
    ID: mac,
    ...(does.tellsContentType && { 'Content-Type': 'application/json' }),
    ...(does.tellsWake && { 'Update-Source': updateSource(state) }),
    'Access-Token': key,
    'Refresh-Rate': String(storedSleep(state)),
    'Battery-Voltage': (state.batteryMv / 1500).toFixed(2),
    'FW-Version': does.version,
    ...(does.tellsModel && { Model: model }),
    ...(does.tellsLastWake && { 'Image-Cached': String(isCached), 'Wake-Time': String(lastWakeMs) }),
    RSSI: String(state.rssi),
    ...(does.tellsBand && { 'WiFi-Band': '2.4' }),
    ...(does.knowsTemperatures && { 'Temperature-Profile': 'true' }),
    Width: String(size.width),
    Height: String(size.height),
  };
  return get(`${state.baseUrl}/api/display`, { method: 'GET', headers });
}

/** The call that asks for a key. */
export function setupCall(state: TrmnlState): FrameEffect {
  const { does, mac, model, baseUrl } = state;
  const headers = {
    ID: mac,
    ...(does.tellsContentType && { 'Content-Type': 'application/json' }),
    'FW-Version': does.version,
    ...(does.tellsModel && { Model: model }),
  };
  return get(baseUrl + does.setupPath, { method: 'GET', headers });
}

/** The call that hands the stored errors over. */
export function logCall(state: TrmnlState): FrameEffect {
  const { logs, key = '', does } = state;
  const said =
    does.version === '1.5.2'
      ? { log: { logs_array: logs.map((log_message) => ({ log_message })) } }
      : { logs: logs.map((message, at) => ({ id: at + 1, message, level: 'error' })) };
  const accept = does.version === '1.5.2' ? 'application/json' : 'application/json, */*';
  const headers = { ID: state.mac, Accept: accept, 'Access-Token': key, 'Content-Type': 'application/json' };
  return get(`${state.baseUrl}/api/log`, { method: 'POST', headers, body: JSON.stringify(said) });
}

/** The download of a picture: it names the frame where the address begins with the base address. */
export function pictureCall(state: TrmnlState, url: string): FrameEffect {
  const { does, mac, key = '', baseUrl } = state;
  const isOwn = does.namesItselfAtDownload && url.startsWith(baseUrl);
  const own: Record<string, string> = isOwn ? { ID: mac, 'Access-Token': key } : {};
  const plain: Record<string, string> = does.refusesCompression ? { 'Accept-Encoding': 'identity' } : {};
  return get(url, { method: 'GET', headers: { ...plain, ...own } });
}

type Call = NonNullable<Extract<FrameEffect, { do: 'download' }>['call']>;

function get(url: string, sent: Call): FrameEffect {
  return { do: 'download', url, part: 'whole', headersMs: callMs, bodyMs: callMs, call: sent };
}

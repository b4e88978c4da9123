/** The state of a frame with the vendor's offline firmware, and the calls that it makes. */
import { basicOf, maxOfflineCharacters, maxTagCharacters } from '../../../firmware-protocol/offline/wire.ts';
import {
  type FrameEffect,
  type FramePicture,
  type Glass,
  only,
  type SimulatedFrame,
  type Step,
} from '../../frame/frame.ts';

/** The three states of the firmware, none of which says its name: A is the oldest. */
export const offlineStates = ['A', 'B', 'C'] as const;
export type OfflineFirmware = (typeof offlineStates)[number];

/** The values that its owner entered over Bluetooth. */
export interface OfflineLogin {
  readonly address: string;
  readonly user: string;
  readonly password: string;
  readonly settingsAddress?: string | undefined;
}

/** The place of a frame in its wake. */
export type OfflinePhase =
  | { readonly name: 'asleep' }
  /** Its button was pressed: it can be found over Bluetooth. */
  | { readonly name: 'set up' }
  | { readonly name: 'joining' }
  | { readonly name: 'reading settings' }
  | { readonly name: 'looking' }
  | { readonly name: 'asking'; readonly attempt: number }
  | { readonly name: 'drawing'; readonly picture: FramePicture; readonly validator: string }
  | { readonly name: 'drawing an error' };

/** The outcome of a wake as the frame itself knows it. */
export interface OfflineOutcome {
  readonly at: number;
  /** The tag of the picture that was drawn or kept; undefined after a failure. */
  readonly tag: string | undefined;
  readonly ended: 'drawn' | 'kept' | 'error';
}

export interface OfflineState extends SimulatedFrame {
  readonly dialect: 'offline';
  readonly does: OfflineFirmware;
  /** Undefined after a reset to the factory. */
  readonly login: OfflineLogin | undefined;
  /** The sleep that was set over Bluetooth or by its settings, in seconds. */
  readonly interval: number;
  /** `etag:` with a tag, or a time; empty for none. Like everything up to here it outlives a loss of power. */
  readonly validator: string;
  readonly settingsModified: string;
  /** True once a picture came over Bluetooth: it asks no more until its address is entered again (OF-19). */
  readonly isLocal: boolean;
  /** Two presses: the next wake goes without the set-up. */
  readonly isPressedTwice: boolean;
  /** The sleep that the last answer told, in seconds, and when its head arrived. */
  readonly told: { readonly seconds: number; readonly at: number } | undefined;
  readonly outcomes: readonly OfflineOutcome[];
  readonly phase: OfflinePhase;
}

export type OfflineStep = Step<OfflineState>;

/** The most outcomes that are remembered. */
const remembered = 60;
/** How long a call waits for an answer or for more of it, milliseconds. */
const callMs = 15_000;

/** Creates a frame that was flashed and set up over Bluetooth. */
export function newOfflineFrame(
  frame: SimulatedFrame,
  {
    state,
    login,
    interval = 3600,
  }: { readonly state: OfflineFirmware; readonly login: OfflineLogin; readonly interval?: number },
): OfflineState {
  return {
    ...frame,
    dialect: 'offline',
    firmware: `offline ${state}`,
    does: state,
    login,
    interval,
    validator: '',
    settingsModified: '',
    isLocal: false,
    isPressedTwice: false,
    told: undefined,
    outcomes: [],
    phase: { name: 'asleep' },
  };
}

/** Keeps the outcome of a wake. */
export function withOfflineOutcome(state: OfflineState, ended: OfflineOutcome['ended'], tag?: string): OfflineState {
  return { ...state, outcomes: [...state.outcomes, { at: state.nowMs, tag, ended }].slice(-remembered) };
}

/** The validator that is kept of an answer's headers: at most 128 characters. */
export function validatorOfAnswer(does: OfflineFirmware, headers: Readonly<Record<string, string>>): string {
  const { etag, 'last-modified': modified = '' } = headers;
  if (does !== 'A' && etag !== undefined && etag.length <= maxTagCharacters) return `etag:${etag}`;
  return modified.length <= maxOfflineCharacters ? modified : '';
}

/** The condition of a real request: state A asks without. */
function conditionOf({ does, validator }: OfflineState): Readonly<Record<string, string>> {
  if (does === 'A' || validator === '') return {};
  return validator.startsWith('etag:') ? { 'If-None-Match': validator.slice(5) } : { 'If-Modified-Since': validator };
}

/** The call for its settings, which has no login. */
export function readSettingsOf(state: OfflineState, url: string): OfflineStep {
  const since = state.settingsModified;
  const headers: Record<string, string> = since === '' ? {} : { 'If-Modified-Since': since };
  return only({ ...state, phase: { name: 'reading settings' } }, get(url, 'whole', headers));
}

/** The look for a redirect, whose body is dropped. */
export function look(state: OfflineState, { address, user, password }: OfflineLogin): OfflineStep {
  return only(
    { ...state, phase: { name: 'looking' } },
    get(address, 'headers', { Authorization: basicOf(user, password) }),
  );
}

/** The real request: a body whose validator is held already is not read. */
export function askFor(state: OfflineState, url: string, attempt: number): OfflineStep {
  const { user = '', password = '' } = state.login ?? {};
  const headers = { Authorization: basicOf(user, password), ...conditionOf(state) };
  const { validator } = state;
  const unread = validator === '' ? undefined : validator.replace(/^etag:/, '');
  const call = get(url, 'whole', headers);
  return only({ ...state, phase: { name: 'asking', attempt } }, unread === undefined ? call : { ...call, unread });
}

function get(
  url: string,
  part: 'headers' | 'whole',
  headers: Readonly<Record<string, string>>,
): Extract<FrameEffect, { do: 'download' }> {
  return { do: 'download', url, part, headersMs: callMs, bodyMs: 60_000, call: { method: 'GET', headers } };
}

/** The error text, which lies over whatever was there. */
export const errorText: Glass = { shows: 'screen', screen: 'download failed' };

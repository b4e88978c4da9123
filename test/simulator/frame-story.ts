/** Drives one simulated frame by words: incidents in, what it does out. No sockets, no clock. */
import { type Orientation, panelOfKind } from '../../firmware-protocol/panels.ts';
import { frameThat } from '../../simulator/behaviours/behaviours.ts';
import type { AnyFrame } from '../../simulator/dialects/any-frame.ts';
import { type ClassicState, newClassicFrame } from '../../simulator/dialects/classic/classic-state.ts';
import { type NativeState, newNativeFrame } from '../../simulator/dialects/native/native-state.ts';
import { newOfflineFrame, type OfflineState } from '../../simulator/dialects/offline/offline-state.ts';
import type { TrmnlVersion } from '../../simulator/dialects/trmnl/trmnl-firmware.ts';
import { newTrmnlFrame, type TrmnlState } from '../../simulator/dialects/trmnl/trmnl-state.ts';
import { type FrameEffect, type FrameIncident, newFrame } from '../../simulator/frame/frame.ts';

export const serial = 'epd7-b0c1d2e3f405';
export const urlPrefix = 'http://127.0.0.1:3000';

function flash(orientation: Orientation = 'landscape') {
  const panel = panelOfKind('epd7');
  if (panel === undefined) throw new Error('no panel epd7');
  return newFrame({ serial, panel, orientation, firmware: '3.0.21', rssi: -61 });
}

export function classicFrame(changes: Partial<ClassicState> = {}): ClassicState {
  return { ...newClassicFrame(flash(), urlPrefix), activated: true, ...changes };
}

export function nativeFrame(changes: Partial<NativeState> = {}): NativeState {
  return { ...newNativeFrame(flash()), ...changes };
}

/** A frame that polls, with its key unless another state is wished. */
export function pollingFrame(version: TrmnlVersion, changes: Partial<TrmnlState> = {}): TrmnlState {
  const panel = panelOfKind('trmnl4');
  if (panel === undefined) throw new Error('no panel trmnl4');
  const frame = newFrame({
    serial: 'trmnl-02aabbccddee',
    panel,
    orientation: 'landscape',
    firmware: version,
    rssi: -61,
  });
  const size = { width: 800, height: 480 };
  const made = newTrmnlFrame(frame, { version, baseUrl: `${urlPrefix}/trmnl`, model: 'og', size });
  return { ...made, key: 'secret', ...changes };
}

/** A frame with the offline firmware, in the newest of its states. */
export function offlineStory(changes: Partial<OfflineState> = {}): OfflineState {
  const panel = panelOfKind('offline7');
  if (panel === undefined) throw new Error('no panel offline7');
  const own = 'offline-b0c1d2e3f405';
  const frame = newFrame({ serial: own, panel, orientation: 'landscape', firmware: '', rssi: -61 });
  const login = { address: `${urlPrefix}/offline/${own}`, user: own, password: 'secret' };
  return { ...newOfflineFrame(frame, { state: 'C', login }), ...changes };
}

/** A picture file of the 7-inch panel in one colour's nibble. */
export function nibbleFile(nibble: number): Uint8Array {
  const file = new Uint8Array(192_004).fill((nibble << 4) | nibble);
  file.set([0x20, 0x03, 0xe0, 0x01]);
  return file;
}

type Downloaded = Extract<FrameIncident, { kind: 'downloaded' }>;
const usual = { status: 200, complete: true, lengthKnown: true, partsOffered: false } as const;

/** A frame under way. Each word returns what the frame does in answer, without traces and the failsafe. */
export function frameStory(start: AnyFrame, behaviours: readonly string[] = []) {
  const step = frameThat(behaviours, start.dialect);
  let state = start;
  let nowMs = start.nowMs;
  let traces: string[] = [];
  const happens = (incident: FrameIncident, afterSeconds = 0): string[] => {
    nowMs += afterSeconds * 1000;
    const next = step(state, { ...incident, atMs: nowMs });
    state = next.state;
    traces = next.effects.flatMap((effect) => (effect.do === 'trace' ? [effect.event] : []));
    return next.effects.flatMap(words);
  };
  return {
    happens,
    get state() {
      return state;
    },
    get traces() {
      return traces;
    },
    classic(): ClassicState {
      if (state.dialect !== 'classic') throw new Error('not a classic frame');
      return state;
    },
    trmnl(): TrmnlState {
      if (state.dialect !== 'trmnl') throw new Error('not a frame that polls');
      return state;
    },
    wakes: (reason: 'reset' | 'button' | 'motion' | 'timer' = 'timer', afterSeconds = 0) =>
      happens({ kind: 'woken', reason }, afterSeconds),
    linkComesUp() {
      return [...happens({ kind: 'connected' }), ...happens({ kind: 'subscribed' })];
    },
    hears: (name: string, message: unknown, afterSeconds = 0) =>
      happens({ kind: 'message', topic: topicOf(start, name), payload: bytes(message) }, afterSeconds),
    timerRings: (name: string, afterSeconds = 0) => happens({ kind: 'timer', name }, afterSeconds),
    probeAnswers: (status = 200, location?: string) => happens({ kind: 'probed', status, location }),
    downloads: (body: Uint8Array, changes: Partial<Downloaded> = {}) =>
      happens({ kind: 'downloaded', ...usual, body, ...changes }),
    draws: (turned = false) => happens({ kind: 'drawn', turned }, 35),
  };
}

export type FrameStory = ReturnType<typeof frameStory>;

function bytes(message: unknown): Uint8Array {
  return new TextEncoder().encode(typeof message === 'string' ? message : JSON.stringify(message));
}

function topicOf(state: AnyFrame, name: string): string {
  return state.dialect === 'native' ? `frames/1/${serial}/${name}` : `$aws/things/${serial}/epaper/${name}`;
}

function words(effect: FrameEffect): string[] {
  switch (effect.do) {
    case 'publish':
      return [`say ${effect.topic.split('/').at(-1)} ${new TextDecoder().decode(effect.payload)}`];
    case 'subscribe':
      return [`subscribe ${effect.topics.map((topic) => topic.split('/').at(-1)).join(' ')} qos ${effect.qos}`];
    case 'download':
      return [`get ${effect.part} ${effect.url}${effect.from === undefined ? '' : ` from ${effect.from}`}`];
    case 'draw':
      return ['draw'];
    case 'timer':
      return effect.name === 'failsafe' ? [] : [`timer ${effect.name} ${effect.afterMs}`];
    case 'sleep':
      return [`sleep ${effect.seconds} ${effect.wake}`];
    case 'trace':
      return [];
    case 'connect':
      return [effect.clockMs === undefined ? 'connect' : `connect in ${new Date(effect.clockMs).getUTCFullYear()}`];
    case 'join':
      return [effect.inVainSeconds === undefined ? 'join' : `join in vain ${effect.inVainSeconds}`];
    case 'lose power':
      return [`sleep ${effect.seconds} reset`];
    default:
      return [effect.do];
  }
}

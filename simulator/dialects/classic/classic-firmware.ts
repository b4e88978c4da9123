/** The firmware updates of the fielded frame: it fetches a manifest at every wake, before it connects to the broker. */
import { decodeClassicManifest } from '../../../firmware-protocol/classic-manifest.ts';
import { isNewerFirmware } from '../../../firmware-protocol/firmware-version.ts';
import { asleep, defaultSleepSeconds, type FrameEffect, only, type SimulatedEvent, trace } from '../../frame/frame.ts';
import { type ClassicState, type ClassicStep, connectTo, type TalkingPhase } from './classic-state.ts';

type Fetched = Extract<SimulatedEvent, { kind: 'downloaded' | 'download failed' }>;

/** Fetches the manifest, if its address is compiled in; the rest of the wake follows. */
export function askForFirmware(state: ClassicState, next: TalkingPhase, ...before: FrameEffect[]): ClassicStep {
  const { manifestUrl } = state;
  if (manifestUrl === undefined) return connectTo(state, next, ...before);
  return only({ ...state, phase: { name: 'asking for firmware', next } }, ...before, get(manifestUrl));
}

/** Reads the manifest (W-33). A manifest with any error means that there is no update. */
export function takeManifest(state: ClassicState, next: TalkingPhase, event: Fetched): ClassicStep {
  const body = bodyOf(event);
  const manifest = body === undefined ? undefined : decodeClassicManifest(body);
  if (manifest?.ok !== true || !isNewerFirmware(manifest.value.version, state.firmware)) return connectTo(state, next);
  const { version, url } = manifest.value;
  const phase = { name: 'flashing', next, version } as const;
  return only({ ...state, phase }, trace('fetching firmware', { version }), get(url));
}

/** Starts the firmware that came, although it is unsigned. The frame forgets version, activation and sleep. */
export function flash(state: ClassicState, next: TalkingPhase, version: string, event: Fetched): ClassicStep {
  const body = bodyOf(event);
  if (body === undefined || body.length === 0) return connectTo(state, next, trace('firmware failed', { version }));
  const fresh = { activated: false, fileVersion: 0, sleepSeconds: defaultSleepSeconds };
  const restarted: ClassicState = { ...state, ...fresh, firmware: version };
  return asleep({ ...restarted, phase: { name: 'asleep' } }, 1, 'reset', trace('firmware fetched', { version }));
}

/** Returns a body that came whole and with its length, as the update library requires. */
function bodyOf(event: Fetched): Uint8Array | undefined {
  const whole = event.kind === 'downloaded' && event.status === 200 && event.complete && event.lengthKnown;
  return whole ? event.body : undefined;
}

function get(url: string): FrameEffect {
  return { do: 'download', url, part: 'whole', headersMs: 10_000, bodyMs: undefined };
}

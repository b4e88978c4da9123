/** How the fielded frame looks for firmware: a manifest at every wake, before the broker (section 10, W-33). */
import { decodeClassicManifest } from '../firmware-protocol/classic-manifest.ts';
import { isNewerFirmware } from '../firmware-protocol/firmware-version.ts';
import { type ClassicState, type ClassicStep, connectTo, type TalkingPhase } from './classic-state.ts';
import { asleep, defaultSleepSeconds, type FrameEffect, type FrameEvent, only, trace } from './frame.ts';

type Fetched = Extract<FrameEvent, { kind: 'downloaded' | 'download failed' }>;

/** Asks for the manifest, if one is compiled in; what the wake is about comes after. */
export function askForFirmware(state: ClassicState, next: TalkingPhase, ...before: FrameEffect[]): ClassicStep {
  const { manifestUrl } = state;
  if (manifestUrl === undefined) return connectTo(state, next, ...before);
  return only({ ...state, phase: { name: 'asking for firmware', next } }, ...before, get(manifestUrl));
}

/** Reads the manifest. Whatever is wrong with it means: no update. */
export function takeManifest(state: ClassicState, next: TalkingPhase, event: Fetched): ClassicStep {
  const body = bodyOf(event);
  const manifest = body === undefined ? undefined : decodeClassicManifest(body);
  if (manifest?.ok !== true || !isNewerFirmware(manifest.value.version, state.firmware)) return connectTo(state, next);
  const { version, url } = manifest.value;
  const phase = { name: 'flashing', next, version } as const;
  return only({ ...state, phase }, trace('fetching firmware', { version }), get(url));
}

/** Starts what came, unsigned as it is; it remembers neither version nor activation nor sleep. */
export function flash(state: ClassicState, next: TalkingPhase, version: string, event: Fetched): ClassicStep {
  const body = bodyOf(event);
  if (body === undefined || body.length === 0) return connectTo(state, next, trace('firmware failed', { version }));
  const fresh = { activated: false, fileVersion: 0, sleepSeconds: defaultSleepSeconds };
  const restarted: ClassicState = { ...state, ...fresh, firmware: version };
  return asleep({ ...restarted, phase: { name: 'asleep' } }, 1, 'reset', trace('firmware fetched', { version }));
}

/** A body that came whole and with its length, as the update library wants it. */
function bodyOf(event: Fetched): Uint8Array | undefined {
  const whole = event.kind === 'downloaded' && event.status === 200 && event.complete && event.lengthKnown;
  return whole ? event.body : undefined;
}

function get(url: string): FrameEffect {
  return { do: 'download', url, part: 'whole', headersMs: 10_000, bodyMs: undefined };
}

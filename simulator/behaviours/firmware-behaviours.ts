/** Behaviours of a frame's firmware: updates that brick the frame or fail, and versions that lack features. */
import { type AnyFrame, type Behaviour, withEffects } from '../dialects/any-frame.ts';
import { connectTo } from '../dialects/classic/classic-state.ts';
import { trmnlFirmware, trmnlVersions } from '../dialects/trmnl/trmnl-firmware.ts';
import { type FrameEffect, type SimulatedEvent, type Step, trace } from '../frame/frame.ts';

/** Accepts a new firmware, and never starts again with it. */
export const bricked: Behaviour = (below) => (state, event) => {
  const step = below(state, event);
  if (!takesFirmware(state, step)) return step;
  return withEffects(step, (effect) =>
    effect.do === 'sleep' || effect.do === 'lose power' ? [{ ...effect, seconds: 'for ever' }] : [effect],
  );
};

/**
 * Goes on with the old firmware: a native frame comes back with it after its restart, as the protocol wants it, and the
 * fielded one finds that the image is invalid before it restarts.
 */
export const failedUpdate: Behaviour = (below) => (state, event) => {
  const isFlashing = state.dialect === 'classic' && state.phase.name === 'flashing';
  if (isFlashing && event.kind === 'downloaded') return below(state, { ...event, complete: false });
  const step = below(state, event);
  if (!takesFirmware(state, step)) return step;
  return { ...step, state: { ...step.state, firmware: state.firmware } };
};

/** Returns whether the step restarts with a firmware that it has fetched. */
function takesFirmware(state: AnyFrame, { state: next }: Step<AnyFrame>): boolean {
  const isFetching =
    state.dialect === 'native'
      ? state.update?.downloading === true
      : state.dialect === 'classic' && state.phase.name === 'flashing';
  return isFetching && next.firmware !== state.firmware;
}

const wakesOfAVersion = 6;

/**
 * Has its owner flash another version: the next of those that are played, and the oldest after the newest. Flash keeps
 * its contents, including the key and the pictures; the memory that survives sleep is lost, as after every reset.
 */
export const updated: Behaviour = (below) => (before, event) => {
  const isFlashed = event.kind === 'woken' && before.boots > 0 && before.boots % wakesOfAVersion === 0;
  if (!isFlashed || before.dialect !== 'trmnl') return below(before, event);
  const version = trmnlVersions[(trmnlVersions.indexOf(before.does.version) + 1) % trmnlVersions.length] ?? '1.8.15';
  const flashed = { ...before, firmware: version, does: trmnlFirmware(version) };
  const started = { ...flashed, remembered: undefined, isCached: false, lastWakeMs: 0 };
  return below(started, { ...event, reason: 'reset' });
};

/** The versions of firmware of years ago. */
const oldVersions = { native: '0.9.0', classic: '3.0.9', trmnl: '1.5.2', offline: 'offline A' } as const;

/**
 * Comes with old firmware. A native one knows no offers of firmware, no `unchanged` and no parts of files; a fielded
 * one reports in the older form and refuses files whose header does not fit; a frame that polls has the oldest version
 * that is played.
 */
export const oldFirmware: Behaviour = (below) => (before, event) => {
  const state = event.kind === 'woken' && before.boots === 0 ? withOldVersion(before) : before;
  if (state.firmware !== oldVersions[state.dialect]) return below(state, event);
  if (state.dialect === 'native') return below(state, asOldNativeSees(event));
  if (state.dialect === 'trmnl' || state.dialect === 'offline') return below(state, event);
  if (event.kind === 'downloaded' && state.phase.name === 'downloading' && refusesHeader(state, event.body)) {
    return connectTo(state, { name: 'saying', says: 'update_failed' }, trace('failed', { why: 'a foreign header' }));
  }
  return withEffects(below(state, event), (effect) => [inOlderForm(effect)]);
};

function withOldVersion(state: AnyFrame): AnyFrame {
  const firmware = oldVersions[state.dialect];
  return state.dialect === 'trmnl' ? { ...state, firmware, does: trmnlFirmware('1.5.2') } : { ...state, firmware };
}

/** Returns an event without what later versions of the dialect added. */
function asOldNativeSees(event: SimulatedEvent): SimulatedEvent {
  if (event.kind === 'downloaded') return { ...event, partsOffered: false };
  if (event.kind !== 'message' || !event.topic.endsWith('/desired')) return event;
  try {
    const known = JSON.parse(new TextDecoder().decode(event.payload), (key, value) =>
      key === 'firmware' || key === 'unchanged' ? undefined : value,
    );
    return { ...event, payload: new TextEncoder().encode(JSON.stringify(known)) };
  } catch {
    return event;
  }
}

/** Firmware from before the 13-inch build obeys the size in the header, and so takes a bitmap for one that is too wide. */
function refusesHeader({ panel }: AnyFrame, body: Uint8Array): boolean {
  if (panel.name !== 'epd7' || body.length < 4) return false;
  const header = new DataView(body.buffer, body.byteOffset);
  return header.getUint16(0, true) > panel.width || header.getUint16(2, true) > panel.height;
}

const wakeWords = ['RESET', 'BUTTON', 'MOTION', 'TIMER'];

/** The wake report as older firmware wrote it: `fw` for `v`, and a word for the reason of the wake. */
function inOlderForm(effect: FrameEffect): FrameEffect {
  if (effect.do !== 'publish' || !effect.topic.endsWith('/activateepaper')) return effect;
  const older = new TextDecoder()
    .decode(effect.payload)
    .replace('"v":', '"fw":')
    .replace(/"wake": "(\d)"/, (_whole, number) => `"wake": "${wakeWords[Number(number)]}"`);
  return { ...effect, payload: new TextEncoder().encode(older) };
}

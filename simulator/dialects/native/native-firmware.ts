/**
 * The work of a native frame on a firmware: download, check, restart. It has one download at a time, pictures first.
 */
import type { OfferedFirmware, Update } from '../../../firmware-protocol/messages.ts';
import { digestOf, only, type SimulatedEvent, type Step, trace } from '../../frame/frame.ts';
import { type NativeState, restart, say } from './native-state.ts';

/** Remembers an offer; an offer that failed in this wake is not tried again. */
export function wantFirmware(state: NativeState, firmware: OfferedFirmware | undefined): NativeState {
  if (state.update?.downloading === true) return state;
  const wanted = firmware !== undefined && firmware.offer !== state.failedOffer;
  return { ...state, update: wanted ? { firmware, downloading: false } : undefined };
}

/** Begins the download. */
export function fetchFirmware(state: NativeState, firmware: OfferedFirmware): Step<NativeState> {
  return only(
    { ...state, update: { firmware, downloading: true } },
    trace('fetching firmware', { version: firmware.version }),
    ...tell(state, { offer: firmware.offer, phase: 'fetching' }),
    { do: 'download', url: firmware.url, part: 'whole', headersMs: 10_000, bodyMs: 60_000 },
  );
}

/** Checks the firmware that came: it starts, or the frame reports why not. */
export function checkFirmware(
  state: NativeState,
  { offer, version, bytes, sha256 }: OfferedFirmware,
  event: Extract<SimulatedEvent, { kind: 'downloaded' | 'download failed' }>,
): Step<NativeState> {
  const problem =
    event.kind === 'download failed'
      ? event.why
      : event.status !== 200
        ? `HTTP ${event.status}`
        : !event.complete || event.body.length !== bytes
          ? `${event.body.length} of ${bytes} bytes came`
          : digestOf(event.body) !== sha256
            ? 'the digest differs'
            : undefined;
  if (problem !== undefined) {
    return only(
      { ...state, update: undefined, failedOffer: offer },
      trace('firmware failed', { version, why: problem }),
      ...tell(state, { offer, phase: 'failed', reason: problem.slice(0, 200) }),
    );
  }
  return restart(
    { ...state, firmware: version, update: undefined },
    trace('firmware fetched', { version }),
    ...tell(state, { offer, phase: 'fetched' }),
    ...tell(state, { offer, phase: 'restarting' }),
  );
}

/** Reports a phase if there is a link; otherwise the next hello does. */
function tell(state: NativeState, update: Update) {
  return state.linkUp ? [say(state, 'update', update)] : [];
}

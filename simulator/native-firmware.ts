/** A native frame's work on a firmware: download, check, restart into it. One download at a time: pictures come first. */
import type { OfferedFirmware, Update } from '../firmware-protocol/messages.ts';
import { type FrameEvent, only, type Step, sha256Of, trace } from './frame.ts';
import { type NativeState, restart, say } from './native-state.ts';

/** Remembers an offer; one that this wake has failed is not tried again. */
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

/** What came: the new firmware starts, or the reason why not. */
export function checkFirmware(
  state: NativeState,
  { offer, version, bytes, sha256 }: OfferedFirmware,
  event: Extract<FrameEvent, { kind: 'downloaded' | 'download failed' }>,
): Step<NativeState> {
  const problem =
    event.kind === 'download failed'
      ? event.why
      : event.status !== 200
        ? `HTTP ${event.status}`
        : !event.complete || event.body.length !== bytes
          ? `${event.body.length} of ${bytes} bytes came`
          : sha256Of(event.body) !== sha256
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

/** Says a phase as far as there is a link: the next hello tells the rest. */
function tell(state: NativeState, update: Update) {
  return state.linkUp ? [say(state, 'update', update)] : [];
}

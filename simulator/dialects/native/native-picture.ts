/** The work of a native frame on one picture: download, check, draw, report. */
import { unpackPicture } from '../../../firmware-protocol/framebuffer.ts';
import type { Desired, Report } from '../../../firmware-protocol/messages.ts';
import { clampSleepSeconds } from '../../../firmware-protocol/sleep.ts';
import { refreshed } from '../../frame/battery.ts';
import {
  after,
  asleep,
  digestOf,
  type FramePicture,
  maxDraws,
  only,
  type SimulatedEvent,
  type Step,
  trace,
} from '../../frame/frame.ts';
import { fetchFirmware, wantFirmware } from './native-firmware.ts';
import { type NativeOffer, type NativeState, say, type Work } from './native-state.ts';

/** After this many attempts to connect the frame goes on without a link. */
export const maxPictureTries = 5;

/** A frame with nothing left to do waits this long for something that is pushed. */
const lingerMs = 300;

/** Takes settings at once, and a picture that is newer than those it has, works on, or gave up in this wake. */
export function obey(state: NativeState, desired: Desired): Step<NativeState> {
  const heard = { ...state, sleepSeconds: clampSleepSeconds(desired.settings.sleepSeconds), answered: true };
  const told = wantFirmware(heard, desired.firmware);
  const picture = desired.picture;
  const busyWith = Math.max(told.work?.picture.fileVersion ?? 0, told.next?.fileVersion ?? 0, told.failedVersion);
  if (picture === undefined || picture.fileVersion <= Math.max(told.fileVersion, busyWith)) return rest(told);
  const busy = told.work !== undefined || told.update?.downloading === true;
  return busy ? only({ ...told, next: picture }) : takePicture(told, picture);
}

/** Fetches a picture, unless the glass shows it already and the gateway knows that it was fetched. */
function takePicture(state: NativeState, picture: NativeOffer): Step<NativeState> {
  const { glass, picture: stored } = state;
  const showsIt = glass.shows === 'picture' && glass.sha256 === picture.sha256 && stored?.sha256 === picture.sha256;
  if (picture.unchanged !== true || !showsIt) return fetchPicture(state, picture);
  const skipped = shown({ ...state, next: undefined }, picture, stored);
  return after(only(state, trace('unchanged', { fileVersion: picture.fileVersion })), skipped);
}

function fetchPicture(state: NativeState, picture: NativeOffer, held?: Uint8Array): Step<NativeState> {
  const { url } = picture;
  const from = held === undefined ? {} : { from: held.length };
  return only(
    { ...state, work: { doing: 'downloading', picture, ...(held && { held }) }, next: undefined },
    trace(held === undefined ? 'fetching' : 'resuming', { fileVersion: picture.fileVersion, ...from }),
    { do: 'download', url, part: 'whole', ...from, headersMs: 10_000, bodyMs: 60_000 },
  );
}

export function checkDownload(
  state: NativeState,
  { picture, held }: Extract<Work, { doing: 'downloading' }>,
  event: Extract<SimulatedEvent, { kind: 'downloaded' | 'download failed' }>,
): Step<NativeState> {
  if (event.kind === 'download failed') return giveUp(state, picture, event.why);
  const { status, complete, partsOffered } = event;
  if (status !== 200 && !(status === 206 && held !== undefined)) return giveUp(state, picture, `HTTP ${status}`);
  const body = status === 206 ? joined(held, event.body) : event.body;
  // The frame resumes only once: after a link that breaks twice it waits for the next wake.
  const canResume = partsOffered && held === undefined && body.length > 0 && body.length < picture.bytes;
  if (!complete && canResume && state.next === undefined) return fetchPicture(state, picture, body);
  if (!complete || body.length !== picture.bytes) {
    return giveUp(state, picture, `${body.length} of ${picture.bytes} bytes came`);
  }
  const sha256 = digestOf(body);
  if (sha256 !== picture.sha256) return giveUp(state, picture, 'the digest differs');
  const raster = unpackPicture(state.panel, body);
  if ('problem' in raster) return giveUp(state, picture, raster.problem);
  const fetched = report(state, picture, 'fetched');
  if (sha256 === state.picture?.sha256) return after(fetched, shown(fetched.state, picture, { file: body, sha256 }));
  const work = { doing: 'drawing', picture, stored: { file: body, sha256 }, draws: 1 } as const;
  return after(fetched, only({ ...fetched.state, work }, { do: 'draw', seconds: state.panel.refreshSeconds }));
}

function joined(head: Uint8Array | undefined, tail: Uint8Array): Uint8Array {
  const file = new Uint8Array((head?.length ?? 0) + tail.length);
  if (head !== undefined) file.set(head);
  file.set(tail, head?.length ?? 0);
  return file;
}

export function finishNativeDrawing(
  state: NativeState,
  work: Extract<Work, { doing: 'drawing' }>,
  turned: boolean,
): Step<NativeState> {
  if (!turned) return shown(refreshed(state, { shows: 'picture', ...work.stored }), work.picture, work.stored);
  if (work.draws === maxDraws) return giveUp(state, work.picture, 'turned while drawing');
  return only(
    { ...state, work: { ...work, draws: work.draws + 1 } },
    { do: 'draw', seconds: state.panel.refreshSeconds },
  );
}

/** Stores the version and reports that it is on the glass. A liar begins with this step. */
export function shown(state: NativeState, picture: NativeOffer, stored: FramePicture): Step<NativeState> {
  const kept = { ...state, fileVersion: picture.fileVersion, picture: stored, work: undefined };
  const said = report(kept, picture, 'shown');
  return after(said, rest(said.state));
}

function giveUp(state: NativeState, picture: NativeOffer, reason: string): Step<NativeState> {
  const failed = { ...state, failedVersion: picture.fileVersion, work: undefined };
  const said = report(failed, picture, 'failed', reason.slice(0, 200));
  return after(said, rest(said.state));
}

/** Reports how far an upload came; without a link the report is kept until after the next hello. */
export function report(
  state: NativeState,
  picture: NativeOffer,
  stage: Report['stage'],
  reason?: string,
): Step<NativeState> {
  const message: Report = {
    upload: picture.upload,
    fileVersion: picture.fileVersion,
    stage,
    ...(reason === undefined ? {} : { reason }),
    ...(state.picture === undefined ? {} : { sha256: state.picture.sha256 }),
    pictureSynced: stage === 'shown',
  };
  const traced = trace(stage, { fileVersion: picture.fileVersion, ...(reason === undefined ? {} : { reason }) });
  return state.linkUp
    ? only(state, traced, say(state, 'report', message))
    : only({ ...state, unsaid: [...state.unsaid, message] }, traced);
}

/** Goes on with the next work, or waits for some; without a link the reconnect decides. */
export function rest(state: NativeState): Step<NativeState> {
  if (state.work !== undefined || state.update?.downloading === true) return only(state);
  if (state.next !== undefined) return takePicture(state, state.next);
  if (state.linkUp && state.update !== undefined) return fetchFirmware(state, state.update.firmware);
  if (!state.linkUp && state.connects >= maxPictureTries) return asleep(state, state.sleepSeconds, 'timer');
  return only(state, { do: 'timer', name: 'linger', afterMs: lingerMs });
}

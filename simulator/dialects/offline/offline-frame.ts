/**
 * The steps of a frame with the vendor's offline firmware through its wake: set-up after a press, Wi-Fi, its settings, the
 * look for a redirect, the real request with up to six tries, the draw, sleep. It paints an error text at every failure
 * and keeps its tag (OF-7).
 */
import { problemOfBitmap } from '../../../firmware-protocol/offline/bitmap.ts';
import {
  flatSleepSeconds,
  offlineAwakeMs,
  offlineSleepHeader,
  readOfflineSleep,
  sleepAfterFailure,
} from '../../../firmware-protocol/offline/wire.ts';
import { passTime, refreshed, woken } from '../../frame/battery.ts';
import { after, asleep, digestOf, only, type SimulatedEvent, type SleepSeconds, trace } from '../../frame/frame.ts';
import {
  askFor,
  errorText,
  look,
  type OfflineLogin,
  type OfflineState,
  type OfflineStep,
  readSettingsOf,
  validatorOfAnswer,
  withOfflineOutcome,
} from './offline-state.ts';

/** Below this a frame without a cable sleeps for a day without asking, in millivolts. */
export const offlineFlatMv = 4000;
const setUpMs = 30_000;
const maxTries = 6;
const failsafeSleepSeconds = 3600;

type Downloaded = Extract<SimulatedEvent, { kind: 'downloaded' }>;

/** Makes one step of such a frame. */
export function stepOffline(before: OfflineState, event: SimulatedEvent): OfflineStep {
  const state = passTime(before, event);
  const { phase } = state;
  if (event.kind === 'woken') return wakes(woken(state, event.reason));
  if (state.asleep) return only(state);
  if (event.kind === 'timer' && event.name === 'failsafe') {
    return goesToSleep(state, failsafeSleepSeconds, trace('failsafe'));
  }
  switch (phase.name) {
    case 'set up':
      return event.kind === 'timer' && event.name === 'set up' ? joins(state) : only(state);
    case 'joining':
      return event.kind === 'joined' ? joined(state, event.isIn) : only(state);
    case 'reading settings':
      return event.kind === 'downloaded' || event.kind === 'download failed' ? settingsRead(state, event) : only(state);
    case 'looking':
      return event.kind === 'probed' || event.kind === 'download failed' ? looked(state, event) : only(state);
    case 'asking':
      if (event.kind === 'download failed') return triesAgain(state, phase.attempt);
      return event.kind === 'downloaded' ? answered(state, phase.attempt, event) : only(state);
    case 'drawing':
      return event.kind === 'drawn' ? drawn(state, phase) : only(state);
    case 'drawing an error':
      return event.kind === 'drawn' ? failed(refreshed(state, errorText)) : only(state);
    case 'asleep':
      return only(state);
  }
}

function wakes(state: OfflineState): OfflineStep {
  const begun = { ...state, told: undefined };
  const woke = trace('woke', { reason: state.wake });
  if (state.batteryMv < offlineFlatMv) return goesToSleep(begun, flatSleepSeconds, woke, trace('battery flat'));
  const failsafe = { do: 'timer', name: 'failsafe', afterMs: offlineAwakeMs } as const;
  if (state.wake !== 'button' || state.isPressedTwice) {
    return after(only(begun, woke, failsafe), joins({ ...begun, isPressedTwice: state.isPressedTwice }));
  }
  const setUp = { do: 'timer', name: 'set up', afterMs: setUpMs } as const;
  return only({ ...begun, phase: { name: 'set up' } }, woke, { ...failsafe, afterMs: setUpMs + offlineAwakeMs }, setUp);
}

function joins(state: OfflineState): OfflineStep {
  const { login, isLocal } = state;
  // OF-15, OF-19: nothing to ask, and no timer.
  if (login === undefined || (isLocal && login.settingsAddress === undefined))
    return goesToSleep(state, 'until button');
  return only({ ...state, phase: { name: 'joining' } }, { do: 'join' });
}

function joined(state: OfflineState, isIn: boolean): OfflineStep {
  const { login } = state;
  if (!isIn) return state.isLocal ? goesToSleep(state, 'until button') : paintsError(state, 'Wi-Fi failed');
  if (login?.settingsAddress !== undefined) return readSettingsOf(state, login.settingsAddress);
  return login === undefined ? goesToSleep(state, 'until button') : look(state, login);
}

/** Takes what the settings say; a failure to read them is not one of the wake. */
function settingsRead(state: OfflineState, event: Downloaded | { readonly kind: 'download failed' }): OfflineStep {
  const isGood = event.kind === 'downloaded' && event.status === 200 && event.complete;
  const said = isGood ? readJson(event.body) : undefined;
  const known = said === undefined || event.kind !== 'downloaded' ? state : withSettings(state, said, event);
  if (known.isLocal || known.login === undefined) return goesToSleep(known, 'until button');
  return look(known, known.login);
}

function withSettings(state: OfflineState, said: Readonly<Record<string, unknown>>, event: Downloaded): OfflineState {
  const { login } = state;
  const interval = typeof said.timeout === 'number' ? said.timeout : state.interval;
  const settingsModified = event.headers?.['last-modified'] ?? state.settingsModified;
  const kept = { ...state, interval, settingsModified };
  if (typeof said.downloadUrl !== 'string' || login === undefined) return kept;
  const isOther = said.downloadUrl !== login.address;
  const changed: OfflineLogin = { ...login, address: said.downloadUrl };
  return { ...kept, login: changed, isLocal: false, ...(isOther && { validator: '' }) };
}

function looked(
  state: OfflineState,
  event: Extract<SimulatedEvent, { kind: 'probed' | 'download failed' }>,
): OfflineStep {
  const isRedirect = event.kind === 'probed' && event.status === 301;
  const url = isRedirect ? (event.location ?? '') : (state.login?.address ?? '');
  const login = state.login && { ...state.login, address: url };
  return askFor({ ...state, login }, url, 1);
}

function triesAgain(state: OfflineState, attempt: number): OfflineStep {
  if (attempt < maxTries) return askFor(state, state.login?.address ?? '', attempt + 1);
  return paintsError(state, 'no answer');
}

function answered(before: OfflineState, attempt: number, event: Downloaded): OfflineStep {
  const { status, complete, body, headers = {} } = event;
  const seconds = before.does === 'C' ? readOfflineSleep(headers[offlineSleepHeader]) : undefined;
  const state = { ...before, told: seconds === undefined ? undefined : { seconds, at: before.nowMs } };
  const { does, validator, panel } = state;
  if (status === 304 && does !== 'A') {
    // OF-14: in state B a 304 after two presses is not taken for a success.
    return does === 'B' && state.isPressedTwice ? paintsError(state, 'nothing to draw') : unchanged(state);
  }
  if (status !== 200 || !event.lengthKnown) return triesAgain(state, attempt);
  const kept = validatorOfAnswer(does, headers);
  if (kept !== '' && kept === validator) return unchanged(state);
  if (!complete) return triesAgain(state, attempt);
  // State A keeps what it was sent before it draws; the slot of B and C is overwritten, and their tag gone until then.
  const stored = { ...state, validator: does === 'A' ? kept : state.validator };
  if (problemOfBitmap(panel, body) !== undefined) return paintsError(stored, 'not a picture');
  const picture = { file: body, sha256: digestOf(body) };
  const phase = { name: 'drawing', picture, validator: kept } as const;
  return only({ ...stored, picture, phase }, trace('drawing', { sha256: picture.sha256 }), {
    do: 'draw',
    seconds: panel.refreshSeconds,
  });
}

function unchanged(state: OfflineState): OfflineStep {
  return sleepsAsTold(withOfflineOutcome(state, 'kept', state.validator.replace(/^etag:/, '')), trace('kept'));
}

function drawn(
  state: OfflineState,
  { picture, validator }: Extract<OfflineState['phase'], { name: 'drawing' }>,
): OfflineStep {
  const seen = refreshed({ ...state, validator }, { shows: 'picture', ...picture });
  return sleepsAsTold(withOfflineOutcome(seen, 'drawn', validator.replace(/^etag:/, '')), trace('drawn'));
}

function paintsError(state: OfflineState, why: string): OfflineStep {
  const painting = { ...state, phase: { name: 'drawing an error' } } as const;
  return only(painting, trace('failed', { why }), { do: 'draw', seconds: state.panel.refreshSeconds });
}

function failed(state: OfflineState): OfflineStep {
  return goesToSleep(withOfflineOutcome(state, 'error'), sleepAfterFailure(state.does, state.interval));
}

/** The sleep of the answer, less what has passed since; without one that of its settings. */
function sleepsAsTold(state: OfflineState, ...before: readonly ReturnType<typeof trace>[]): OfflineStep {
  const { told, interval } = state;
  if (told === undefined) return goesToSleep(state, interval, ...before);
  const elapsed = Math.floor((state.nowMs - told.at) / 1000);
  return goesToSleep(state, Math.max(60, told.seconds - elapsed), ...before);
}

function goesToSleep(state: OfflineState, seconds: SleepSeconds, ...before: ReturnType<typeof trace>[]): OfflineStep {
  const sleepSeconds = typeof seconds === 'number' ? seconds : state.sleepSeconds;
  const done: OfflineState = { ...state, sleepSeconds, isPressedTwice: false, phase: { name: 'asleep' } };
  return asleep(done, seconds, seconds === 'until button' ? 'button' : 'timer', ...before);
}

function readJson(body: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

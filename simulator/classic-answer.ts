/** What an answer does to the fielded frame (sections 5 and 9). */
import { publishPacketBytes } from '../firmware-protocol/classic.ts';
import { decodeJson } from '../firmware-protocol/codec.ts';
import { limits } from '../firmware-protocol/limits.ts';
import { draw, fetchPicture } from './classic-picture.ts';
import {
  type ClassicState,
  type ClassicStep,
  crash,
  freshCycle,
  sleepAfter,
  talk,
  vanish,
  wakeReport,
} from './classic-state.ts';
import { after, defaultSleepSeconds, type FrameEffect, only, trace } from './frame.ts';

export const mostReports = 7;
const mostPairingRounds = 10;
const shortestTimeoutSeconds = 60;

/** Hears one message, if the frame is in a phase that listens. */
export function hear(state: ClassicState, topic: string, payload: Uint8Array): ClassicStep {
  const phase = state.phase.name;
  const listens =
    phase === 'deactivating' || phase === 'reporting' || phase === 'awaiting url' || phase === 'requesting';
  if (!listens) return only(state);
  const bytes = publishPacketBytes(topic, payload.length);
  if (bytes > limits.classicPacketBytes) return crash(state, `W-05: a packet of ${bytes} bytes`);
  const json = decodeJson(payload, limits.classicPacketBytes);
  if (!json.ok || typeof json.value !== 'object' || json.value === null) return only(state);
  const said = new Map<string, unknown>(Object.entries(json.value));
  const url = said.get('url');
  const knownUrl = typeof url === 'string' && url !== '' ? url : state.cycle.url;
  if (knownUrl !== undefined && (state.urlPrefix + knownUrl).length > limits.classicUrlCharacters) {
    return crash(state, 'W-04: prefix and url overflow the buffer');
  }
  // W-23: any later t replaces the pending one
  const t = isInt32(said.get('t')) ? (said.get('t') as number) : state.cycle.t;
  return heed({ ...state, cycle: { ...state.cycle, t, url: knownUrl } }, said);
}

function heed(state: ClassicState, said: ReadonlyMap<string, unknown>): ClassicStep {
  const act = said.get('act');
  const { phase, cycle } = state;
  if (phase.name === 'deactivating') return act === 'reset' ? deactivated(state, phase.next) : only(state);
  if (phase.name !== 'reporting') return cycle.url === undefined ? only(state) : fetchPicture(state, cycle.url);
  if (act === 'activated') return activate(state, said.get('timeout'));
  if (act === 'not_started') return state.activated ? factoryReset(state) : pair(state);
  if (cycle.url === undefined) return only(state);
  // W-03: the loop that waits for an answer leaves at once for an url, so that every report left goes out at once
  const left: FrameEffect[] = Array.from({ length: mostReports - phase.tries }, () => wakeReport(state));
  return only({ ...state, phase: { name: 'reporting', tries: mostReports } }, ...left);
}

/** `activated`: settings, then the version decides (W-01, W-02, W-16, W-20). */
function activate(state: ClassicState, told: unknown): ClassicStep {
  const timeout = isInt32(told) ? Math.max(told, shortestTimeoutSeconds) : defaultSleepSeconds;
  const fullWake = state.wake === 'button' || state.wake === 'timer' || timeout !== state.sleepSeconds;
  const active: ClassicState = {
    ...state,
    activated: true,
    pairingRounds: 0,
    cycle: { ...state.cycle, sleepSeconds: sleepAfter(state, timeout) },
    sleepSeconds: timeout,
    lastFullWakeMs: fullWake ? state.nowMs : state.lastFullWakeMs,
  };
  const { t, url, sleepSeconds } = active.cycle;
  if (t === undefined) return only({ ...active, phase: { name: 'stuck' } }, trace('stuck', { why: 'W-01: no t' }));
  if (t <= 0) {
    return draw(active, { glass: { shows: 'screen', screen: 'no picture' }, keep: active.picture, says: undefined });
  }
  if (t <= active.fileVersion) return vanish(active, sleepSeconds);
  if (url !== undefined) return fetchPicture(active, url);
  return only({ ...active, phase: { name: 'awaiting url' } }, { do: 'timer', name: 'answer', afterMs: 5000 });
}

/** Nobody answered seven reports: an activated frame goes on and hangs until the failsafe, another one pairs. */
export function unanswered(state: ClassicState): ClassicStep {
  if (!state.activated) return pair(state);
  const stuck = { ...state, phase: { name: 'stuck' }, sleepSeconds: defaultSleepSeconds, cycle: freshCycle } as const;
  return only(stuck, trace('stuck', { why: 'no answer' }));
}

/** W-17: wiped, as far as it can be after the exchange that follows. */
function factoryReset(state: ClassicState): ClassicStep {
  const reset = { ...state, factoryResets: state.factoryResets + 1 };
  return after(only(reset, trace('factory reset')), talk(reset, { name: 'deactivating', tries: 1, next: 'sleep' }));
}

/** After `act` 0: set-up goes on with the report, a reset ends with everything erased and the frame asleep. */
export function deactivated(state: ClassicState, next: 'report' | 'sleep'): ClassicStep {
  if (next === 'report') return talk({ ...state, freshWifi: false }, { name: 'reporting', tries: 1 });
  const erased: ClassicState = {
    ...state,
    activated: false,
    freshWifi: true,
    fileVersion: 0,
    picture: undefined,
    sleepSeconds: defaultSleepSeconds,
    pairingRounds: 0,
  };
  return vanish(erased, 'until button');
}

/** Not activated: sleeps shortly, shows how to pair on every third round, and gives up after ten (section 9). */
function pair(state: ClassicState): ClassicStep {
  const round = state.pairingRounds + 1;
  const paired = trace('pairing', { round });
  if (round >= mostPairingRounds) return vanish({ ...state, pairingRounds: 0 }, 'until button', paired);
  const waiting = { ...state, pairingRounds: round, cycle: { ...state.cycle, sleepSeconds: 20 } };
  if (round % 3 !== 0) return vanish(waiting, 20, paired);
  return after(
    only(waiting, paired),
    draw(waiting, { glass: { shows: 'screen', screen: 'pairing' }, keep: state.picture, says: undefined }),
  );
}

function isInt32(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= limits.fileVersion;
}

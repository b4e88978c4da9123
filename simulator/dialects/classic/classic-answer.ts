/** The effects of an answer on the fielded frame (sections 5 and 9 of the frame wire). */
import { publishPacketBytes } from '../../../firmware-protocol/classic.ts';
import { decodeJson } from '../../../firmware-protocol/codec.ts';
import { limits } from '../../../firmware-protocol/limits.ts';
import { after, asleep, defaultSleepSeconds, type FrameEffect, only, trace } from '../../frame/frame.ts';
import { draw, fetchPicture } from './classic-picture.ts';
import {
  bootFlags,
  type ClassicEeprom,
  type ClassicPhase,
  type ClassicState,
  type ClassicStep,
  crash,
  freshCycle,
  sleepAfter,
  talk,
  vanish,
  wakeReport,
} from './classic-state.ts';

export const maxReports = 7;
const maxPairingRounds = 10;
const shortestTimeoutSeconds = 60;

const listening = new Set<ClassicPhase['name']>([
  'deactivating',
  'reporting',
  'awaiting url',
  'requesting',
  'kept awake',
]);

/** Takes one message, if the frame is in a phase that listens. */
export function hear(state: ClassicState, topic: string, payload: Uint8Array): ClassicStep {
  const phase = state.phase.name;
  if (!listening.has(phase)) return only(state);
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
  // Any later t replaces the pending one (W-23).
  const t = isInt32(said.get('t')) ? (said.get('t') as number) : state.cycle.t;
  if (phase === 'kept awake') return t === state.cycle.t ? only(state) : restart(state);
  return heed({ ...state, cycle: { ...state.cycle, t, url: knownUrl } }, said);
}

function heed(state: ClassicState, said: ReadonlyMap<string, unknown>): ClassicStep {
  const act = said.get('act');
  const { phase, cycle } = state;
  if (phase.name === 'deactivating') return act === 'reset' ? deactivated(state, phase.next) : only(state);
  if (phase.name !== 'reporting') return cycle.url === undefined ? only(state) : fetchPicture(state, cycle.url);
  if (act === 'activated') return activate(state, said);
  if (act === 'not_started') return state.activated ? factoryReset(state) : pair(state);
  if (cycle.url === undefined) return only(state);
  // An url ends the loop that waits for an answer, so that all reports that are left go out at once (W-03).
  const left: FrameEffect[] = Array.from({ length: maxReports - phase.tries }, () => wakeReport(state));
  return only({ ...state, phase: { name: 'reporting', tries: maxReports } }, ...left);
}

/** Handles `activated`: the frame takes the settings, then the version decides (W-01). */
function activate(state: ClassicState, said: ReadonlyMap<string, unknown>): ClassicStep {
  const told = said.get('timeout');
  const flags = flagsOf(said);
  const timeout = isInt32(told) ? Math.max(told, shortestTimeoutSeconds) : defaultSleepSeconds;
  const fullWake = state.wake === 'button' || state.wake === 'timer' || timeout !== state.sleepSeconds;
  const active: ClassicState = {
    ...state,
    activated: true,
    pairingRounds: 0,
    cycle: { ...state.cycle, sleepSeconds: sleepAfter(state, timeout), flags },
    eeprom: flags,
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

/** Returns the flags of an answer; a flag that is missing or no boolean has its value of every start (W-20). */
function flagsOf(said: ReadonlyMap<string, unknown>): ClassicEeprom {
  const flag = (key: string, otherwise: boolean): boolean => {
    const value = said.get(key);
    return typeof value === 'boolean' ? value : otherwise;
  };
  return {
    overlay: flag('overlay', bootFlags.overlay),
    clearscreen: flag('clearscreen', bootFlags.clearscreen),
    sleepDisabled: flag('sleepdisabled', bootFlags.sleepDisabled),
  };
}

/** Restarts a frame that was kept awake, when it receives another picture (W-27). */
function restart(state: ClassicState): ClassicStep {
  return asleep({ ...state, phase: { name: 'asleep' } }, 1, 'reset', trace('restarts'));
}

/** Handles seven reports without an answer: an activated frame hangs until the failsafe, any other frame pairs. */
export function unanswered(state: ClassicState): ClassicStep {
  if (!state.activated) return pair(state);
  const forgotten = { sleepSeconds: defaultSleepSeconds, cycle: freshCycle, eeprom: bootFlags };
  const stuck = { ...state, ...forgotten, phase: { name: 'stuck' } } as const;
  return only(stuck, trace('stuck', { why: 'no answer' }));
}

/** Begins a factory reset, which ends after the exchange that follows (W-17). */
function factoryReset(state: ClassicState): ClassicStep {
  const reset = { ...state, factoryResets: state.factoryResets + 1 };
  return after(only(reset, trace('factory reset')), talk(reset, { name: 'deactivating', tries: 1, next: 'sleep' }));
}

/** Goes on after `act` 0: set-up goes on with the report, a reset erases everything and the frame sleeps. */
export function deactivated(state: ClassicState, next: 'report' | 'sleep'): ClassicStep {
  if (next === 'report') return talk({ ...state, freshWifi: false }, { name: 'reporting', tries: 1 });
  const erased: ClassicState = {
    ...state,
    activated: false,
    freshWifi: true,
    fileVersion: 0,
    picture: undefined,
    sleepSeconds: defaultSleepSeconds,
    eeprom: bootFlags,
    pairingRounds: 0,
  };
  return vanish(erased, 'until button');
}

/**
 * Pairs a frame that is not activated: short sleeps, instructions on every third round, the end after ten (section 9).
 */
function pair(state: ClassicState): ClassicStep {
  const round = state.pairingRounds + 1;
  const paired = trace('pairing', { round });
  if (round >= maxPairingRounds) return vanish({ ...state, pairingRounds: 0 }, 'until button', paired);
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

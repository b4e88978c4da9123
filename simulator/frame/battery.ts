/**
 * The drain on the battery of a frame, by dialect and by panel: one table, from which every simulated battery runs down.
 *
 * The figures are orders of magnitude, in millivolts of the whole battery: nobody has measured these frames. They follow from
 * currents that the makers of such boards state (a hundred milliamperes awake, as much again for the radio, some ten
 * microamperes asleep) and from a battery that loses 1.8 V over 2,500 mAh, as four alkaline cells do. How long a refresh
 * takes is the panel's own record, which names its source.
 */
import type { Panel } from '../../firmware-protocol/panels.ts';
import type { WakeReason } from '../../firmware-protocol/sleep.ts';
import type { Glass, SimulatedEvent, SimulatedFrame } from './frame.ts';

type Dialect = 'native' | 'classic' | 'trmnl' | 'offline';
/** A frame whose table is known. */
type PoweredFrame = SimulatedFrame & { readonly dialect: Dialect };

const daySeconds = 86_400;

/** The drain of a frame of a dialect, in millivolts, and where its battery ends. */
export interface BatteryTable {
  /** Starting: boot, sensors, and the first seconds of the radio. */
  readonly wake: number;
  /** A second awake. */
  readonly awakeSecond: number;
  /** A second in which the radio may be on, on top. */
  readonly linkSecond: number;
  /** A kilobyte that is fetched, on top: it is written to flash and read from there. */
  readonly kilobyte: number;
  /** A day asleep. */
  readonly asleepDay: number;
  /** The voltage of a nearly empty one: it gives in when a refresh asks for more than it can give. */
  readonly weak: number;
  /** Below this a frame does not start. */
  readonly empty: number;
}

/** The frames of the first two dialects are the same boards: four cells of 1.5 V, which W-39 has sleep below 4,200 mV. */
const fourCells: BatteryTable = {
  wake: 0.05,
  awakeSecond: 0.005,
  linkSecond: 0.01,
  kilobyte: 0.0002,
  asleepDay: 0.8,
  weak: 4290,
  empty: 3600,
};

/** The table of each dialect. Frames that poll have a cell of 4 V, and divide by 1,500 what is counted here. */
export const batteryTables: Readonly<Record<Dialect, BatteryTable>> = {
  native: fourCells,
  classic: fourCells,
  trmnl: { ...fourCells, weak: 5100, empty: 4800 },
  offline: fourCells,
};

/** The additional drain of a second of a refresh, by panel: six inks are driven longer and harder than black and white. */
const refreshSecondMv: Readonly<Record<string, number>> = {
  openpaper13: 0.005,
  bw7: 0.001,
  bw13: 0.001,
  trmnl2: 0.001,
};
const defaultRefreshSecondMv = 0.0015;

/** Returns the millivolts that one refresh drains, without the seconds for which the board is awake. */
function refreshMv({ name, refreshSeconds }: Pick<Panel, 'name' | 'refreshSeconds'>): number {
  return (refreshSecondMv[name] ?? defaultRefreshSecondMv) * refreshSeconds;
}

/** Lets the time up to an event pass. Time drains the battery, and so does what was fetched. */
export function passTime<State extends PoweredFrame>(state: State, event: SimulatedEvent): State {
  const drain = batteryTables[state.dialect];
  const nowMs = Math.max(event.atMs, state.nowMs);
  const seconds = (nowMs - state.nowMs) / 1000;
  const events = state.events + 1;
  // Before it is switched on for the first time it has no time either.
  if (state.boots === 0) return { ...state, nowMs, events };
  if (state.asleep) return { ...drained(state, (seconds / daySeconds) * drain.asleepDay), nowMs, events };
  const second = drain.awakeSecond + (event.kind === 'drawn' ? 0 : drain.linkSecond);
  const fetched = event.kind === 'downloaded' ? (event.body.length / 1024) * drain.kilobyte : 0;
  const awakeSeconds = state.awakeSeconds + seconds;
  return { ...drained(state, seconds * second + fetched), nowMs, events, awakeSeconds };
}

/** Returns the state after a refresh of the panel. */
export function refreshed<State extends SimulatedFrame>(state: State, glass: Glass): State {
  return { ...drained(state, refreshMv(state.panel)), glass, refreshes: state.refreshes + 1 };
}

/** Returns the state after waking: the boot is counted, and its reason is kept. */
export function woken<State extends PoweredFrame>(state: State, reason: WakeReason): State {
  const started = drained(state, batteryTables[state.dialect].wake);
  return { ...started, asleep: false, boots: state.boots + 1, events: 0, wake: reason };
}

function drained<State extends SimulatedFrame>(state: State, mv: number): State {
  return { ...state, batteryMv: Math.max(0, state.batteryMv - mv) };
}

/** The foundation of a run: its chance, its faults, its time, and the record of what happens. */

import type { HomePlan } from './home.ts';
import { type BusyMachine, busyMachine } from './machine/busy-machine.ts';
import { type Chance, chanceOf } from './machine/chance.ts';
import { type Checker, openChecker } from './machine/checker.ts';
import type { Disk } from './machine/disk.ts';
import { drawFaultRates, type FaultRates, noFaults, type WantedFaults, withoutFaults } from './machine/fault-rates.ts';
import type { EventLog } from './machine/run-events.ts';
import { openTrace, type Trace } from './machine/trace.ts';
import { settleBy, type VirtualTime, virtualTime } from './machine/virtual-time.ts';

/** The options of a run besides its seed. */
export interface SimulationOptions extends WantedFaults {
  /** A fleet in place of the one that the seed draws. */
  readonly fleet?: GivenFleet | undefined;
  /** Receives each line of the trace as it is written. */
  readonly print?: ((line: string) => void) | undefined;
  /** Notes the events of the run, or decides which of them happen. */
  readonly events?: EventLog | undefined;
  /** Gives the run up after this much time without leaps, as one that keeps every promise. */
  readonly playMs?: number | undefined;
  /** Ends the run with its time without faults, in which all must have converged after so long. */
  readonly endsAfterRecoveryMs?: number | undefined;
}

/** A fleet that its caller describes: nothing happens to it except what the caller does. */
export interface GivenFleet {
  /** The time at which the run begins, epoch milliseconds. */
  readonly startsAt: number;
  readonly home: HomePlan;
  /** The number of papers, and which of them the frame at a place of the home shows, from 0. */
  readonly papers: number;
  readonly paperOf: (place: number) => number;
  /** The fault rates of one frame at the moment. */
  readonly faultsOf: (serial: string) => FaultRates;
  /** Is called when a frame wakes. */
  readonly woke: (serial: string) => void;
}

const defaultStart = Date.UTC(2026, 0, 10, 8);

/** The parts of a run on which all others rest: chance, faults, time, and the record of what happens. */
export interface Foundation {
  /** The number of nodes; 1 for a process that is alone. */
  readonly nodes: number;
  readonly disk: Disk;
  /** True for a fleet that its caller describes: nothing happens to the service except what the caller does. */
  readonly isGiven: boolean;
  readonly chance: Chance;
  readonly faultRates: FaultRates;
  /** The fault rates of the moment. */
  readonly currentFaults: () => FaultRates;
  readonly setFaults: (faultRates: FaultRates) => void;
  /** Returns whether no fault happens at the moment. */
  readonly isCalm: () => boolean;
  readonly time: VirtualTime;
  readonly busy: BusyMachine;
  readonly trace: Trace;
  /** Writes a line into the trace, and counts it as progress. */
  readonly note: (what: string) => void;
  readonly checker: Checker;
  readonly complaints: readonly string[];
  readonly complained: (what: string) => void;
}

/** Lays the foundation of a seed: nothing is built on it yet. */
export function layFoundation(seed: string, disk: Disk, options: SimulationOptions): Foundation {
  disk.wipe();
  const chance = chanceOf(seed, options.events);
  // The name of each fork is part of what a seed plays, so it stays as it is: another name makes other draws.
  const faultRates = options.fleet === undefined ? drawFaultRates(chance.fork('climate'), options) : noFaults;
  const startsAt = options.fleet?.startsAt ?? defaultStart;
  let currentFaults = withoutFaults(faultRates);
  let notes = 0;
  const time = virtualTime(
    startsAt,
    chance.fork('order'),
    settleBy(() => disk.progress() + notes, disk.realWork.isUnderWay),
  );
  options.events?.keepTime(time.played);
  const trace = openTrace(time.now, startsAt, options.print);
  const note = (what: string): void => {
    notes++;
    trace.note(what);
  };
  const checker = openChecker(note);
  const complaints: string[] = [];
  disk.keepTime(time.now);
  const nodes = options.nodes === 'drawn' ? chance.fork('nodes').whole(2, 3) : (options.nodes ?? 1);
  return {
    nodes,
    disk,
    isGiven: options.fleet !== undefined,
    chance,
    faultRates,
    currentFaults: () => currentFaults,
    setFaults: (faults) => {
      currentFaults = faults;
    },
    isCalm: () => currentFaults !== faultRates,
    time,
    busy: busyMachine(time, chance.fork('busy machine')),
    trace,
    note,
    checker,
    complaints,
    complained(what) {
      complaints.push(what);
      // An error in the log is a bug, because the service has an answer to every injected fault.
      checker.holds(false, 'no fault in the log', () => what);
      note(`complaint: ${what.split('\n')[0]}`);
    },
  };
}

/** The service as the world sees it: one machine, or several nodes that look like one. */
import type { Core } from '../../api/service/wire/core.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Random } from '../../runtime/random.ts';
import type { FakeBroker } from './machine/fake-broker.ts';
import type { OutsideDeps } from './machine/modelled-outside.ts';
import type { SimulatedProcess } from './machine/process.ts';
import type { VirtualTime } from './machine/virtual-time.ts';
import type { NodeSeat, SeatedNode } from './node-seat.ts';

export interface NodeDeps extends OutsideDeps {
  readonly time: VirtualTime;
  readonly random: Random;
  /** Draws whether the service dies at this moment of a commit. */
  readonly dies: (chance: 'before' | 'after') => boolean;
  /** Returns whether statements neither wait nor die by chance now. */
  readonly atOnce: () => boolean;
  /** The wait of a statement before the disk takes it; undefined for none. */
  readonly delay: () => Promise<void> | undefined;
  /** The wait of work at a moment at which it could be held up; undefined for none. */
  readonly holdUp: () => Promise<void> | undefined;
  /** Is called after each commit. Returns true when the commit holds a frame's report that it shows something. */
  readonly committed: () => boolean;
  /** True where people set deadlines; what other seeds play is left as it was before there were any. */
  readonly watchesDeadlines: boolean;
  /** Draws how long a service that died stays away. */
  readonly awayMs: () => number;
  readonly note: (what: string) => void;
  /** Is called when the service writes an error into its log. */
  readonly complained: (what: string) => void;
  /** The machine's seat among several nodes; a service that is alone has none. */
  readonly seat?: NodeSeat | undefined;
}

/** A running service. */
export interface Running extends Pick<CommonDeps, 'db' | 'clock'> {
  readonly process: SimulatedProcess;
  readonly node: SeatedNode;
  readonly core: Core;
  readonly fakeBroker: FakeBroker | undefined;
  readonly since: number;
}

/** The machine, with the faults that can be injected into it. */
export interface ServiceNode {
  /** The service, while it runs; of several nodes one that works as it should. */
  readonly running: () => Running | undefined;
  /** The process that a frame or a caller reaches now: of several nodes the one that the balancer chooses. */
  readonly reached: () => Running | undefined;
  /** The moment since which the service has been as it should be; undefined while it is not. */
  readonly upSince: () => number | undefined;
  start(): Promise<void>;
  /**
   * Ends the process with everything that it did not commit. It comes back by itself, after a drawn time by default.
   */
  crash(awayMs?: number): void;
  /**
   * Lets the process die right after its next commit, or after the next one that holds a frame's report that it shows
   * something. It comes back at the given moment.
   */
  scheduleCrash(after: 'any' | 'shown', backAt: number): void;
  /** Cancels a scheduled crash. */
  cancelCrash(): void;
  /** Ends the run: the process changes nothing more on the disk, on which the next run is played. */
  abandon(): void;
  /** Stops the service as planned, and starts it after a moment, or after so long. */
  restart(awayMs?: number): Promise<void>;
  /** The number of crashes; planned stops do not count. */
  readonly deaths: () => number;
  /** Registers a listener that is called whenever a process has ended. */
  onDeath(listener: (process: SimulatedProcess) => void): void;
}

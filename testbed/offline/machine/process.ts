/** A process of the service, as its machine treats it: it dies, or it is stopped for a while and goes on as it was. */
import type { Clock, Timer } from '../../../runtime/clock.ts';
import { describeError, type Logger } from '../../../runtime/logger.ts';
import type { Process } from './disk.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A process that can be paused, as by SIGSTOP: nothing of it runs, and what comes for it waits in its machine. */
export class SimulatedProcess implements Process {
  dead = false;
  /** The moment at which it last went on after a pause. */
  wentOnAt = Number.NEGATIVE_INFINITY;
  #waiting: (() => void)[] | undefined;

  get isPaused(): boolean {
    return this.#waiting !== undefined;
  }

  /** Lets the process do something now, or when it goes on. */
  run(what: () => void): void {
    if (this.#waiting === undefined) what();
    else this.#waiting.push(what);
  }

  pause(): void {
    this.#waiting ??= [];
  }

  /** Lets it do everything that came meanwhile, in the order in which it came. */
  goOn(now: number): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    this.wentOnAt = now;
    for (const what of waiting) this.run(what);
  }

  /** Ends it in the middle of whatever it does. */
  die(): void {
    this.dead = true;
    this.#waiting = undefined;
  }
}

/** Passes a result on only while the process lives and runs; a dead process waits for ever. */
export function whileAlive<Value>(process: SimulatedProcess, coming: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const pass = (settle: () => void): void => process.run(() => process.dead || settle());
    coming.then(
      (value) => pass(() => resolve(value)),
      (error: unknown) => pass(() => reject(error)),
    );
  });
}

/**
 * The clock of a process: none of its timers outlives it.
 * @param aheadMs how far its machine's clock is ahead of the database's
 */
export function clockOf(process: SimulatedProcess, time: VirtualTime, aheadMs = 0): Clock {
  return {
    now: () => time.now() + aheadMs,
    after: (delayMs, run): Timer => {
      let isCancelled = false;
      const due = (): void => void (process.dead || isCancelled || run());
      const timer = time.after(delayMs, () => process.run(due));
      return {
        cancel() {
          isCancelled = true;
          timer.cancel();
        },
      };
    },
  };
}

/** The log of a process, of which only the errors matter here, as far as they are not `excused`. */
export function loggerOf(
  process: Process,
  complained: (what: string) => void,
  excused: (error: unknown) => boolean = () => false,
): Logger {
  const quiet = (): void => {};
  return {
    debug: quiet,
    info: quiet,
    warn: quiet,
    error(fields, message) {
      if (!process.dead && !excused(fields.error)) complained(`${message}: ${describeError(fields.error)}`);
    },
  };
}

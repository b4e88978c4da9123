/** Processes that work for the service: all that run, and one that is kept for the next piece of work. */
import type { Clock, Timer } from '../clock.ts';

/** A process as those that keep it see it. `end` ends it with whatever it is doing. */
export interface Endable {
  isGone(): boolean;
  end(): void;
}

/** The processes that run. After `stop` none is opened. */
export interface ProcessSet<One extends Endable> {
  /** @throws Error after `stop` */
  open(): One;
  close(opened: One | undefined): void;
  isStopped(): boolean;
  stop(): void;
}

export function processSet<One extends Endable>(start: () => One): ProcessSet<One> {
  const running = new Set<One>();
  let isStopped = false;

  function open(): One {
    if (isStopped) throw new Error('the work of other processes was stopped');
    const opened = start();
    running.add(opened);
    return opened;
  }

  function close(opened: One | undefined): void {
    if (opened === undefined) return;
    running.delete(opened);
    opened.end();
  }

  return {
    open,
    close,
    isStopped: (): boolean => isStopped,
    stop(): void {
      isStopped = true;
      for (const one of running) close(one);
    },
  };
}

/** A process that is kept for the next piece of work. */
export interface KeptProcess<One extends Endable> {
  /** Works with the process, and starts one if none runs. */
  use<Result>(work: (one: One) => Promise<Result>): Promise<Result>;
  /** Ends the process, and starts another one for the next piece of work. */
  replace(): void;
  stop(): void;
}

/** @param idleMs the time for which the process is kept after its last work */
export function keptProcess<One extends Endable>(
  clock: Clock,
  processes: ProcessSet<One>,
  idleMs: number,
): KeptProcess<One> {
  let kept: One | undefined;
  let users = 0;
  let idle: Timer | undefined;

  function opened(): One {
    if (kept === undefined || kept.isGone()) {
      processes.close(kept);
      kept = processes.open();
    }
    return kept;
  }

  function endWhenIdle(): void {
    idle?.cancel();
    if (users > 0 || kept === undefined || processes.isStopped()) return;
    idle = clock.after(idleMs, () => {
      processes.close(kept);
      kept = undefined;
    });
  }

  return {
    async use(work) {
      const one = opened();
      idle?.cancel();
      users++;
      try {
        return await work(one);
      } finally {
        users--;
        endWhenIdle();
      }
    },
    replace() {
      processes.close(kept);
      kept = undefined;
      if (processes.isStopped()) return;
      opened();
      endWhenIdle();
    },
    stop: () => idle?.cancel(),
  };
}

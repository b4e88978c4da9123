/** Processes that decode images: all that run, and one that is kept for the next image. */
import type { Clock, Timer } from '../../../runtime/clock.ts';
import type { ImageProcess } from './one-process.ts';

/** The time for which a process is kept for the next image. */
const idleMs = 20_000;

/** The processes that run. After `stop` none is opened. */
export interface ProcessSet {
  open(): ImageProcess;
  close(opened: ImageProcess | undefined): void;
  isStopped(): boolean;
  stop(): void;
}

export function processSet(start: () => ImageProcess): ProcessSet {
  const running = new Set<ImageProcess>();
  let isStopped = false;

  function open(): ImageProcess {
    if (isStopped) throw new Error('decoding was stopped');
    const opened = start();
    running.add(opened);
    return opened;
  }

  function close(opened: ImageProcess | undefined): void {
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

/** A process that is kept for the next image. */
export interface KeptProcess {
  /** Works with the process, and starts one if none runs. */
  use<Result>(work: (one: ImageProcess) => Promise<Result>): Promise<Result>;
  /** Ends the process, and starts another one for the next image. */
  replace(): void;
  stop(): void;
}

export function keptProcess(clock: Clock, processes: ProcessSet): KeptProcess {
  let kept: ImageProcess | undefined;
  let users = 0;
  let idle: Timer | undefined;

  function opened(): ImageProcess {
    if (kept === undefined || kept.isGone()) {
      processes.close(kept);
      kept = processes.open();
    }
    return kept;
  }

  function endWhenIdle(): void {
    idle?.cancel();
    if (users > 0 || kept === undefined) return;
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

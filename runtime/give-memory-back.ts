/**
 * Gives the memory of a load back when there is little to do: the engine keeps memory that it once had for the next
 * load.
 */
import type { Clock, Timer } from './clock.ts';
import { collectEverything } from './collect-garbage.ts';

const lookEveryMs = 15_000;
/** The share of a processor up to which the process has little to do. */
const idleShare = 0.05;
/** Less than that is not worth the pause. */
const worthBytes = 12 * 1024 * 1024;

/** The resources that the process has used and holds. */
export interface ProcessUse {
  /** Processor time since its start, in milliseconds. */
  readonly processorMs: number;
  readonly residentBytes: number;
}

function useOfProcess(): ProcessUse {
  const { user, system } = process.cpuUsage();
  return { processorMs: (user + system) / 1000, residentBytes: process.memoryUsage.rss() };
}

/**
 * Looks from time to time whether the process holds more than after the last collection, and has little to do: then it
 * collects everything, which holds it up for some 0.05 s. A process that holds no more than before is left alone.
 * @returns a function that stops it
 */
export function giveMemoryBack(clock: Clock, collect = collectEverything, use = useOfProcess): () => void {
  let timer: Timer;
  let before = use();
  let lookedAt = clock.now();
  let heldBytes = 0;

  function look(): void {
    const [now, present] = [clock.now(), use()];
    const isIdle = present.processorMs - before.processorMs < idleShare * (now - lookedAt);
    if (isIdle && present.residentBytes > heldBytes + worthBytes) {
      collect();
      heldBytes = use().residentBytes;
    }
    [before, lookedAt] = [use(), now];
    timer = clock.after(lookEveryMs, look);
  }
  timer = clock.after(lookEveryMs, look);
  return () => timer.cancel();
}

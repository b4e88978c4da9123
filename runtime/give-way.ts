/** Puts processes that work for strangers behind the one that answers. */
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Half of an ordinary process's share: with less, pictures would starve where other programs are busy, too. */
const back = 3;

/**
 * Leaves a process that leads its own session (`detached`), and all that it starts from now on, only the processor time
 * that the service does not need. Linux may weigh whole sessions before processes (`autogroup`), so both are put back.
 */
export function giveWay(pid: number | undefined): void {
  if (pid === undefined) return; // It did not start, which its error says.
  attempt(() => setPriority(pid, back));
  attempt(() => writeFileSync(`/proc/${pid}/autogroup`, String(back)));
}

function attempt(put: () => void): void {
  try {
    put();
  } catch {
    // It has ended, or the system has no such thing.
  }
}

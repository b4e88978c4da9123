/** A group of processes that may take so much memory together, for tests of small machines. */
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const mounted = '/sys/fs/cgroup';

/** A group (cgroup v2). */
export interface MemoryGroup {
  /** Stands before a command, which then runs in the group with all that it starts. */
  readonly before: readonly string[];
  /** The processes that the kernel ended because the group was full. */
  ended(): number;
  /** The most bytes that it held, files that the kernel remembers included. */
  peakBytes(): number;
  /** Takes it away, when nothing runs in it. */
  remove(): void;
}

/** Makes a group below this process's own; undefined where that cannot be done. */
export function limitMemory(bytes: number): MemoryGroup | undefined {
  let group: string | undefined;
  try {
    const own = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
    if (own === undefined) return undefined;
    const parent = join(mounted, own);
    // Only a group whose parent hands the controller on has the file of its limit.
    if (!readFileSync(join(parent, 'cgroup.subtree_control'), 'utf8').split(/\s/).includes('memory')) return undefined;
    group = join(parent, `papergate-${process.pid}`);
    mkdirSync(group);
    writeFileSync(join(group, 'memory.max'), String(bytes));
    const made = group;
    return {
      before: ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', made],
      ended: () => Number(/^oom_kill (\d+)/m.exec(readFileSync(join(made, 'memory.events'), 'utf8'))?.[1]),
      peakBytes: () => Number(readFileSync(join(made, 'memory.peak'), 'utf8')),
      remove: () => rmdirSync(made),
    };
  } catch {
    if (group !== undefined) removeQuietly(group);
    return undefined;
  }
}

function removeQuietly(group: string): void {
  try {
    rmdirSync(group);
  } catch {
    // It was not made.
  }
}

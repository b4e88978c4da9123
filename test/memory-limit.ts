/** A group of processes with a common limit on memory, for tests of small machines. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const mounted = '/sys/fs/cgroup';

/** A group of the kernel (cgroup v2, or v1 where that has the memory). */
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

/** How one version of the kernel's groups calls what is needed here. */
interface GroupFiles {
  /** The folder below which a group is made; undefined where this version does not have the memory. */
  parent(): string | undefined;
  readonly limit: string;
  readonly events: string;
  readonly peak: string;
}

const versionTwo: GroupFiles = {
  parent() {
    const own = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
    if (own === undefined) return undefined;
    // Only a group whose parent hands the controller on has the file of its limit.
    const handsOn = readFileSync(join(mounted, own, 'cgroup.subtree_control'), 'utf8')
      .split(/\s/)
      .includes('memory');
    return handsOn ? join(mounted, own) : undefined;
  },
  limit: 'memory.max',
  events: 'memory.events',
  peak: 'memory.peak',
};

const versionOne: GroupFiles = {
  parent: () => (existsSync(join(mounted, 'memory/memory.limit_in_bytes')) ? join(mounted, 'memory') : undefined),
  limit: 'memory.limit_in_bytes',
  events: 'memory.oom_control',
  peak: 'memory.max_usage_in_bytes',
};

/** Makes a group; undefined where that cannot be done. */
export function limitMemory(bytes: number): MemoryGroup | undefined {
  for (const files of [versionTwo, versionOne]) {
    const group = makeGroup(files, bytes);
    if (group !== undefined) return group;
  }
  return undefined;
}

function makeGroup({ parent, limit, events, peak }: GroupFiles, bytes: number): MemoryGroup | undefined {
  let group: string | undefined;
  try {
    const above = parent();
    if (above === undefined) return undefined;
    const made = join(above, `papergate-${process.pid}`);
    mkdirSync(made);
    group = made;
    writeFileSync(join(made, limit), String(bytes));
    return {
      before: ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', made],
      ended: () => Number(/^oom_kill (\d+)/m.exec(readFileSync(join(made, events), 'utf8'))?.[1]),
      peakBytes: () => Number(readFileSync(join(made, peak), 'utf8')),
      remove: () => rmdirSync(made),
    };
  } catch {
    if (group !== undefined) rmdirSync(group);
    return undefined;
  }
}

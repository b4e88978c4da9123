/** Memory of the service and of its browser, read from `/proc` ten times a second. */
import { readdirSync, readFileSync } from 'node:fs';

const everyMs = 100;

/** MB at a moment. The service: its processes' proportional set sizes. The browser: what its processes hold for themselves. */
export interface MemorySample {
  readonly at: number;
  readonly service: number;
  readonly browser: number;
}

/** Samples, until it is stopped. */
export interface MemoryWatch {
  readonly samples: readonly MemorySample[];
  stop(): void;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly isBrowser: boolean;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // It has ended.
  }
}

function processes(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const [, command, parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(read(`/proc/${name}/stat`)) ?? [];
      if (command === undefined) return [];
      return [{ pid: Number(name), parent: Number(parent), isBrowser: /^(chrom|headless)/.test(command) }];
    });
}

/** The sum of some lines of a process's file, in MB. */
function megabytes(pid: number, file: string, lines: RegExp): number {
  const all = [...read(`/proc/${pid}/${file}`).matchAll(lines)].map((match) => Number(match[1]));
  return all.reduce((sum, kilobytes) => sum + kilobytes, 0) / 1024;
}

/** The process and all that it started. */
function familyOf(pid: number): Process[] {
  const all = processes();
  const known = new Set([pid]);
  for (let before = 0; before !== known.size; ) {
    before = known.size;
    for (const { pid: child, parent } of all) if (known.has(parent)) known.add(child);
  }
  return all.filter((process) => known.has(process.pid));
}

/** MB of all processes of a service but its browser's: with shared memory counted twice, or once. */
export interface HeldMemory {
  readonly resident: number;
  readonly proportional: number;
  /** The resident part of the process itself, and that of the processes that it started. */
  readonly main: number;
  readonly others: number;
}

/** Returns the memory that a service holds, without its browser. */
export function heldByParts(pid: number): HeldMemory {
  const sums = { resident: 0, proportional: 0, main: 0, others: 0 };
  for (const { pid: member } of familyOf(pid).filter(({ isBrowser }) => !isBrowser)) {
    const resident = megabytes(member, 'smaps_rollup', /^Rss:\s+(\d+) kB$/gm);
    sums.resident += resident;
    sums.proportional += megabytes(member, 'smaps_rollup', /^Pss:\s+(\d+) kB$/gm);
    sums[member === pid ? 'main' : 'others'] += resident;
  }
  return sums;
}

/** The process and all that it started: the service's own part, and its browser's. */
export function memoryOf(pid: number): Omit<MemorySample, 'at'> {
  const sums = { service: 0, browser: 0 };
  for (const { pid: member, isBrowser } of familyOf(pid)) {
    if (isBrowser) sums.browser += megabytes(member, 'status', /^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm);
    else sums.service += megabytes(member, 'smaps_rollup', /^Pss:\s+(\d+) kB$/gm);
  }
  return sums;
}

/** Watches a process; `seen` hears of each sample. */
export function watchMemory(pid: number, seen: (sample: MemorySample) => void): MemoryWatch {
  const samples: MemorySample[] = [];
  const timer = setInterval(() => {
    const sample = { at: performance.now(), ...memoryOf(pid) };
    samples.push(sample);
    seen(sample);
  }, everyMs);
  return { samples, stop: () => clearInterval(timer) };
}

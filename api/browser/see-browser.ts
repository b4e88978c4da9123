/**
 * Sees from outside what a browser holds: the browser itself is never asked, since a page can keep it from answering.
 * Its script heaps are bounded by a flag; buffers, images and canvases are not, so each process's own pages are looked
 * at, and a page that holds too much loses its process alone.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** One process of a browser. */
export interface SeenProcess {
  readonly pid: number;
  /** The type: `renderer` for a process that runs pages; the browser's own main process has none. */
  readonly type: string | undefined;
  /**
   * The MB that are in no file. Memory that processes share counts for each of them: rather too much than too little.
   */
  readonly mb: number;
  /** The processor time that it has used, in the system's own ticks. */
  readonly ticks: number;
}

/** The memory and work of the main process, at a moment or between two. */
export interface MainShare {
  readonly mb: number;
  readonly ticks: number;
}

/** The bounds of memory, in MB. */
export interface MemoryBounds {
  /** The bound of one process besides the main one; beyond it the process ends. */
  readonly page: number;
  /** The bound of everything together; beyond it the browser ends. */
  readonly browser: number;
}

/** The processes that have to end, or the whole browser. */
export interface Overweight {
  /** The processes that end. */
  readonly pids: readonly number[];
  /** Whether one of them is not a page but works for pages, as the one for graphics does. */
  readonly isHelper: boolean;
  readonly isBrowser: boolean;
}

/** Messages of a page that the browser has not handled yet are held by the browser's own process. */
const grownMb = 64;
/** Half of it is enough where the browser has worked for 0.4 s meanwhile. */
const grownWithWorkMb = 32;
const workedTicks = 40;
/** The share of the browser's bound from which on the largest page ends, before the browser has to. */
const nearBound = 0.8;
/** The work of a page in all, below which it does nothing but wait. */
const fewTicks = 5;

/** Judges the memory that a browser holds. */
export function overweight(held: readonly SeenProcess[], bounds: MemoryBounds): Overweight {
  const total = held.reduce((sum, { mb }) => sum + mb, 0);
  const large = held.filter(({ type, mb }) => type !== undefined && mb > bounds.page);
  const pids = large.map(({ pid }) => pid);
  const isHelper = large.some(({ type }) => type !== 'renderer');
  if (total > bounds.browser) return { pids, isHelper, isBrowser: true };
  const [largest] = held.filter(({ type }) => type === 'renderer').sort((one, other) => other.mb - one.mb);
  const isNear = total > nearBound * bounds.browser && pids.length === 0;
  return { pids: isNear && largest !== undefined ? [largest.pid] : pids, isHelper, isBrowser: false };
}

/** Returns the MB of the browser without its pages, which grow with age and are gone with the next browser. */
export function keptMb(held: readonly SeenProcess[]): number {
  return held.reduce((sum, { type, mb }) => (type === 'renderer' ? sum : sum + mb), 0);
}

/** Returns what the browser's own main process holds, and the work that it has done. */
export function mainProcess(seen: readonly SeenProcess[]): MainShare {
  const main = seen.filter(({ type }) => type === undefined);
  const sum = (what: 'mb' | 'ticks'): number => main.reduce((all, each) => all + each[what], 0);
  return { mb: sum('mb'), ticks: sum('ticks') };
}

/**
 * Returns whether a main process has grown because of work that pages gave it. Data that it only keeps for them, such
 * as pictures in blobs, costs it little work: growth together with work is the sign of many small objects.
 */
export function isFlooded({ mb, ticks }: MainShare): boolean {
  return mb > grownMb || (mb > grownWithWorkMb && ticks > workedTicks);
}

/**
 * Finds the page that worked most over some looks. The work that it left to the browser goes on when it has ended: no
 * other page is to blame for that.
 * @returns undefined when it has ended, or all of them waited
 */
export function busiestPage(looks: readonly (readonly SeenProcess[])[]): SeenProcess | undefined {
  const first = new Map<number, number>();
  const last = new Map<number, SeenProcess>();
  for (const seen of looks.flat()) {
    if (seen.type !== 'renderer') continue;
    if (!first.has(seen.pid)) first.set(seen.pid, seen.ticks);
    last.set(seen.pid, seen);
  }
  const worked = ({ pid, ticks }: SeenProcess): number => ticks - (first.get(pid) ?? 0);
  const [busiest] = [...last.values()].sort((one, other) => worked(other) - worked(one));
  if (busiest === undefined || worked(busiest) < fewTicks) return undefined;
  return looks.at(-1)?.includes(busiest) ? busiest : undefined;
}

/**
 * Finds the page that gave most to the process for graphics: they share the memory through which it passes. A page waits
 * while its graphics are made, so that its own work and memory do not show it.
 */
export function pageOfGraphics(seen: readonly SeenProcess[]): number | undefined {
  const pages = seen.filter(({ type }) => type === 'renderer');
  const [filling] = pages
    .map(({ pid }) => ({ pid, shared: sharedBytes(read(`${pid}`, 'maps')) }))
    .sort((one, other) => other.shared - one.shared);
  return filling?.pid;
}

/** Returns the memory that a process shares with others and may write, by its `/proc/pid/maps`. */
export function sharedBytes(maps: string): number {
  const regions = maps.matchAll(/^([\da-f]+)-([\da-f]+) rw-s /gm);
  return [...regions].reduce((sum, [, from, to]) => sum + Number(`0x${to}`) - Number(`0x${from}`), 0);
}

/**
 * Makes a function that looks at a process group. Files of `/proc` are in memory, and reading them must not wait behind
 * other files that this process reads; where the system has none, nothing is seen.
 */
export function processesOfGroup(group: number): () => SeenProcess[] {
  let known = new Map<string, boolean>();
  return () => {
    const seen = new Map<string, boolean>();
    for (const name of namesOfProcesses()) seen.set(name, known.get(name) ?? isOfGroup(name, group));
    known = seen;
    return [...seen].flatMap(([name, isOurs]) => (isOurs ? lookAt(name) : []));
  };
}

function namesOfProcesses(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function isOfGroup(name: string, group: number): boolean {
  return Number(statOf(name)[2]) === group;
}

/**
 * Returns the fields of `/proc/pid/stat` after the command's name, which may hold anything: state, parent, group and so
 * on.
 */
function statOf(name: string): string[] {
  const stat = read(name, 'stat');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function lookAt(name: string): SeenProcess[] {
  const kilobytes = [...read(name, 'status').matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)];
  if (kilobytes.length === 0) return []; // It ended.
  const type = /--type=([\w-]+)/.exec(read(name, 'cmdline'))?.[1];
  const [user, system] = statOf(name).slice(11, 13);
  const ticks = Number(user) + Number(system);
  return [{ pid: Number(name), type, ticks, mb: kilobytes.reduce((sum, [, part]) => sum + Number(part), 0) / 1024 }];
}

function read(name: string, file: string): string {
  try {
    return readFileSync(`/proc/${name}/${file}`, 'latin1');
  } catch {
    return ''; // It ended.
  }
}

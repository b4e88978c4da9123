/** The processor time of processes, as Linux counts it: of the service, and of everything that works for it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ticksPerSecond = 100;

/** The numbers of a process behind its name; undefined when it has ended. */
function statOf(pid: number | string): readonly string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
  } catch {
    return undefined;
  }
}

const microseconds = (ticks: number): number => (ticks * 1_000_000) / ticksPerSecond;

/** The processor time of a process, in microseconds. */
export function timeOfProcess(pid: number): number {
  const stat = statOf(pid) ?? [];
  return microseconds(Number(stat[11] ?? 0) + Number(stat[12] ?? 0));
}

/** The processor time of a process and of all that it started, those that have ended among them, in microseconds. */
function timeOfFamily(pid: number): number {
  const own = statOf(pid) ?? [];
  const ended = microseconds(Number(own[13] ?? 0) + Number(own[14] ?? 0));
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && statOf(name)?.[1] === String(pid));
  return children.reduce((sum, child) => sum + timeOfProcess(Number(child)), timeOfProcess(pid) + ended);
}

/** The processor time of a PostgreSQL server on this machine with all its connections, in microseconds. */
export function timeOfPostgres(url: string): number {
  const folder = new URL(url).searchParams.get('host') ?? '';
  const [pid = '0'] = readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n');
  return timeOfFamily(Number(pid));
}

/** Several measurements: the middle one, with the least and the greatest. */
export function spreadOf(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const digits = middle < 10 ? 2 : 0;
  const [least = 0, greatest = 0] = [sorted[0], sorted.at(-1)];
  return `${middle.toFixed(digits)} (${least.toFixed(digits)} to ${greatest.toFixed(digits)})`;
}

/** Whether a machine can carry a fleet: files that a process may have open, and memory. */
import { readFile } from 'node:fs/promises';
import { availableMemory } from 'node:process';
import { refuse } from '../../reasons/refusals.ts';

/**
 * A frame has two connections at most, one of which may be left over from its last wake; the process itself needs a few
 * more.
 */
const filesPerFrame = 2;
const filesBeside = 100;
/** The bytes of a frame besides its picture; frames that show the same picture share it. */
const frameBytes = 60_000;
const processBytes = 200_000_000;
/** The picture of a thirteen-inch frame, and of the seven-inch ones that are two thirds of a fleet. */
const pictureBytes = (960_004 + 2 * 192_004) / 3;

export interface MachineLimits {
  /** The files that this process may have open; undefined where the system does not report them. */
  readonly openFiles: number | undefined;
  /** Bytes of memory that are free for it. */
  readonly memory: number;
}

/** Asks the machine. Node has raised the soft limit of open files to the hard one when it started. */
export async function machineLimits(): Promise<MachineLimits> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const openFiles = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return { openFiles: openFiles === undefined ? undefined : Number(openFiles), memory: availableMemory() };
}

/**
 * Refuses a fleet that is larger than the machine.
 * @returns what people should know of one that is only large
 * @throws Refusal `bad-configuration` with the largest fleet that fits
 */
export function requireMachine(frames: number, { openFiles, memory }: MachineLimits): string | undefined {
  const files = frames * filesPerFrame + filesBeside;
  if (openFiles !== undefined && files > openFiles) {
    const fits = Math.max(0, Math.floor((openFiles - filesBeside) / filesPerFrame));
    throw refuse('bad-configuration', {
      message: `${frames} frames need up to ${files} open files, and this process may have ${openFiles}`,
      hint: `raise the limit, here and for the service, with ulimit -n ${files}, or take ${fits} frames`,
    });
  }
  const least = processBytes + frames * frameBytes;
  if (least > memory) {
    const fits = Math.max(0, Math.floor((memory - processBytes) / frameBytes));
    throw refuse('bad-configuration', {
      message: `${frames} frames need ${megabytes(least)} of memory, and ${megabytes(memory)} are free`,
      hint:
        fits === 0 ? 'end something else on this machine first' : `take ${fits} frames, or end something else first`,
    });
  }
  const most = least + frames * pictureBytes;
  if (most <= memory) return undefined;
  return `When each of ${frames} frames shows another picture they take ${megabytes(most)} of memory, and ${megabytes(memory)} are free: let them show the same, or take fewer.`;
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

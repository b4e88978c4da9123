/**
 * Applies one change to many frames: a few calls at a time, at a pace that leaves some of the service's allowance to
 * others.
 */
import { signal } from '@preact/signals';
import type { Problem } from '../../ground/call-api.ts';
import type { FleetDevice } from '../../ground/fleet.ts';
import { asProblem } from '../../ground/resource.ts';

/** A change of each frame. It returns the function that takes it back. */
export type FrameChange = (device: FleetDevice) => Promise<(() => Promise<unknown>) | undefined>;

/** A frame for which it did not work, and why. */
interface FailedFrame {
  readonly device: FleetDevice;
  readonly problem: Problem;
}

/** The progress of a run, and in the end its outcome. */
export interface SeveralRun {
  readonly total: number;
  readonly done: number;
  readonly failed: readonly FailedFrame[];
  readonly state: 'running' | 'waiting' | 'stopped' | 'finished';
  /** Whether it takes back what was done before. */
  readonly isUndo: boolean;
  readonly undo: readonly Undoing[];
}

interface Undoing {
  readonly device: FleetDevice;
  readonly take: () => Promise<unknown>;
}

/** The newest run; undefined before the first, and once it was dismissed. */
export const severalRun = signal<SeveralRun | undefined>(undefined);

const atOnce = 4;
/** An account may make 300 calls a minute; pages of the console that are open meanwhile need a part of them. */
const changesPerMinute = 100;
const minuteMs = 60_000;
/** The number of attempts for one frame when the service asks to wait. */
const maxTries = 4;

let isStopped = false;
/** When the changes of the last minute began. */
let begun: number[] = [];

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits for a place among the changes of this minute. */
async function takePlace(): Promise<void> {
  for (;;) {
    const now = performance.now();
    begun = begun.filter((at) => at > now - minuteMs);
    if (begun.length < changesPerMinute || isStopped) break;
    put({ state: 'waiting' });
    await pause(Math.min(1_000, (begun[0] ?? now) + minuteMs - now + 10));
  }
  begun.push(performance.now());
}

const put = (change: Partial<SeveralRun>): void => {
  const run = severalRun.peek();
  if (run !== undefined) severalRun.value = { ...run, ...change };
};

/** Applies the change, and tries again when the service asks to wait. */
async function patiently<Done>(change: () => Promise<Done>): Promise<Done> {
  for (let tries = 1; ; tries++) {
    try {
      return await change();
    } catch (error) {
      const { status, retryAfterSeconds } = asProblem(error);
      if (status !== 429 || tries === maxTries || isStopped) throw error;
      put({ state: 'waiting' });
      await pause((retryAfterSeconds ?? 10) * 1_000);
    }
  }
}

/** Applies the change to each of the frames, and reports the progress in `severalRun`. */
export async function changeSeveral(
  devices: readonly FleetDevice[],
  change: FrameChange,
  isUndo = false,
): Promise<void> {
  if (['running', 'waiting'].includes(severalRun.peek()?.state ?? '')) return;
  isStopped = false;
  severalRun.value = { total: devices.length, done: 0, failed: [], state: 'running', isUndo, undo: [] };
  const left = [...devices];
  const [failed, undo]: [FailedFrame[], Undoing[]] = [[], []];
  const work = async (): Promise<void> => {
    for (let device = left.shift(); device !== undefined; device = left.shift()) {
      await takePlace();
      if (isStopped) return;
      const one = device;
      try {
        const take = await patiently(() => change(one));
        if (take !== undefined) undo.push({ device: one, take });
        put({ done: (severalRun.peek()?.done ?? 0) + 1, state: 'running' });
      } catch (error) {
        const problem = asProblem(error);
        failed.push({ device: one, problem });
        // Without a session none of the others would work.
        if (problem.status === 401) isStopped = true;
        put({ failed: [...failed], state: 'running' });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  put({ state: isStopped ? 'stopped' : 'finished', undo });
}

/** Starts no further changes; those under way are finished. */
export function stopSeveral(): void {
  isStopped = true;
}

/** Takes back what was done. */
export async function undoSeveral(): Promise<void> {
  const { undo = [] } = severalRun.peek() ?? {};
  const takes = new Map(undo.map(({ device, take }) => [device.id, take]));
  const change: FrameChange = async ({ id }) => {
    await takes.get(id)?.();
    return undefined;
  };
  await changeSeveral(
    undo.map(({ device }) => device),
    change,
    true,
  );
}

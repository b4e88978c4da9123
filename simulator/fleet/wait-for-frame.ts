/** Waiting until a frame meets a condition, as tests of integrations and of firmware do. */
import { keepProcess, systemClock } from '../../runtime/clock.ts';
import type { AnyFrame } from '../dialects/any-frame.ts';

/** The wait when no other is given. */
const defaultWaitMs = 60_000;

interface Waiter {
  readonly isSo: (frame: AnyFrame) => boolean;
  readonly met: (frame: AnyFrame) => void;
}

/** Returns the waits for one frame, by the machine's clock; the frame's owner calls `changed` at each change of it. */
export function frameWaiting(present: () => AnyFrame) {
  const waiters = new Set<Waiter>();
  return {
    changed(frame: AnyFrame): void {
      for (const waiter of waiters) if (waiter.isSo(frame)) waiter.met(frame);
    },
    until(what: string, isSo: Waiter['isSo'], timeoutMs = defaultWaitMs): Promise<AnyFrame> {
      if (isSo(present())) return Promise.resolve(present());
      return new Promise((resolve, reject) => {
        const end = (): void => {
          waiters.delete(waiter);
          timer.cancel();
          mayEnd();
        };
        const waiter: Waiter = {
          isSo,
          met(frame) {
            end();
            resolve(frame);
          },
        };
        const mayEnd = keepProcess();
        const timer = systemClock.after(timeoutMs, () => {
          end();
          reject(new Error(missed(present(), what, timeoutMs)));
        });
        waiters.add(waiter);
      });
    },
  };
}

function missed({ serial, asleep, glass, boots, fileVersion }: AnyFrame, what: string, timeoutMs: number): string {
  const shows =
    glass.shows === 'picture' ? `the picture ${glass.sha256}` : glass.shows === 'screen' ? glass.screen : 'nothing';
  const doing = asleep ? 'it is asleep' : 'it is awake';
  return `${serial} ${what}: not within ${timeoutMs / 1000} s; ${doing}, started ${boots} times, stored version ${fileVersion}, and shows ${shows}`;
}

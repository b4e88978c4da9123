/**
 * The receiver of the integration's callbacks: it is slow, fails, or loses its acknowledgement, and keeps every
 * callback that arrived.
 */
import { setMaxListeners } from 'node:events';
import type { Attempt, Callback } from '../../api/callbacks/send-callback.ts';
import { requestTimeoutMs } from '../../api/outgoing/request-once.ts';
import type { Chance } from './chance.ts';
import type { Process } from './disk.ts';
import type { FaultRates } from './fault-rates.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A callback that arrived. */
export interface Heard {
  readonly at: number;
  readonly eventId: string;
  readonly body: string;
  readonly token: string;
  readonly acknowledged: boolean;
}

/** The receiver of all callbacks. */
export interface Receiver {
  readonly heard: readonly Heard[];
  /** Carries out an attempt of a process. `started` is called before anything is on the wire. */
  send(process: Process, callback: Callback): Promise<Attempt>;
}

/** Opens the receiver. */
export function openReceiver(deps: {
  readonly time: VirtualTime;
  readonly chance: Chance;
  readonly currentFaults: () => FaultRates;
  readonly started: (callback: Callback, eventId: string) => void;
  readonly note: (what: string) => void;
}): Receiver {
  const { time, chance } = deps;
  const heard: Heard[] = [];
  return {
    heard,
    send(process, callback) {
      const { body, callbackToken: token, signal } = callback;
      const { eventId, state } = JSON.parse(body);
      deps.started(callback, eventId);
      const currentFaults = deps.currentFaults();
      const fails = chance.hits(currentFaults.callbackFails);
      const isDeaf = fails && chance.hits(0.5);
      const isLost = chance.hits(currentFaults.callbackAnswerLost);
      const hangs = chance.hits(currentFaults.callbackHangs);
      const tookMs = chance.whole(5, 2000);
      if (!isDeaf) {
        time.after(Math.floor(tookMs / 2), () => {
          heard.push({ at: time.now(), eventId, body, token, acknowledged: !fails && !isLost && !hangs });
          deps.note(`callback ${eventId} ${state} heard`);
        });
      }
      return new Promise((resolve) => {
        const end = (attempt: Attempt): void => {
          signal.removeEventListener('abort', stop);
          if (!process.dead) resolve(attempt);
        };
        const timer = time.after(hangs ? requestTimeoutMs : tookMs, () => {
          if (hangs) end({ delivered: false, problem: 'no answer within 15 s' });
          else if (isDeaf || isLost) end({ delivered: false, problem: 'network: ECONNRESET' });
          else if (fails) end({ delivered: false, problem: 'status 500' });
          else end({ delivered: true });
        });
        const stop = (): void => {
          timer.cancel();
          end({ delivered: false, problem: 'the service stops' });
        };
        // The outbox has dozens of attempts under way at once, all with this signal.
        setMaxListeners(0, signal);
        signal.addEventListener('abort', stop);
      });
    },
  };
}

/** The integration's webhook: slow, failing, or hearing what it never acknowledges; it keeps what it was sent. */
import { setMaxListeners } from 'node:events';
import { requestTimeoutMs } from '../callbacks/request-once.ts';
import type { Attempt, Callback } from '../callbacks/send-callback.ts';
import type { Chance } from './chance.ts';
import type { Climate } from './climate.ts';
import type { Process } from './disk.ts';
import type { VirtualTime } from './virtual-time.ts';

/** One callback as it arrived. */
export interface Heard {
  readonly at: number;
  readonly eventId: string;
  readonly body: string;
  readonly token: string;
  readonly acknowledged: boolean;
}

export interface Receiver {
  readonly heard: readonly Heard[];
  /** An attempt of a process. `started` looks on before anything is on the wire. */
  send(process: Process, callback: Callback): Promise<Attempt>;
}

/** Opens the receiver. */
export function openReceiver(edges: {
  readonly time: VirtualTime;
  readonly chance: Chance;
  readonly weather: () => Climate;
  readonly started: (callback: Callback, eventId: string) => void;
  readonly note: (what: string) => void;
}): Receiver {
  const { time, chance } = edges;
  const heard: Heard[] = [];
  return {
    heard,
    send(process, callback) {
      const { body, callbackToken: token, signal } = callback;
      const { eventId, state } = JSON.parse(body);
      edges.started(callback, eventId);
      const weather = edges.weather();
      const fails = chance.hits(weather.callbackFails);
      const isDeaf = fails && chance.hits(0.5);
      const isLost = chance.hits(weather.callbackAnswerLost);
      const hangs = chance.hits(weather.callbackHangs);
      const tookMs = chance.whole(5, 2000);
      if (!isDeaf) {
        time.after(Math.floor(tookMs / 2), () => {
          heard.push({ at: time.now(), eventId, body, token, acknowledged: !fails && !isLost && !hangs });
          edges.note(`callback ${eventId} ${state} heard`);
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
        // The outbox has dozens under way at once.
        setMaxListeners(0, signal);
        signal.addEventListener('abort', stop);
      });
    },
  };
}

/**
 * The receiver of the integration's callbacks: it is slow, fails, or loses its acknowledgement, and keeps every
 * callback that arrived.
 */

import { setMaxListeners } from 'node:events';
import type { Attempt, Callback } from '../../../api/callbacks/send-callback.ts';
import { requestTimeoutMs } from '../../../api/outgoing/request-once.ts';
import { reasonOf } from '../../../reasons/reason.ts';
import type { Chance } from './chance.ts';
import type { FaultRates } from './fault-rates.ts';
import { type SimulatedProcess, whileAlive } from './process.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface ArrivedCallback {
  readonly at: number;
  readonly eventId: string;
  readonly body: string;
  readonly token: string;
  readonly acknowledged: boolean;
}

/** The receiver of all callbacks. */
export interface Receiver {
  readonly heard: readonly ArrivedCallback[];
  /** Carries out an attempt of a process. `started` is called before anything is on the wire. */
  send(process: SimulatedProcess, callback: Callback): Promise<Attempt>;
}

export interface ReceiverDeps {
  readonly time: VirtualTime;
  readonly chance: Chance;
  readonly currentFaults: () => FaultRates;
  /** Is called before anything is on the wire, with the moment at which the sender began to ask if it may begin. */
  readonly started: (eventId: string, process: SimulatedProcess, askedAt: number) => void;
  /** Is called when the sender knows how the attempt ended. */
  readonly ended: (eventId: string, process: SimulatedProcess) => void;
  readonly note: (what: string) => void;
  /** True when connecting takes its time, after which the sender asks if it may still begin. */
  readonly connectsSlowly: boolean;
}

/** The longest time that connecting takes. */
const maxConnectMs = 400;

/** Opens the receiver. */
export function openReceiver(deps: ReceiverDeps): Receiver {
  const heard: ArrivedCallback[] = [];
  return {
    heard,
    async send(process, callback) {
      if (deps.connectsSlowly) await connected(deps, process);
      const askedAt = deps.time.now();
      if (deps.connectsSlowly && !(await callback.mayBegin())) {
        return { delivered: false, problem: reasonOf('not-to-be-sent') };
      }
      deps.started(JSON.parse(callback.body).eventId, process, askedAt);
      return sendBytes(deps, heard, process, callback);
    },
  };
}

/** Waits until a connection is open. */
function connected({ time, chance }: ReceiverDeps, process: SimulatedProcess): Promise<void> {
  const opened = new Promise<void>((resolve) => time.after(chance.whole(1, maxConnectMs), resolve));
  return whileAlive(process, opened);
}

function sendBytes(
  deps: ReceiverDeps,
  heard: ArrivedCallback[],
  process: SimulatedProcess,
  { body, callbackToken: token, signal }: Callback,
): Promise<Attempt> {
  const { time, chance } = deps;
  const { eventId, state } = JSON.parse(body);
  const currentFaults = deps.currentFaults();
  const fails = chance.happens(currentFaults.callbackFails, 'callback fails');
  const isDeaf = fails && chance.hits(0.5);
  const isLost = chance.happens(currentFaults.callbackAnswerLost, 'answer of a callback is lost');
  const hangs = chance.happens(currentFaults.callbackHangs, 'callback hangs');
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
      process.run(() => {
        deps.ended(eventId, process);
        if (!process.dead) resolve(attempt);
      });
    };
    const timer = time.after(hangs ? requestTimeoutMs : tookMs, () => {
      if (hangs) end({ delivered: false, problem: reasonOf('answer-late', { seconds: requestTimeoutMs / 1000 }) });
      else if (isDeaf || isLost) end({ delivered: false, problem: reasonOf('network-error', { error: 'ECONNRESET' }) });
      else if (fails) end({ delivered: false, problem: reasonOf('answer-status', { status: 500 }) });
      else end({ delivered: true });
    });
    const stop = (): void => {
      timer.cancel();
      end({ delivered: false, problem: reasonOf('service-stopping') });
    };
    // The outbox has dozens of attempts under way at once, all with this signal.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', stop);
  });
}

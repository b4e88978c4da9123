/** One attempt to deliver one callback. */
import type { Clock } from '../../gateway/runtime/clock.ts';
import { type Network, type Outcome, requestOnce } from './request-once.ts';

/** A callback as it is sent: the stored body, to the connection's callback URL, with its callback token. */
export interface Callback {
  readonly url: string;
  readonly callbackToken: string;
  readonly body: string;
  /** Whether the connection's own origin may be an explicit loopback host. */
  readonly allowLoopback: boolean;
  readonly signal: AbortSignal;
  /** Asked when the socket is connected: whether the connection still is in force (INV-53). */
  readonly mayBegin: () => Promise<boolean>;
}

/** Delivered, or why not, in words that may be stored. */
export type Attempt = { readonly delivered: true } | { readonly delivered: false; readonly problem: string };

/** Sends it once. Only a 2xx status line counts, and the body of the answer is never read (INV-63). */
export async function sendCallback(edges: { network: Network; clock: Clock }, callback: Callback): Promise<Attempt> {
  const outcome: Outcome = await requestOnce(edges, {
    url: callback.url,
    method: 'POST',
    headers: {
      authorization: `Bearer ${callback.callbackToken}`,
      'content-type': 'application/json',
      'user-agent': 'papergate',
    },
    body: callback.body,
    allowLoopback: callback.allowLoopback,
    readLimitBytes: 0,
    signal: callback.signal,
    mayBegin: callback.mayBegin,
  });
  if (outcome.kind === 'problem') return { delivered: false, problem: outcome.problem };
  if (outcome.status >= 200 && outcome.status < 300) return { delivered: true };
  return { delivered: false, problem: `status ${outcome.status}` };
}

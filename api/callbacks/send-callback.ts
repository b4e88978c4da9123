/** Makes one attempt to deliver one callback. */

import { type Reason, reasonOf } from '../../reasons/reason.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import { type RequestOutcome, requestOnce } from '../outgoing/request-once.ts';
import type { WayOut } from '../outgoing/way-out.ts';

/** A callback as it is sent: the stored body, to the connection's callback URL, with its callback token. */
export interface Callback {
  /** The connection's organization, then the connection: they share the way out fairly. */
  readonly sharer: Sharer;
  readonly url: string;
  readonly callbackToken: string;
  readonly body: string;
  /** The connection's own origin may be an explicit loopback host. */
  readonly allowLoopback: boolean;
  /** The receiver may listen on another port than 443, which is allowed outside production. */
  readonly anyPort: boolean;
  readonly signal: AbortSignal;
  /** Asks, when the socket is connected, whether the connection may still act (INV-53). */
  readonly mayBegin: () => Promise<boolean>;
}

/** The result of an attempt. `problem` may be stored. */
export type Attempt = { readonly status?: number } & (
  | { readonly delivered: true }
  | { readonly delivered: false; readonly problem: Reason }
);

/** Sends the callback once. Only a 2xx status line counts, and the body of the answer is never read (INV-63). */
export async function sendCallback(wayOut: WayOut, callback: Callback): Promise<Attempt> {
  const outcome: RequestOutcome = await requestOnce(wayOut, {
    sharer: callback.sharer,
    url: callback.url,
    method: 'POST',
    headers: {
      authorization: `Bearer ${callback.callbackToken}`,
      'content-type': 'application/json',
    },
    body: callback.body,
    allowLoopback: callback.allowLoopback,
    anyPort: callback.anyPort,
    readLimitBytes: 0,
    signal: callback.signal,
    mayBegin: callback.mayBegin,
  });
  if (outcome.kind === 'problem') return { delivered: false, problem: outcome.problem };
  const { status } = outcome;
  if (status >= 200 && status < 300) return { delivered: true, status };
  return { delivered: false, status, problem: reasonOf('answer-status', { status }) };
}

/** Notices that a caller went away: work for the answer alone need not go on. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The reason for the end of a call whose caller has left; nobody receives it. */
export class CallerLeft extends Error {
  constructor() {
    super('the caller left');
    this.name = 'CallerLeft';
  }
}

/**
 * Returns a signal that aborts, with a `CallerLeft`, when the connection closes before the answer was sent; it is aborted
 * already when that has happened.
 */
export function callerSignal(request: IncomingMessage, response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const { socket } = request;
  const left = (): void => controller.abort(new CallerLeft());
  if (socket.destroyed && !response.closed) left();
  // The socket is asked, not the answer: answers to pipelined requests are not notified.
  socket.setMaxListeners(0).once('close', left);
  response.once('close', () => socket.off('close', left));
  return controller.signal;
}

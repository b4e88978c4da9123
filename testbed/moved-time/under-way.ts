/** Work under way in this process that takes the machine's own time, so that moved time has to wait for it. */
import diagnostics from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';

/** The path at which time is moved. */
export const controlPath = '/time';

/** A request that was given up may never report its end: after this time it counts as over. */
const maxAskedMs = 60_000;

/** Counts what is under way, until `stop`. */
export interface UnderWay {
  isBusy(): boolean;
  /** Counts a piece of work. */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
  stop(): void;
}

/** A stream of changes stays open as long as its page, and a request to move time waits for time itself. */
const waitsForTime = ({ url = '' }: IncomingMessage): boolean =>
  url === controlPath || (url.split('?', 1)[0]?.endsWith('/changes/stream') ?? false);

/** Begins to count: requests that this process answers, those that it makes, and work that is handed in. */
export function countUnderWay(): UnderWay {
  let works = 0;
  /** Requests that were made, with the time. */
  const asked = new Map<unknown, number>();
  const answered = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (waitsForTime(request) || response.closed) return;
    works++;
    // The way in which the connection of a last answer ends shows whether a frame took its picture: no leap may cut the
    // wait for a reset short.
    const { socket } = request;
    response.once('close', () => {
      // Node exposes this nowhere else; test/runtime/private-parts.test.ts guards it.
      const isLast = Reflect.get(response, '_last') === true;
      if (!isLast || socket.destroyed) works--;
      else socket.once('close', () => works--);
    });
  };
  const begun = (message: unknown): void => {
    asked.set((message as { request: unknown }).request, performance.now());
  };
  const ended = (message: unknown): void => {
    asked.delete((message as { request: unknown }).request);
  };
  const channels = [
    ['http.server.request.start', answered],
    ['undici:request:create', begun],
    ['undici:request:trailers', ended],
    ['undici:request:error', ended],
  ] as const;
  const { subscribe: hear, unsubscribe: ignore } = diagnostics;
  for (const [name, heard] of channels) hear(name, heard);
  return {
    isBusy() {
      for (const [request, at] of asked) if (performance.now() - at > maxAskedMs) asked.delete(request);
      return works > 0 || asked.size > 0;
    },
    async during(work) {
      works++;
      try {
        return await work();
      } finally {
        works--;
      }
    },
    stop() {
      for (const [name, heard] of channels) ignore(name, heard);
    },
  };
}

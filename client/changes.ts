/** The stream of what changes, opened again whenever it ends. */
import type { Calls } from './contract.ts';
import { streamMessages } from './event-stream.ts';
import { mayPass, PapergateError, pauseFor, type ServiceAddress, send } from './send.ts';

/**
 * An event of the stream; `event` determines the shape of `data`: `ready`, `change`, `record`, `area`, `many` or
 * `lost`.
 */
export interface StreamedChange {
  readonly event: string;
  readonly data: Calls['GET /changes/stream']['answer'];
}

const firstPauseMs = 1_000;
const maxPauseMs = 30_000;

/**
 * Reports changes as they happen, until the signal is aborted. After a break it goes on where it was; what was missed is
 * reported as `lost`.
 * @throws PapergateError when the service refuses it for good
 */
export async function* streamChanges(address: ServiceAddress, signal: AbortSignal): AsyncGenerator<StreamedChange> {
  let last: string | undefined;
  let pauseMs = firstPauseMs;
  while (!signal.aborted) {
    try {
      const headers = { accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': last }) };
      const answer = await send(address, { method: 'GET', path: '/changes/stream', headers, signal });
      pauseMs = firstPauseMs;
      for await (const { event, data, id } of streamMessages(answer)) {
        last = id ?? last;
        if (data !== '') yield { event, data: JSON.parse(data) };
      }
    } catch (error) {
      if (!signal.aborted && error instanceof PapergateError && !mayPass(error)) throw error;
    }
    await pauseFor(pauseMs, signal).catch(() => {});
    pauseMs = Math.min(maxPauseMs, pauseMs * 2);
  }
}

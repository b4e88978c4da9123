/** Follows the service's own stream of changes, and reports which devices are to be read again. */
import type { Timer } from '../../runtime/clock.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { inBackground } from '../../runtime/in-background.ts';
import type { Principal } from '../access/principal.ts';
import type { ChangesHub } from '../changes/changes-hub.ts';
import type { EventStream } from '../http/event-stream.ts';

const againMs = 5_000;

export interface FollowChangesDeps extends Pick<CommonDeps, 'clock' | 'logger'> {
  readonly changes: Pick<ChangesHub, 'subscribe'>;
  readonly principal: Principal;
  /** These devices changed; undefined when any may have. */
  readonly changed: (deviceIds: readonly string[] | undefined) => void;
}

/** Follows until it is stopped; a stream that ends is opened again, and then everything may have changed. */
export function followChanges({ changes, principal, clock, logger, changed }: FollowChangesDeps): { stop(): void } {
  let stream: EventStream | undefined;
  let timer: Timer | undefined;
  let isStopped = false;

  function again(): void {
    if (!isStopped) timer = clock.after(againMs, () => inBackground(logger, 'follow changes', open));
  }

  async function open(): Promise<void> {
    try {
      stream = await changes.subscribe({ principal, askAgain: async () => principal });
    } catch (error) {
      logger.debug({ error }, 'changes cannot be followed; it is tried again');
      again();
      return;
    }
    const own = stream;
    if (isStopped) own.destroy();
    own.once('close', again);
    own.on('error', () => undefined);
    own.setEncoding('utf8');
    let rest = '';
    own.on('data', (text: string) => {
      const events = (rest + text).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) tell(event);
    });
  }

  function tell(event: string): void {
    const name = /^event: (.*)$/m.exec(event)?.[1];
    const data = /^data: (.*)$/m.exec(event)?.[1];
    if (name === undefined || data === undefined) return;
    const { deviceId, deviceIds, record, recordId } = JSON.parse(data);
    if (name === 'change') changed([deviceId]);
    else if (name === 'record') changed(record === 'device' ? [recordId] : undefined);
    else if (name === 'many') changed(deviceIds ?? undefined);
    // What happened before `ready` is not published.
    else if (name === 'ready' || name === 'lost') changed(undefined);
  }

  inBackground(logger, 'follow changes', open);
  return {
    stop() {
      isStopped = true;
      timer?.cancel();
      stream?.destroy();
    },
  };
}

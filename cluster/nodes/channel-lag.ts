/**
 * The lag of the channel between nodes: each publishes its time now and then, along with its other messages, and the
 * others compare it with theirs, which is the database's as well. A few milliseconds of it are the error of the clocks.
 */
import type { Logger } from '../../runtime/logger.ts';
import type { NodeChannel } from './node-channel.ts';
import type { NodeMeter } from './node-measures.ts';

/** A frame that is awake waits for the message of another node; later than this it may be asleep again. */
const lateMs = 2_000;
/** The largest lag that counts: what differs by more is not a time that a node has sent. */
const maxLagMs = 3_600_000;

/** Dependencies of measuring the lag. `now` is the present time by the database's clock. */
export interface ChannelLagDeps {
  readonly now: () => number;
  readonly logger: Logger;
  readonly meter: NodeMeter;
}

/** Begins to measure on a separate channel. `publish` publishes the time of this node. */
export function measureChannelLag(
  channel: NodeChannel,
  { now, logger, meter }: ChannelLagDeps,
): { publish(): void; close(): void } {
  let isLate = false;

  function record(lagMs: number): void {
    meter.time('papergate_node_channel_seconds', lagMs / 1000, {});
    if (lagMs > lateMs === isLate) return;
    isLate = !isLate;
    if (isLate)
      logger.warn({ lagMs }, 'what other nodes say arrives late: look at PostgreSQL, and at the load of this node');
    else logger.info({ lagMs }, 'what other nodes say arrives in time again');
  }

  channel.open({
    receive(_, text) {
      const lagMs = now() - Number(text);
      const isTime = /^\d{1,15}$/.test(text) && Math.abs(lagMs) < maxLagMs;
      if (isTime) record(Math.max(0, lagMs));
      return isTime;
    },
    reconnected() {},
  });
  return { publish: () => channel.post(undefined, String(now())), close: () => channel.close() };
}

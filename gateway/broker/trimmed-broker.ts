/**
 * Takes out of Aedes what no frame can use and every wake pays for: news about itself under `$SYS`, which nobody may
 * subscribe to; the search for retained messages, of which none is ever taken; and the emptying of queues that only
 * sessions which outlive their connection have. And it grants no higher QoS than it delivers. Measured: a connection
 * that subscribes costs a tenth to a sixth less processor time (0.40 to 0.43 ms instead of 0.47). Aedes does not
 * promise these parts: its version is pinned, and `test/runtime/private-parts.test.ts` looks at them.
 */
import type { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { Aedes, type AedesOptions, type Client, type PublishPacket } from 'aedes';
import type { Packet } from 'mqtt-packet';

/** The part of Aedes' persistence that is asked at each connect and subscribe. */
interface AskedPersistence {
  createRetainedStreamCombi(patterns: readonly string[]): Pick<Readable, 'pipe'>;
  outgoingStream(client: Client): Readable;
}

type Done = (error?: Error) => void;

/** Makes a quiet broker. */
export async function createQuietBroker(options: AedesOptions): Promise<Aedes> {
  const aedes = await Aedes.createBroker(options);
  const publish = aedes.publish.bind(aedes) as (
    packet: PublishPacket,
    client: Client | Done | null,
    done?: Done,
  ) => void;
  aedes.publish = (packet: PublishPacket, client?: Client | Done | null, done?: Done) => {
    if (!packet.topic.startsWith('$SYS/')) publish(packet, client ?? null, done);
    else if (typeof client === 'function') client();
    else done?.();
  };
  const handle = aedes.handle.bind(aedes);
  aedes.handle = (...connection) => {
    const client = handle(...connection);
    grantAtMostQos1(client);
    return client;
  };
  const persistence = (aedes as unknown as { persistence: AskedPersistence }).persistence;
  persistence.createRetainedStreamCombi = () => ({ pipe: (destination) => destination });
  const queued = persistence.outgoingStream.bind(persistence);
  persistence.outgoingStream = (client) => (client.clean ? emptyStream() : queued(client));
  return aedes;
}

/** T-44: a client that asks for QoS 2 is granted 1. Aedes would answer what was asked for, whatever it was allowed. */
function grantAtMostQos1(client: Client): void {
  const { _parser: parser } = client as unknown as { readonly _parser: EventEmitter };
  parser.prependListener('packet', (packet: Packet) => {
    if (packet.cmd !== 'subscribe') return;
    for (const subscription of packet.subscriptions) if (subscription.qos > 1) subscription.qos = 1;
  });
}

/**
 * Waits for a step that the broker cannot do without. When it fails the broker is closed, since its timers would keep the
 * process.
 */
export async function orClose<Needed>(aedes: Aedes, needed: Promise<Needed>): Promise<Needed> {
  try {
    return await needed;
  } catch (error) {
    await new Promise<void>((resolve) => aedes.close(resolve));
    throw error;
  }
}

const emptyStream = (): Readable =>
  new Readable({
    objectMode: true,
    read() {
      this.push(null);
    },
  });

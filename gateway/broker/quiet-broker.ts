/**
 * Takes out of Aedes what no frame can use and every wake pays for: news about itself under `$SYS`, which nobody may
 * subscribe to; the search for retained messages, of which none is ever taken; and the emptying of queues that only
 * sessions which outlive their connection have.
 */
import { Readable } from 'node:stream';
import { Aedes, type AedesOptions, type Client, type PublishPacket } from 'aedes';

/** What of Aedes' persistence is asked at each connect and subscribe. */
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
  const persistence = (aedes as unknown as { persistence: AskedPersistence }).persistence;
  persistence.createRetainedStreamCombi = () => ({ pipe: (destination) => destination });
  const queued = persistence.outgoingStream.bind(persistence);
  persistence.outgoingStream = (client) => (client.clean ? emptyStream() : queued(client));
  return aedes;
}

/** What the broker cannot do without. When that fails the broker is closed, since its timers would keep the process. */
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

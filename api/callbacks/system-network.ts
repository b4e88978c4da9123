/** The machine's network for outgoing requests: handed in by the process entry. */
import { Resolver } from 'node:dns/promises';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { DialTarget, Network } from './request-once.ts';

/**
 * Asks the name servers itself (no `hosts` file, no thread that a silent server could keep), one resolver for each
 * look-up so that it can be ended alone.
 */
export const systemNetwork: Network = {
  async resolve(name, signal) {
    const resolver = new Resolver({ tries: 2 });
    const cancel = (): void => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const families = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      const answers = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
      const [first] = families;
      if (answers.length === 0 && first.status === 'rejected') throw first.reason;
      return answers;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  },
  dial: (target, signal) =>
    new Promise<Socket>((resolve, reject) => {
      signal.throwIfAborted();
      const socket = open(target);
      const give = (): void => {
        socket.destroy(new Error('given up'));
      };
      signal.addEventListener('abort', give, { once: true });
      // Stays: an error after the connection changes nothing here, and must have a listener.
      socket.on('error', reject);
      socket.once(target.secure ? 'secureConnect' : 'connect', () => {
        signal.removeEventListener('abort', give);
        socket.setNoDelay(true);
        resolve(socket);
      });
    }),
};

function open({ address, port, secure, servername }: DialTarget): Socket {
  if (!secure) return connectPlain({ host: address, port });
  return connectSecurely({ host: address, port, ALPNProtocols: ['http/1.1'], ...(servername && { servername }) });
}

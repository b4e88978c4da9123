/** A real webhook receiver on loopback, and networks that lead there. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DialTarget, Network } from '../../api/outgoing/network.ts';
import { systemNetwork } from '../../api/outgoing/system-network.ts';
import { systemClock } from '../../runtime/clock.ts';

/** This machine's network, as tests dial with it. */
export const hereNetwork: Network = systemNetwork({ clock: systemClock });

/** One request as it arrived. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Receiver {
  readonly origin: string;
  readonly port: number;
  readonly received: Received[];
  /** Resolves when so many requests have arrived. */
  arrived(count: number): Promise<void>;
}

/** Opens a receiver whose answers are given by a function, runs the test, and closes every socket. */
export async function withReceiver(
  answer: (request: Received, response: ServerResponse) => void,
  run: (receiver: Receiver) => Promise<void>,
): Promise<void> {
  const received: Received[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const entry = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
      received.push(entry);
      for (const { count, resolve } of waiting) if (received.length >= count) resolve();
      answer(entry, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await run({
      origin: `http://127.0.0.1:${port}`,
      port,
      received,
      arrived: (count) =>
        new Promise((resolve) => {
          if (received.length >= count) resolve();
          else waiting.push({ count, resolve });
        }),
    });
  } finally {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

/**
 * A network that resolves names as given and leads every dialled address to the receiver; it records the dialled
 * addresses.
 */
export interface FakeNetwork extends Network {
  readonly dialled: DialTarget[];
  readonly resolved: string[];
}

/** `unreachable` addresses refuse; `remote` overrides the address that the socket claims to be connected to. */
export function fakeNetwork(
  port: number,
  resolve: (name: string, attempt: number) => readonly string[] | Promise<readonly string[]>,
  { unreachable = [], remote }: { unreachable?: readonly string[]; remote?: string } = {},
): FakeNetwork {
  const dialled: DialTarget[] = [];
  const resolved: string[] = [];
  return {
    dialled,
    resolved,
    async resolve(name) {
      resolved.push(name);
      return await resolve(name, resolved.length);
    },
    async dial(target, signal) {
      dialled.push(target);
      if (unreachable.includes(target.address)) throw Object.assign(new Error('no route'), { code: 'ENETUNREACH' });
      const socket = await hereNetwork.dial({ address: '127.0.0.1', port, secure: false }, signal);
      Object.defineProperty(socket, 'remoteAddress', { value: remote ?? target.address });
      return socket;
    },
  };
}

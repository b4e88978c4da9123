/**
 * Bounds the connections to a server. Beyond the bound, connections without a request under way are closed, the longest
 * silent first: a caller who opens thousands and asks nothing loses its own, and nobody's request is cut.
 */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** An open connection takes some kilobytes, and one of the process's file descriptors. */
export const maxConnections = 2_000;

/** An open connection: its requests under way, and its place in the order of those that fell silent. */
interface Connection {
  underWay: number;
  silentSince: number;
}

/** Returns the function to call with each request's connection and answer, when the request begins. */
export function limitConnections(server: Server, most = maxConnections): (socket: Socket, res: ServerResponse) => void {
  const open = new Map<Socket, Connection>();
  let events = 0;
  server.on('connection', (socket) => {
    open.set(socket, { underWay: 0, silentSince: events++ });
    socket.once('close', () => open.delete(socket));
    if (open.size > most) silentSocket(open)?.destroy();
  });
  return (socket, res) => {
    const connection = open.get(socket);
    if (connection === undefined) return;
    connection.underWay++;
    res.once('close', () => {
      connection.underWay--;
      connection.silentSince = events++;
    });
  };
}

/** Finds the connection to close. All are looked at, beyond the bound alone: requests must not pay for an order. */
function silentSocket(open: ReadonlyMap<Socket, Connection>): Socket | undefined {
  let longest: readonly [Socket, Connection] | undefined;
  for (const one of open) {
    const [, { underWay, silentSince }] = one;
    if (underWay === 0 && silentSince < (longest?.[1].silentSince ?? Infinity)) longest = one;
  }
  return longest?.[0];
}

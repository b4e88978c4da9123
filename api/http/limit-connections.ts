/**
 * Bounds the connections to a server. Beyond the bound, connections without a request under way are closed, the longest
 * silent first: a caller who opens thousands and asks nothing loses its own, and nobody's request is cut.
 */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** An open connection takes some kilobytes, and one of the process's file descriptors. */
export const maxConnections = 2_000;

/** Returns the function to call with each request's connection and answer, when the request begins. */
export function limitConnections(server: Server, most = maxConnections): (socket: Socket, res: ServerResponse) => void {
  const silent = new Set<Socket>();
  let open = 0;
  server.on('connection', (socket) => {
    open++;
    silent.add(socket);
    socket.once('close', () => {
      open--;
      silent.delete(socket);
    });
    const [longest] = silent;
    if (open > most) longest?.destroy();
  });
  return (socket, res) => {
    silent.delete(socket);
    res.once('close', () => {
      if (!socket.destroyed) silent.add(socket);
    });
  };
}

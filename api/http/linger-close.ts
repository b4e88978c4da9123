/**
 * Lets an answer reach a client that is still sending a body nobody will read. If a connection is closed with bytes
 * unread, it is reset and the client loses the answer: it takes the refusal for a broken line and tries again. So only
 * our side is ended, nothing more is read, and the connection is closed a little later ("lingering close").
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../runtime/clock.ts';

/** The time suffices for a round trip on a poor link, and for a busy client to read the answer. */
export const heldMs = 2_000;
/**
 * Beyond this number the oldest connection is closed at once, so that refused callers cannot use up the process's
 * sockets.
 */
export const maxHeld = 128;

/** Returns the function to call with the socket of an answer that says `Connection: close`, before that is sent. */
export function lingerClose(server: Server, clock: Clock): (socket: Socket) => void {
  const held = new Set<Socket>();
  const close = server.close.bind(server);
  // A stop waits for open connections, and these have had their answer.
  server.close = (done) => {
    close(done);
    for (const socket of held) socket.destroy();
    return server;
  };
  function hold(socket: Socket): void {
    const timer = clock.after(heldMs, () => socket.destroy());
    held.add(socket);
    socket.once('close', () => {
      timer.cancel();
      held.delete(socket);
    });
    socket.pause();
    socket.end();
    const [oldest] = held;
    if (held.size > maxHeld) oldest?.destroy();
  }
  return (socket) => {
    const destroySoon = socket.destroySoon.bind(socket);
    // Node calls `destroySoon` when it has passed on the last answer of a connection.
    socket.destroySoon = () => (server.listening ? hold(socket) : destroySoon());
  };
}

/**
 * Lets an answer reach a client that is still sending a body nobody will read. Closed with bytes unread, a connection is
 * reset, and the client loses the answer: a refusal looks like a broken line, which it tries again (C-36, C-37). So our
 * side alone is ended, nothing more is read (INV-66), and what is left of the connection is closed a little later.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../gateway/runtime/clock.ts';

/** Long enough for a round trip on a poor link, and for a busy client to look. */
export const heldMs = 2_000;
/** Beyond that many the oldest is closed at once, so that refused callers cannot use up the process's sockets. */
export const mostHeld = 128;

/** Call what is returned with the socket of an answer that says `Connection: close`, before it is sent. */
export function holdUnread(server: Server, clock: Clock): (socket: Socket) => void {
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
    if (held.size > mostHeld) oldest?.destroy();
  }
  return (socket) => {
    const destroySoon = socket.destroySoon.bind(socket);
    // What node calls when it has handed over the last answer of a connection.
    socket.destroySoon = () => (server.listening ? hold(socket) : destroySoon());
  };
}

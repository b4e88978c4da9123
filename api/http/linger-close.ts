/**
 * Lets an answer reach a client that is still sending a body that nobody wants. A connection that is closed with bytes
 * unread is reset, and the client loses the answer: it takes the refusal for a broken line and tries again. So only our
 * side is ended, and the connection stays open for a while ("lingering close"). At first nothing is read, which stops most
 * clients (INV-66). A client that reads only after it has sent everything is then let send: what comes is dropped.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../runtime/clock.ts';
import { defaultFormLimitBytes } from './body-limits.ts';

/** The time in which nothing is read: a round trip on a poor link, and a busy client's time to look at the answer. */
export const heldMs = 2_000;
/** The longest time in which what still comes is dropped. */
export const drainedMs = 30_000;
/** The most that is dropped: as much as the largest body that any route takes. */
const drainedBytes = defaultFormLimitBytes;
/**
 * Beyond this number the oldest connection is closed at once, so that refused callers cannot use up the process's
 * sockets.
 */
export const maxHeld = 128;

/** The handling of a connection whose body may be refused. */
export interface LingeringClose {
  /**
   * To call when a request with a body begins: if it is answered with `Connection: close` before all of its body has come,
   * its connection lingers.
   */
  afterAnswer(request: IncomingMessage): void;
  /** To call when an answer was written past the server. */
  now(socket: Socket): void;
}

/** Adds the lingering close to a server, whose stop does not wait for connections that are held. */
export function lingerClose(server: Server, clock: Clock): LingeringClose {
  const held = new Set<Socket>();
  const close = server.close.bind(server);
  // A stop waits for open connections, and these have had their answer.
  server.close = (done) => {
    close(done);
    for (const socket of held) socket.destroy();
    return server;
  };
  function now(socket: Socket): void {
    if (socket.destroyed || held.has(socket)) return;
    let timer = clock.after(heldMs, () => {
      drain(socket);
      timer = clock.after(drainedMs, () => socket.destroy());
    });
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
  const latest = new WeakMap<Socket, IncomingMessage>();
  server.on('connection', (socket) => {
    const destroySoon = socket.destroySoon.bind(socket);
    // Node calls `destroySoon` when it has passed on the last answer of a connection.
    socket.destroySoon = () => {
      const isUnread = latest.get(socket)?.complete === false;
      if (isUnread && server.listening) now(socket);
      else destroySoon();
    };
  });
  return { now, afterAnswer: (request) => void latest.set(request.socket, request) };
}

/** Drops what comes, past the parser, so that nothing of it can become a request. */
function drain(socket: Socket): void {
  let dropped = 0;
  // Node reads again at `resume`; a listener for `data` takes the connection from its parser, which could not do that.
  socket.once('resume', () => {
    socket.removeAllListeners('data');
    socket.on('data', (bytes: Buffer) => {
      dropped += bytes.length;
      if (dropped > drainedBytes) socket.destroy();
    });
  });
  socket.resume();
}

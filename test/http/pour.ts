/** Clients that send more than anybody wants to read. */
import { connect, type Socket } from 'node:net';

export const wrongKey = '0'.repeat(64);
export const largeBytes = 28 * 1024 * 1024;

/** A client that writes a body for as long as somebody takes it, and never looks at the answer. */
export interface Pouring {
  readonly socket: Socket;
  /** All that came back so far. */
  answer(): string;
  /** How the connection ended: `end` is the server's, in order; then the whole. */
  readonly ended: readonly string[];
}

export function pour(port: number, head: readonly string[], body: (socket: Socket) => void): Pouring {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  // Half of it stays open when the server has gone, and nothing waits for that.
  socket.unref();
  let answer = '';
  const ended: string[] = [];
  socket.once('connect', () => {
    socket.write(`POST ${head.join('\r\n')}\r\n\r\n`);
    body(socket);
  });
  socket.on('data', (data) => {
    answer += data.toString('latin1');
  });
  for (const way of ['end', 'error', 'close']) socket.once(way, () => ended.push(way));
  return { socket, answer: () => answer, ended };
}

export const lump = Buffer.alloc(16 * 1024, 'x');

export function sendOn(socket: Socket, write: () => boolean = () => socket.write(lump)): void {
  while (socket.writable) if (!write()) return void socket.once('drain', () => sendOn(socket, write));
}

export const organizations = (...more: string[]): string[] => [
  '/organizations/ HTTP/1.1',
  'Host: x',
  'Content-Type: application/json',
  ...more,
];
export const announced = organizations(`x-api-key: ${wrongKey}`, `Content-Length: ${largeBytes}`);

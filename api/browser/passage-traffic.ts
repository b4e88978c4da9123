/** The open sockets of one render, and the count of what it moves. */
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { type Reason, reasonOf } from '../../reasons/reason.ts';

/**
 * The requests that a single render may make, and the bytes that it may send and receive together. Over TLS a tunnel
 * counts as one request.
 */
const maxRequests = 500;
const maxBytes = 64 * 1024 * 1024;

/** Makes the set of a passage's open sockets. */
export function socketSet() {
  const sockets = new Set<Socket>();
  return {
    keep(socket: Socket): void {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => sockets.delete(socket));
    },
    destroyAll(): void {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Makes the counter of what a page asks for and moves, against the limits of one render. */
export function trafficCount() {
  let requests = 0;
  let reported = 0;
  let bytes = 0;

  function exceeded(): Reason | undefined {
    if (requests > maxRequests || reported > maxRequests) return reasonOf('page-asks-much', { most: maxRequests });
    return bytes > maxBytes ? reasonOf('page-moves-much', { most: maxBytes / 1024 / 1024 }) : undefined;
  }

  return {
    exceeded,
    countAsked(): void {
      requests++;
    },
    countReported(): void {
      reported++;
    },
    countBytes(given: number): void {
      bytes += given;
    },
    /** Counts a stream's bytes, and ends it when they are too many. */
    count(stream: Readable): void {
      stream.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (exceeded() !== undefined) stream.destroy();
      });
    },
  };
}

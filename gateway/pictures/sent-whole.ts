/** Whether an HTTP answer really reached its peer, byte for byte. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../runtime/clock.ts';

/** A peer on a poor link may take this long, and no longer: no connection is held for ever. */
const sendingLimitMs = 15 * 60_000;
/** After the last byte the peer has this long to end first; one that reads until our end gets it then. */
const firstEndMs = 2_000;
/** Time for a reset to arrive after the peer's end: bytes it did not want are answered by one within a round trip. */
export const resetWaitMs = 500;

/** When the peer ended the connection, having taken everything (epoch ms); undefined when it did not. */
export type SentWhole = number | undefined;

/**
 * Judges the answer that is about to be sent as the last one of its connection (`Connection: close`).
 *
 * `finish` and `close` of a response also come, with every byte counted, for an answer the peer threw away: the kernel
 * had taken the bytes. A peer that goes away without them resets the connection, at once or when the next byte reaches
 * it. So our side is held open past the peer's end, and an empty write asks whether a reset came.
 * @param ended called when the peer has ended after the last byte: it only remains to see whether a reset follows
 */
export function sentWhole(
  response: ServerResponse,
  bodyBytes: number,
  clock: Clock,
  ended: () => void = () => {},
): Promise<SentWhole> {
  const socket = response.socket as Socket;
  const before = socket.bytesWritten;
  const end = socket.end.bind(socket);
  // Node would close the socket with the last byte, or at the peer's end, and never see the reset: this is for evidence and not
  // for speed. test/runtime/private-parts.test.ts looks at the two methods.
  socket.destroySoon = () => {};
  socket.end = () => socket;
  return new Promise((resolve) => {
    let finished = false;
    let heldOpen = true;
    let endedAt: SentWhole;
    let timer = clock.after(sendingLimitMs, () => socket.destroy());
    const endOurs = (): void => {
      heldOpen = false;
      end();
    };
    response.once('finish', () => {
      finished = true;
      timer.cancel();
      // A peer that ended before it can have read everything is answered, and proves nothing.
      if (socket.readableEnded) return endOurs();
      timer = clock.after(firstEndMs, () => {
        timer = clock.after(sendingLimitMs, () => socket.destroy());
        endOurs();
      });
    });
    socket.once('end', () => {
      if (!finished || socket.bytesWritten - before < bodyBytes) return;
      const at = clock.now();
      timer.cancel();
      ended();
      if (!heldOpen) {
        endedAt = at;
        return;
      }
      timer = clock.after(resetWaitMs, () =>
        socket.write(new Uint8Array(), (error) => {
          if (!error) endedAt = at;
          socket.destroy();
        }),
      );
    });
    socket.once('error', () => {
      endedAt = undefined;
    });
    socket.once('close', () => {
      timer.cancel();
      resolve(endedAt);
    });
  });
}

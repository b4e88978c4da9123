/** Writes an answer's body so that it is known how far it got. */
import type { ServerResponse } from 'node:http';

/** Node counts a body given in one piece as written at once; the count is as fine as these pieces. */
const pieceBytes = 16 * 1024;

/**
 * Writes the body after the head and ends the answer. Nothing is chunked: the head names the length (W-09).
 * @returns how many bytes the network has taken so far
 */
export function writeBody(response: ServerResponse, body: Uint8Array): () => number {
  let written = 0;
  const writeNext = (): void => {
    const piece = body.subarray(written, written + pieceBytes);
    if (piece.length === 0) {
      response.end();
      return;
    }
    response.write(piece, (error) => {
      if (error) return;
      written += piece.length;
      writeNext();
    });
  };
  writeNext();
  return () => written;
}

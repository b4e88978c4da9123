/** Writes the body of an answer in pieces, so that its progress is known. */
import type { ServerResponse } from 'node:http';

/** The size of a piece. Node counts a body that is given in one piece as written at once, so the progress is this coarse. */
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

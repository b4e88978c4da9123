/** Reads the bodies of frames that poll. */
import type { IncomingMessage } from 'node:http';

/** Reads a body; undefined for one that is longer than a frame needs. */
export async function readText(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

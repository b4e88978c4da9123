/** Reads the bodies of frames that poll. */
import type { IncomingMessage } from 'node:http';

/** Reads a body; undefined for one that is longer than a frame needs, whose rest is left unread. */
export async function readText(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  // A request that is destroyed takes its connection with it, and the answer.
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** Reads a small document of the operator's choice from the network: handed in by the process entry. */
import { request } from 'undici';

const patienceMs = 5_000;
const limitBytes = 256 * 1024;

/** The text at an address; throws for every answer but a whole 200. Redirects are not followed. */
export async function readDocument(url: string): Promise<string> {
  const signal = AbortSignal.timeout(patienceMs);
  const { statusCode, body } = await request(url, { headers: { accept: 'application/json' }, signal });
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw new Error(`more than ${limitBytes} bytes`);
    chunks.push(chunk);
  }
  if (statusCode !== 200) throw new Error(`status ${statusCode}`);
  return Buffer.concat(chunks).toString('utf8');
}

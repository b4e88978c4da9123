/** Digests of files, computed in parts so that a large file does not block the event loop. */
import { createHash } from 'node:crypto';
import { setImmediate as immediate } from 'node:timers/promises';

/** The bytes of one part, which take about a millisecond. */
const partBytes = 1024 * 1024;

/** Computes the SHA-256 as lowercase hex. */
export async function sha256Of(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  for (let from = 0; from < bytes.length; from += partBytes) {
    if (from > 0) await immediate();
    hash.update(bytes.subarray(from, from + partBytes));
  }
  return hash.digest('hex');
}

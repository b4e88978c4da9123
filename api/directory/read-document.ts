/** Reads a small document of the operator's choice from the network. */
import { anyHost } from '../outgoing/reach-host.ts';
import { requestOnce } from '../outgoing/request-once.ts';
import type { WayOut } from '../outgoing/way-out.ts';

const patienceMs = 5_000;
const limitBytes = 256 * 1024;

/** Reads the text at an address anywhere; every answer but a whole 200 throws. Redirects are not followed. */
export async function readDocument(wayOut: WayOut, url: string): Promise<string> {
  const outcome = await requestOnce(wayOut, {
    sharer: ['operator'],
    url,
    method: 'GET',
    headers: { accept: 'application/json' },
    allowLoopback: false,
    allowPlain: true,
    rule: anyHost,
    readLimitBytes: limitBytes,
    timeoutMs: patienceMs,
  });
  if (outcome.kind === 'problem') throw new Error(outcome.problem);
  if (outcome.status !== 200) throw new Error(`status ${outcome.status}`);
  return outcome.body.toString('utf8');
}

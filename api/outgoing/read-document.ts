/** Reads a small document of the operator's choice from the network: keys of an identity provider, a catalogue. */

import { reasonOf } from '../../reasons/reason.ts';
import { ReasonedError } from '../../reasons/reasoned-error.ts';
import { anyHost } from './reach-host.ts';
import { requestOnce } from './request-once.ts';
import type { WayOut } from './way-out.ts';

/** The bounds of reading. */
interface ReadLimits {
  readonly bytes?: number;
  readonly timeoutMs?: number;
}

/** Reads the text at an address anywhere; every answer but a whole 200 throws. Redirects are not followed. */
export async function readDocument(
  wayOut: WayOut,
  url: string,
  { bytes = 256 * 1024, timeoutMs = 5_000 }: ReadLimits = {},
): Promise<string> {
  const outcome = await requestOnce(wayOut, {
    sharer: ['operator'],
    url,
    method: 'GET',
    headers: { accept: 'application/json' },
    allowLoopback: false,
    allowPlain: true,
    rule: anyHost,
    readLimitBytes: bytes,
    timeoutMs,
  });
  if (outcome.kind === 'problem') throw new ReasonedError(outcome.problem);
  if (outcome.status !== 200) throw new ReasonedError(reasonOf('answer-status', { status: outcome.status }));
  return new TextDecoder().decode(outcome.body);
}

/** Asks the operator's identity provider, by the operator's way out. */
import { wordsOf } from '../../reasons/words.ts';
import { anyHost } from '../outgoing/reach-host.ts';
import { requestOnce } from '../outgoing/request-once.ts';
import type { WayOut } from '../outgoing/way-out.ts';

const patienceMs = 5_000;
const limitBytes = 256 * 1024;

/** The provider gave no usable answer. The message holds no secret and no address. */
export class ProviderAway extends Error {}

/** A request as the library makes it. */
interface ProviderRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: URLSearchParams | undefined;
}

/** Fetches from the provider. Redirects are not followed. */
export type FetchFromProvider = (url: string, request: ProviderRequest) => Promise<Response>;

/**
 * Makes the fetch.
 * @param allowPlain whether plain HTTP will do: where the operator named the provider so
 */
export function providerFetch(wayOut: WayOut, allowPlain: boolean): FetchFromProvider {
  return async (url, { method, headers, body }) => {
    const outcome = await requestOnce(wayOut, {
      sharer: ['operator'],
      url,
      method,
      headers,
      ...(body !== undefined && { body: body.toString() }),
      allowLoopback: false,
      allowPlain,
      anyPort: true,
      rule: anyHost,
      readLimitBytes: limitBytes,
      timeoutMs: patienceMs,
    });
    if (outcome.kind === 'problem') throw new ProviderAway(wordsOf(outcome.problem));
    const { status } = outcome;
    if (status >= 500 || status < 200) throw new ProviderAway(`status ${status}`);
    // Whatever content type the provider declares, the body is read as JSON.
    const isEmpty = [204, 205, 304].includes(status);
    return new Response(isEmpty ? null : new Uint8Array(outcome.body), {
      status,
      headers: { 'content-type': 'application/json' },
    });
  };
}

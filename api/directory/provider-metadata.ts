/** The metadata that the identity provider publishes (OpenID Connect Discovery), kept for a while. */
import * as oauth from 'oauth4webapi';
import type { Clock } from '../../runtime/clock.ts';
import { type FetchFromProvider, ProviderAway } from './provider-fetch.ts';

/** The age from which metadata is read again before it is used. */
const freshMs = 10 * 60_000;
/** The pause after a failed read, so that callers without any credential cost the provider nothing (T-26). */
const pauseMs = 5_000;

/**
 * Makes the reader. It fails as long as the provider does.
 * @throws ProviderAway
 */
export function providerMetadata(deps: {
  readonly issuer: URL;
  readonly options: {
    readonly [oauth.customFetch]: FetchFromProvider;
    readonly [oauth.allowInsecureRequests]: boolean;
  };
  readonly clock: Clock;
}): () => Promise<oauth.AuthorizationServer> {
  const { issuer, options, clock } = deps;
  let kept: { readonly server: oauth.AuthorizationServer; readonly readAt: number } | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<oauth.AuthorizationServer> | undefined;

  async function read(): Promise<oauth.AuthorizationServer> {
    try {
      const answer = await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oidc' });
      const server = await oauth.processDiscoveryResponse(issuer, answer);
      kept = { server, readAt: clock.now() };
      return server;
    } catch (error) {
      failedAt = clock.now();
      throw error instanceof ProviderAway ? error : new ProviderAway('its description of itself cannot be used');
    }
  }

  return async () => {
    if (kept !== undefined && clock.now() - kept.readAt < freshMs) return kept.server;
    if (reading === undefined && clock.now() - failedAt < pauseMs) throw new ProviderAway('it was away a moment ago');
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

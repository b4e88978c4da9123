/** The identity provider that the operator named: whose tokens to accept, and how to ask for its keys. */
import type { Clock } from '../../runtime/clock.ts';
import { readDocument } from '../outgoing/read-document.ts';
import type { WayOut } from '../outgoing/way-out.ts';
import { providerKeys } from './provider-keys.ts';
import type { IdentityProvider } from './verify-token.ts';

/** The configuration of the identity provider. */
interface ProviderSettings {
  readonly PAPERGATE_JWKS_URL?: string | undefined;
  readonly PAPERGATE_JWT_ISSUER: string;
  readonly PAPERGATE_JWT_AUDIENCE: string;
}

/** Returns the provider, if there is one. `wayOut` is the operator's own: no stranger causes requests this way. */
export function identityProvider(
  settings: ProviderSettings,
  { wayOut, clock }: { readonly wayOut: WayOut; readonly clock: Clock },
): IdentityProvider | undefined {
  const { PAPERGATE_JWKS_URL: keysUrl } = settings;
  if (keysUrl === undefined) return undefined;
  return {
    issuer: settings.PAPERGATE_JWT_ISSUER,
    audience: settings.PAPERGATE_JWT_AUDIENCE,
    keys: providerKeys({ read: () => readDocument(wayOut, keysUrl), clock }),
  };
}

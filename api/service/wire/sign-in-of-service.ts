/** The providers that sign people in to a service in addition to itself, by its settings. */
import type { Logger } from '../../../runtime/logger.ts';
import { identityProvider } from '../../directory/identity-provider.ts';
import { openIdSignIn, type SignInProvider } from '../../directory/open-id.ts';
import type { IdentityProvider } from '../../directory/verify-token.ts';
import type { ServiceContext } from '../open/service-context.ts';
import type { Settings } from '../settings/settings.ts';
import type { Ways } from './ways-of-service.ts';

/** The identity provider, where there is one. */
export interface SignIn {
  /** Whose tokens are accepted. */
  readonly provider: IdentityProvider | undefined;
  /** The way to sign in to the console, if the operator registered this service with the provider. */
  readonly signInProvider: SignInProvider | undefined;
}

/** Opens the identity provider. The operator's way leads to it; requests of others never use that way. */
export function signInOfService(
  settings: Settings,
  { clock, random, keys }: Pick<ServiceContext, 'clock' | 'random' | 'keys'>,
  { ways: { operatorsWay: wayOut }, logger }: { readonly ways: Pick<Ways, 'operatorsWay'>; readonly logger: Logger },
): SignIn {
  const { PAPERGATE_OIDC_CLIENT_ID: clientId, PAPERGATE_OIDC_CLIENT_SECRET: clientSecret } = settings;
  const provider = identityProvider(settings, { wayOut, clock });
  if (provider === undefined || clientId === undefined) return { provider, signInProvider: undefined };
  const registered = { provider, clientId, clientSecret, wayOut, clock, random, sealKey: keys.seal, logger };
  return { provider, signInProvider: openIdSignIn(registered) };
}

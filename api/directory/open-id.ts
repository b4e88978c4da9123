/** Signing in with the operator's identity provider: OpenID Connect, with an authorization code and PKCE. */
import type { IncomingHttpHeaders } from 'node:http';
import * as oauth from 'oauth4webapi';
import { Refusal } from '../../reasons/refusals.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { RequestOrigin } from '../http/request-origin.ts';
import type { WayOut } from '../outgoing/way-out.ts';
import { ProviderAway, providerFetch } from './provider-fetch.ts';
import { providerMetadata } from './provider-metadata.ts';
import { attemptOf, beginAttempt, type SignInAttempt } from './sign-in-attempt.ts';
import { type IdentityProvider, type ProvedPerson, type TokenProblem, verifyProvided } from './verify-token.ts';

/**
 * Why a person is not signed in: they refused at the provider, took too long or came from another browser, the provider
 * does not answer, or its answer cannot be trusted.
 */
export type SignInProblem = 'refused' | 'expired' | 'unavailable' | 'failed';

/** The parameters with which the provider sends a person back. */
export type ReturnedParameters = Readonly<Partial<Record<'code' | 'state' | 'error' | 'iss', string | undefined>>>;

/** The identity provider as a way to sign in. Each failure of the provider or the
 * person is a problem that a page can show, and not an exception. */
export interface SignInProvider {
  readonly name: string;
  /**
   * Returns where to send the person, and the `Set-Cookie` that remembers the attempt.
   * @param stays whether the person wants to stay signed in
   */
  begin(
    origin: RequestOrigin,
    stays: boolean,
  ): Promise<{ readonly location: string; readonly cookie: string } | { readonly problem: SignInProblem }>;
  /**
   * Returns who came back.
   * @param spend spends the attempt before the provider is asked; false when it was spent
   */
  finish(
    returned: ReturnedParameters,
    headers: IncomingHttpHeaders,
    spend: (attempt: SignInAttempt) => Promise<boolean>,
  ): Promise<{ readonly person: ProvedPerson; readonly stays: boolean } | { readonly problem: SignInProblem }>;
}

/** The dependencies of signing in with the provider. `wayOut` is the operator's own. */
export interface OpenIdDeps extends Pick<CommonDeps, 'clock' | 'random' | 'logger'> {
  readonly provider: IdentityProvider;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly wayOut: WayOut;
  readonly sealKey: Uint8Array;
}

const skewSeconds = 60;

/** Makes the way to sign in. */
export function openIdSignIn(deps: OpenIdDeps): SignInProvider {
  const issuer = new URL(deps.provider.issuer);
  const isPlain = issuer.protocol === 'http:';
  const fetchFromProvider = providerFetch(deps.wayOut, isPlain);
  const options = { [oauth.customFetch]: fetchFromProvider, [oauth.allowInsecureRequests]: isPlain };
  const client: oauth.Client = { client_id: deps.clientId, [oauth.clockTolerance]: skewSeconds };
  const metadata = providerMetadata({ issuer, options, clock: deps.clock });

  async function personOf(attempt: SignInAttempt, returned: URLSearchParams): Promise<ProvedPerson> {
    const server = await metadata();
    const answer = oauth.validateAuthResponse(server, client, returned, attempt.state);
    const { redirectUri, verifier, nonce } = attempt;
    const authentication = clientAuthentication(server, deps.clientSecret);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      answer,
      redirectUri,
      verifier,
      options,
    );
    const { id_token: token = '' } = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    // The library reads the claims; the signature counts by the keys that the operator named (T-25).
    const proved = await verifyProvided(token, { ...deps.provider, audience: deps.clientId }, deps.clock);
    if (typeof proved === 'string') throw new UselessToken(proved);
    return proved;
  }

  return {
    name: issuer.host,
    async begin(origin, stays) {
      try {
        const { authorization_endpoint: endpoint = '' } = await metadata();
        const { attempt, cookie } = beginAttempt(deps, origin, stays);
        const location = new URL(endpoint);
        if (location.protocol !== 'https:' && !isPlain) throw new ProviderAway('its sign-in page is not HTTPS');
        const asked = {
          client_id: deps.clientId,
          response_type: 'code',
          scope: 'openid profile email',
          redirect_uri: attempt.redirectUri,
          state: attempt.state,
          nonce: attempt.nonce,
          code_challenge: await oauth.calculatePKCECodeChallenge(attempt.verifier),
          code_challenge_method: 'S256',
        };
        for (const [name, value] of Object.entries(asked)) location.searchParams.set(name, value);
        return { location: location.href, cookie };
      } catch (error) {
        return { problem: tell(deps.logger, error) };
      }
    },
    async finish(returned, headers, spend) {
      const attempt = attemptOf(headers, returned.state ?? '', deps);
      if (attempt === undefined || !(await spend(attempt))) return { problem: 'expired' };
      try {
        return { person: await personOf(attempt, parametersOf(returned)), stays: attempt.stays };
      } catch (error) {
        return { problem: tell(deps.logger, error) };
      }
    },
  };
}

/** A token that is signed as it should be, and is of no use. */
class UselessToken extends Error {
  constructor(problem: TokenProblem) {
    super(
      problem === 'early'
        ? 'its token was issued in the future: set the clocks of the provider and of this service by NTP'
        : 'its token names nobody, or lives too long',
    );
  }
}

function parametersOf(returned: ReturnedParameters): URLSearchParams {
  const given = Object.entries(returned).filter((field): field is [string, string] => field[1] !== undefined);
  return new URLSearchParams(given);
}

/** Returns how the service proves itself: as the provider likes it, or not at all without a secret. */
function clientAuthentication(server: oauth.AuthorizationServer, secret: string | undefined): oauth.ClientAuth {
  if (secret === undefined) return oauth.None();
  const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
  return methods.includes('client_secret_basic') ? oauth.ClientSecretBasic(secret) : oauth.ClientSecretPost(secret);
}

/** Logs a failure for the operator, without anything secret of it (T-12), and returns what the person is shown. */
function tell(logger: Logger, error: unknown): SignInProblem {
  const problem = problemOf(error);
  if (problem !== 'refused') {
    logger.warn({ problem, reason: reasonOf(error) }, 'nobody could be signed in with the identity provider');
  }
  return problem;
}

function problemOf(error: unknown): SignInProblem {
  if (error instanceof oauth.AuthorizationResponseError) return error.error === 'access_denied' ? 'refused' : 'failed';
  return error instanceof ProviderAway || error instanceof Refusal ? 'unavailable' : 'failed';
}

function reasonOf(error: unknown): string {
  if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
    return `the provider says ${error.error.replaceAll(/[^\w.-]/g, '').slice(0, 60)}`;
  }
  const isSafe = [
    oauth.OperationProcessingError,
    oauth.UnsupportedOperationError,
    ProviderAway,
    Refusal,
    UselessToken,
  ].some((kind) => error instanceof kind);
  return error instanceof Error ? (isSafe ? error.message : error.name) : 'unknown';
}

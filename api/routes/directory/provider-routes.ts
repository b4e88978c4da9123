/** Signing in with the operator's identity provider: the routes that a person's browser walks through. */
import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { Refusal, refuse } from '../../../reasons/refusals.ts';
import { addressBucket } from '../../../runtime/plain-address.ts';
import { accountOfPerson } from '../../directory/authenticate.ts';
import type { DirectoryDeps } from '../../directory/directory-deps.ts';
import type { SignInProblem, SignInProvider } from '../../directory/open-id.ts';
import { endAttempt, spendAttempt } from '../../directory/sign-in-attempt.ts';
import { Redirect } from '../../http/redirect.ts';
import type { RequestOrigin } from '../../http/request-origin.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { beginSession } from './begin-session.ts';

const returned = z.object({
  code: z.string().max(4096).optional(),
  state: z.string().max(200).optional(),
  error: z.string().max(200).optional(),
  iss: z.string().max(2000).optional(),
});

const common = {
  access: 'anyone',
  status: 302,
  noStore: true,
  refuses: ['not-found'],
} as const;

/** Whatever goes wrong, a person ends on the console's page, which explains it in their language. */
const toConsole = ({ prefix }: RequestOrigin, problem?: SignInProblem | 'rate-limited'): Redirect =>
  new Redirect(`${prefix}/console/${problem === undefined ? '' : `#problem=${problem}`}`);

/** The routes. Without an identity provider there is nothing at their addresses. */
export function providerRoutes(deps: DirectoryDeps): AnyRoute[] {
  const requireProvider = (): SignInProvider => {
    if (deps.signInProvider !== undefined) return deps.signInProvider;
    throw refuse('not-found', { message: reasonOf('no-provider') });
  };
  return [
    route('GET /sessions/provider', {
      ...common,
      summary: 'Sign in to the console with the identity provider: leads the browser there',
      setsCookie: 'papergate_sign_in_…, HttpOnly and SameSite=Lax, for ten minutes',
      query: z.object({ stays: z.literal('1').optional().describe('stay signed in on this device') }),
      async handle({ caller, query }) {
        const origin = caller.origin();
        const begun = await requireProvider().begin(origin, query.stays === '1');
        if ('problem' in begun) return toConsole(origin, begun.problem);
        caller.setCookie(begun.cookie);
        return new Redirect(begun.location);
      },
    }),
    route('GET /sessions/provider/return', {
      ...common,
      summary: 'Where the identity provider leads a person back to: begins the session, and leads on to the console',
      audit: { action: 'session.started', on: 'session' },
      setsCookie: 'papergate_session, HttpOnly and SameSite=Strict',
      query: returned,
      async handle({ query, address, headers, caller, note }) {
        const origin = caller.origin();
        const provider = requireProvider();
        try {
          await deps.limitSignIns.count(`address ${addressBucket(address)}`);
        } catch (error) {
          if (error instanceof Refusal) return toConsole(origin, 'rate-limited');
          throw error;
        }
        if (query.state !== undefined) caller.setCookie(endAttempt(query.state, origin));
        const found = await provider.finish(query, headers, (attempt) =>
          spendAttempt(deps.db, attempt, deps.clock.now()),
        );
        if ('problem' in found) return toConsole(origin, found.problem);
        const { id: accountId } = await accountOfPerson(deps, found.person);
        await beginSession(deps, { headers, caller, note }, found.stays, async () => ({ accountId, way: 'provider' }));
        return toConsole(origin);
      },
    }),
  ];
}

/** Routes by which settings come back from a login elsewhere, as the vendor's application uses them. */
import { z } from 'zod';
import { refuse } from '../../../reasons/refusals.ts';
import { isoTime } from '../../../runtime/clock.ts';
import { mayDo, type Principal } from '../../access/principal.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { createRedirectToken, redeemRedirectToken } from '../../integration/settings-frame/redirect-tokens.ts';
import type { IntegrationDeps } from './integration-deps.ts';
import { visiblePaper } from './paper-routes.ts';

const common = {
  noStore: true,
  params: z.object({ paperId: z.string() }),
  audit: { none: 'a step of a login elsewhere; what is saved after it is recorded' },
} as const;

/** These routes stand below `/v1` alone, for those who may change the paper. */
export function redirectRoutes(deps: IntegrationDeps): AnyRoute[] {
  async function ownerOf(principal: Principal, paperId: string) {
    const { member } = await visiblePaper(deps, paperId, principal);
    if (!mayDo(member, 'write')) throw refuse('paper-access-denied');
    return { userId: member.userId, paperId };
  }
  return [
    route('POST /v1/papers/:paperId/plugin-redirect-token', {
      ...common,
      summary: 'A token for the way back from a login elsewhere: ten minutes, one use, this user and paper',
      output: z.object({ tempToken: z.string(), expiresAt: z.string() }),
      refuses: ['paper-access-denied'],
      async handle({ params, principal }) {
        const made = await createRedirectToken(deps, await ownerOf(principal, params.paperId));
        return { tempToken: made.tempToken, expiresAt: isoTime(made.expiresAt) };
      },
    }),
    route('POST /v1/papers/:paperId/plugin-redirect-redeem', {
      ...common,
      summary: 'Use the token up; only then are the settings that came with it to be merged',
      body: z.object({ tempToken: z.string().max(200).optional(), token: z.string().max(200).optional() }),
      // Further fields are ignored (C-11).
      malformed: 'invalid-request',
      output: z.object({ ok: z.literal(true) }),
      refuses: ['paper-access-denied', 'redirect-token-spent'],
      async handle({ params, principal, body }) {
        const owner = await ownerOf(principal, params.paperId);
        const tempToken = body.tempToken ?? body.token;
        if (tempToken === undefined) throw refuse('invalid-request', { hint: 'tempToken is missing' });
        await redeemRedirectToken(deps, tempToken, owner);
        return { ok: true as const };
      },
    }),
  ];
}

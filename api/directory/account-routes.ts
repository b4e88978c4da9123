/** Accounts: the persons behind the users. */
import { z } from 'zod';
import { isoTime } from '../../gateway/runtime/clock.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { type AnyRoute, route } from '../http/route.ts';
import { organizationUuid } from './create-organization.ts';
import type { DirectoryEdges } from './directory-edges.ts';
import { type Membership, organizationsFor } from './principal.ts';
import { directoryStore } from './store.ts';

const accountAnswer = z
  .object({
    id: z.uuid(),
    email: z.string(),
    firstName: z.string().optional(),
    lastName: z.string().optional(),
    organizationId: z.uuid(),
    roles: z.array(z.string()),
    isMfaEnabled: z.boolean(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: 'Account' });

/** Stands for the organization of somebody who has none yet. */
const noOrganization = '00000000-0000-0000-0000-000000000000';

export function accountRoutes(edges: DirectoryEdges): AnyRoute[] {
  const store = directoryStore(edges.database);
  return [
    route({
      method: 'GET',
      path: '/accounts/:accountId',
      summary: "One's own account, or one of the organization for its admins",
      access: 'person',
      status: 200,
      params: z.object({ accountId: z.uuid() }),
      output: accountAnswer,
      refuses: ['not-found'],
      async handle({ params, principal }) {
        const account = await store.account(params.accountId);
        const isOwn = params.accountId === principal.accountId;
        const managed = organizationsFor(principal, 'manage');
        const memberships = (await store.membershipsOf(params.accountId)).filter(
          ({ organizationId }) => isOwn || managed.includes(organizationId),
        );
        // an account elsewhere and no account at all are the same answer.
        if (account === undefined || !(isOwn || memberships.length > 0)) throw refuse('not-found');
        return {
          id: account.id,
          email: account.email,
          ...(account.first_name === null ? {} : { firstName: account.first_name }),
          ...(account.last_name === null ? {} : { lastName: account.last_name }),
          organizationId: uuidOfFirst(memberships),
          roles: [...new Set(memberships.map(({ role }) => role))],
          isMfaEnabled: false,
          createdAt: isoTime(account.created_at),
          updatedAt: isoTime(account.updated_at),
        };
      },
    }),
  ];
}

function uuidOfFirst(memberships: readonly Membership[]): string {
  const first = memberships[0];
  return first === undefined ? noOrganization : organizationUuid(first.organizationId);
}

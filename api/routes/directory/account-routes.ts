/** Routes of accounts: the persons behind the users. */
import { z } from 'zod';
import { refuse } from '../../../reasons/refusals.ts';
import { isoTime } from '../../../runtime/clock.ts';
import { type Membership, organizationsFor, type Principal, roles } from '../../access/principal.ts';
import { shownAddress } from '../../directory/address.ts';
import { organizationUuid } from '../../directory/create-organization.ts';
import type { DirectoryDeps } from '../../directory/directory-deps.ts';
import { endAccount } from '../../directory/end-account.ts';
import { openedBy, requireWholeAccount } from '../../directory/narrow-credential.ts';
import { type AccountRow, directoryStore, providedSubject } from '../../directory/store.ts';
import { metaText, openObject, replacesMeta, storedObject } from '../../http/field-shapes.ts';
import { type AnyRoute, route } from '../../http/route.ts';

const accountAnswer = z
  .object({
    id: z.uuid(),
    providerId: z.string().describe('What the identity provider calls it').optional(),
    email: z.email().describe('ends in `@no-address.invalid` where none is known'),
    firstName: z.string().optional(),
    lastName: z.string().optional(),
    organizationId: z
      .uuid()
      .describe(
        "A UUID that stands for the account's first organization and is derived from its id; `GET /organizations/` has the id itself. All zeros where there is none",
      ),
    roles: z.array(z.enum(roles)),
    isMfaEnabled: z
      .boolean()
      .describe(
        "Whether the caller's token says that they proved themselves by several factors; false where it says nothing",
      ),
    meta: openObject.describe('What its owner keeps there, for nobody else').optional(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: 'Account' });

/** The fields that its owner may change of an account. The address is the identity provider's. */
export const accountChange = z.object({
  firstName: z.string().max(200).nullable().optional(),
  lastName: z.string().max(200).nullable().optional(),
  meta: openObject.describe(replacesMeta).optional(),
});

const oneAccount = z.object({
  accountId: z.string().min(1).max(320).describe("Our id, the identity provider's, or `current` for one's own"),
});

/** The id that stands for the organization of an account that has none yet. */
const noOrganization = '00000000-0000-0000-0000-000000000000';

/** An account, with the memberships that the caller may know of. */
interface VisibleAccount {
  readonly account: AccountRow;
  readonly memberships: readonly Membership[];
}

export function accountRoutes(deps: DirectoryDeps): AnyRoute[] {
  const show = (found: VisibleAccount, principal: Principal) => showAccount(deps, found, principal);
  return [
    route('GET /accounts/:accountId', {
      params: oneAccount,
      summary: "One's own account, or one of the organization for its admins",
      output: accountAnswer,
      refuses: ['not-found'],
      handle: async ({ params, principal }) => show(await visibleAccount(deps, params.accountId, principal), principal),
    }),
    route('PATCH /accounts/:accountId', {
      params: oneAccount,
      summary: "Change some fields of one's own account",
      audit: { action: 'account.changed', on: 'account', values: ['firstName', 'lastName'] },
      body: accountChange,
      output: accountAnswer,
      refuses: ['not-found', 'access-denied'],
      async handle({ params, body, principal }) {
        const { account } = await ownAccount(deps, params.accountId, principal);
        await directoryStore(deps.db).changeAccount(account.id, {
          ...(body.firstName === undefined ? {} : { first_name: body.firstName }),
          ...(body.lastName === undefined ? {} : { last_name: body.lastName }),
          ...(body.meta === undefined ? {} : { meta: metaText(body.meta) }),
          updated_at: deps.clock.now(),
        });
        return show(await visibleAccount(deps, account.id, principal), principal);
      },
    }),
    route('DELETE /accounts/:accountId', {
      params: oneAccount,
      summary: "End one's own account with its memberships and API keys; refused to the last admin of what is in use",
      audit: { action: 'account.ended', on: 'account' },
      output: z.object({ success: z.boolean() }),
      refuses: ['not-found', 'access-denied', 'conflict', 'still-needed'],
      async handle({ params, principal }) {
        const { account } = await ownAccount(deps, params.accountId, principal);
        await endAccount(deps, account.id);
        return { success: true };
      },
    }),
  ];
}

/**
 * Finds the account that an id names, whatever sort of id it is.
 * @throws Refusal `not-found`, the same for an account elsewhere and for none
 */
async function visibleAccount(deps: DirectoryDeps, id: string, principal: Principal): Promise<VisibleAccount> {
  const store = directoryStore(deps.db);
  const { providerIssuer: issuer } = deps;
  const managed = organizationsFor(principal, 'manage');
  const accounts = [
    await store.account(id === 'current' ? principal.accountId : id),
    issuer === undefined ? undefined : await store.accountOfSubject(providedSubject(issuer, id)),
  ];
  for (const account of accounts) {
    if (account === undefined) continue;
    const isOwn = account.id === principal.accountId;
    const all = await store.membershipsOf(account.id);
    const memberships = isOwn
      ? openedBy(all, principal.onlyIn ?? null).memberships
      : all.filter(({ organizationId }) => managed.includes(organizationId));
    if (isOwn || memberships.length > 0) return { account, memberships };
  }
  throw refuse('not-found');
}

/**
 * Finds the caller's own account.
 * @throws Refusal `access-denied` for one that the caller may see and not change, `not-found` for any other
 */
async function ownAccount(deps: DirectoryDeps, id: string, principal: Principal): Promise<VisibleAccount> {
  const found = await visibleAccount(deps, id, principal);
  if (found.account.id !== principal.accountId) throw refuse('access-denied');
  requireWholeAccount(principal);
  return found;
}

function showAccount(
  { providerIssuer: issuer }: DirectoryDeps,
  { account, memberships }: VisibleAccount,
  { accountId, isMfaEnabled }: Principal,
): z.input<typeof accountAnswer> {
  const isOwn = account.id === accountId;
  const prefix = issuer === undefined ? undefined : providedSubject(issuer, '');
  const isProvided = prefix !== undefined && account.subject.startsWith(prefix);
  const [first] = memberships;
  return {
    id: account.id,
    ...(isProvided ? { providerId: account.subject.slice(prefix.length) } : {}),
    ...shownAddress(account.email, account.id),
    ...(account.first_name === null ? {} : { firstName: account.first_name }),
    ...(account.last_name === null ? {} : { lastName: account.last_name }),
    organizationId: first === undefined ? noOrganization : organizationUuid(first.organizationId),
    roles: [...new Set(memberships.map(({ role }) => role))],
    // Only the caller's own token was read, and it contains nothing about other accounts.
    isMfaEnabled: isOwn && isMfaEnabled === true,
    ...(isOwn ? { meta: storedObject(account.meta) } : {}),
    createdAt: isoTime(account.created_at),
    updatedAt: isoTime(account.updated_at),
  };
}

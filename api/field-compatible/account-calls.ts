/**
 * Calls of the vendor's application that the plain surface has under other names, or has no use for: its own user,
 * invitations by their code, and the identity provider's tasks.
 */
import { z } from 'zod';
import { refuse } from '../../reasons/refusals.ts';
import { objectId } from '../http/field-shapes.ts';
import { type AnyRoute, type Call, type RouteName, route } from '../http/route.ts';
import { presentUser } from './present-people.ts';
import type { Ask, Shown } from './presentation.ts';

/** A call, and how it is made of plain routes. */
interface FieldCall {
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly show: (call: Call<Shown, Shown, Shown>, ask: Ask) => Promise<Shown>;
}

const user = 'GET /users/:userId';

const forTheProvider: FieldCall = {
  async show() {
    throw refuse('conflict', { message: 'That is for the identity provider to do', hint: 'do it where you log in' });
  },
};

/** By name, without the prefix of the surface. */
const calls: Readonly<Record<RouteName, FieldCall>> = {
  'GET /users/current': {
    query: z.object({ organization: objectId.optional() }),
    async show(call, ask) {
      const { memberships } = call.principal;
      const { organization } = call.query;
      const own = memberships.find((one) => organization === undefined || one.organizationId === organization);
      if (own === undefined) throw refuse('not-found');
      const [shown] = await ask(user, call, { params: { userId: own.userId } });
      return presentUser(shown);
    },
  },
  'GET /users/invite/:inviteCode': {
    params: z.object({ inviteCode: z.string().max(200) }),
    async show(call, ask) {
      const { organization, ...invitation } = await ask('POST /users/invitation', call, { body: call.params });
      return { ...invitation, status: 'invited', organization: organization.id, organizationData: organization };
    },
  },
  'POST /users/invite': {
    body: z.object({ inviteCode: z.string().max(200) }),
    show: async (call, ask) => presentUser(await ask('POST /users/join', call, { body: call.body })),
  },
  'DELETE /accounts/deleteCurrent': {
    show: (call, ask) => ask('DELETE /accounts/:accountId', call, { params: { accountId: 'current' } }),
  },
  // The application neither repeats a 409 nor takes it for a login that ended.
  'POST /accounts/current/mfa/enroll': forTheProvider,
  'POST /accounts/current/mfa/disable': forTheProvider,
  'POST /users/current/send-verification-email': forTheProvider,
  'GET /organizations/all': {
    async show() {
      throw refuse('access-denied', { message: 'Nobody sees every organization of this service' });
    },
  },
};

/**
 * Returns the routes of these calls. They come before the presented ones, some of whose patterns fit the same paths.
 */
export function accountCalls(prefix: string, ask: Ask): AnyRoute[] {
  return Object.entries(calls).map(([name, { show, ...call }]) =>
    route(name.replace(' ', ` ${prefix}`) as RouteName, {
      summary: 'For clients in the field',
      noStore: true,
      // Further fields are ignored (C-11).
      malformed: 'invalid-request',
      output: z.looseObject({}),
      ...call,
      handle: (made: Call<Shown, Shown, Shown>) => show(made, ask),
    }),
  );
}

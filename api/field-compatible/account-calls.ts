/**
 * Calls of the vendor's application that the plain surface has under other names, or has no use for: its own user,
 * invitations by their code, and the identity provider's tasks.
 */
import { z } from 'zod';
import { refuse } from '../../reasons/refusals.ts';
import { noParams, objectId } from '../http/field-shapes.ts';
import type { AnyRoute, Call } from '../http/route.ts';
import { presentUser } from './present-people.ts';
import type { Ask, Shown } from './presentation.ts';

/** A call, and how it is made of plain routes. */
interface FieldCall {
  readonly method: AnyRoute['method'];
  /** The path without the prefix of the surface. */
  readonly path: string;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly show: (call: Call<Shown, Shown, Shown>, ask: Ask) => Promise<Shown>;
}

const user = 'GET /users/:userId';

const calls: readonly FieldCall[] = [
  {
    method: 'GET',
    path: '/users/current',
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
  {
    method: 'GET',
    path: '/users/invite/:inviteCode',
    params: z.object({ inviteCode: z.string().max(200) }),
    async show(call, ask) {
      const { organization, ...invitation } = await ask('POST /users/invitation', call, { body: call.params });
      return { ...invitation, status: 'invited', organization: organization.id, organizationData: organization };
    },
  },
  {
    method: 'POST',
    path: '/users/invite',
    body: z.object({ inviteCode: z.string().max(200) }),
    show: async (call, ask) => presentUser(await ask('POST /users/join', call, { body: call.body })),
  },
  {
    method: 'DELETE',
    path: '/accounts/deleteCurrent',
    show: (call, ask) => ask('DELETE /accounts/:accountId', call, { params: { accountId: 'current' } }),
  },
  // The application neither repeats a 409 nor takes it for a login that ended.
  ...['/accounts/current/mfa/enroll', '/accounts/current/mfa/disable', '/users/current/send-verification-email'].map(
    (path): FieldCall => ({
      method: 'POST',
      path,
      async show() {
        throw refuse('conflict', {
          message: 'That is for the identity provider to do',
          hint: 'do it where you log in',
        });
      },
    }),
  ),
  {
    method: 'GET',
    path: '/organizations/all',
    async show() {
      throw refuse('access-denied', { message: 'Nobody sees every organization of this service' });
    },
  },
];

/**
 * Returns the routes of these calls. They come before the presented ones, some of whose patterns fit the same paths.
 */
export function accountCalls(prefix: string, ask: Ask): AnyRoute[] {
  return calls.map(({ show, path, ...call }) => ({
    summary: 'For clients in the field',
    access: 'person',
    status: 200,
    noStore: true,
    params: noParams,
    output: z.looseObject({}),
    ...call,
    path: prefix + path,
    handle: (made: Call) => show(made, ask),
  }));
}

/** Presents users, organizations and keys as clients in the field read them. */
import { z } from 'zod';
import { refuse } from '../../reasons/refusals.ts';
import { userChange } from '../directory/change-user.ts';
import { fit } from '../http/fit-schema.ts';
import { accountChange } from '../routes/directory/account-routes.ts';
import { organizationChange } from '../routes/directory/organization-routes.ts';
import { accountChangeOf, presentAccount, presentUser } from './present-people.ts';
import { asItComes, fieldChanges, listed, type Presentation, withShortNames } from './presentation.ts';

const record = z.looseObject({ id: z.string() });

const user = 'GET /users/:userId';

/** An organization is changed under its own address, so the body need not name it again (C-11). */
const changedOrganization: Presentation = {
  body: asItComes,
  output: record,
  async show(call, own, ask) {
    const { organizationId } = call.params;
    const shown = await ask('GET /organizations/:organizationId', call, {});
    const body = { organization: organizationId, ...call.body };
    return own({ body: withShortNames(fieldChanges(organizationChange, body, shown)) });
  },
};

/**
 * The vendor's application posts single fields, and the fields that it does not name stay, with either method (C-61).
 */
const changedUser: Presentation = {
  body: asItComes,
  output: record,
  async show(call, _own, ask) {
    const [shown] = await ask(user, call, {});
    const body = withShortNames(fieldChanges(userChange, call.body, shown));
    return presentUser(await ask('PATCH /users/:userId', call, { body }));
  },
};

/** The presentations by plain route. */
export const directoryPresentations: Readonly<Record<string, Presentation>> = {
  'GET /organizations/': listed,
  'GET /users/': {
    ...listed,
    async show(call, own, ask) {
      const page = await listed.show(call, own, ask);
      return { ...page, results: page.results.map(presentUser) };
    },
  },
  'POST /organizations/': { output: record, show: async (call, own) => own({ body: withShortNames(call.body) }) },
  'POST /users/': {
    output: record,
    show: async (call, own) => presentUser(await own({ body: withShortNames(call.body) })),
  },
  'GET /tokens/': listed,
  'PATCH /organizations/:organizationId': changedOrganization,
  'POST /organizations/:organizationId': changedOrganization,
  'PATCH /users/:userId': changedUser,
  'POST /users/:userId': changedUser,
  'GET /users/:userId': {
    output: record,
    // The plain surface answers a list of one.
    show: async (_call, own) => presentUser((await own())[0]),
  },
  'DELETE /users/:userId': {
    output: record.extend({ success: z.boolean() }),
    async show(call, own, ask) {
      const [shown] = await ask(user, call, {});
      return { ...presentUser(shown), ...(await own()) };
    },
  },
  'GET /accounts/:accountId': { output: record, show: async (_call, own) => presentAccount(await own()) },
  'PATCH /accounts/:accountId': {
    body: asItComes,
    output: record,
    async show(call, own, ask) {
      const shown = await ask('GET /accounts/:accountId', call, {});
      const { email } = call.body;
      if (typeof email === 'string' && email !== '' && email !== shown.email) {
        throw refuse('conflict', { message: "The address is the identity provider's to change" });
      }
      const body = fit(accountChange, accountChangeOf(call.body, shown), 'invalid-request');
      return presentAccount(await own({ body }));
    },
  },
};

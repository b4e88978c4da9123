/** Users, organizations and keys as clients in the field read them (C-15, C-21, C-39). */
import { z } from 'zod';
import { userChange } from '../directory/change-user.ts';
import { organizationChange } from '../directory/organization-routes.ts';
import { asItComes, changesOf, listed, type Presentation } from './presentation.ts';

const record = z.looseObject({ id: z.string() });

const user = 'GET /users/:userId';

/** An organization is changed under its own address; nobody need say twice which (C-11). */
const changedOrganization: Presentation = {
  body: asItComes,
  output: record,
  async show(call, own, ask) {
    const { organizationId } = call.params;
    const shown = await ask('GET /organizations/:organizationId', call, {});
    const body = { organization: organizationId, ...call.body };
    return own({ body: changesOf(organizationChange, body, shown) });
  },
};

/** By plain route. */
export const directoryPresentations: Readonly<Record<string, Presentation>> = {
  'GET /organizations/': listed,
  'GET /users/': listed,
  'GET /tokens/': listed,
  'PATCH /organizations/:organizationId': changedOrganization,
  'POST /organizations/:organizationId': changedOrganization,
  'PATCH /users/:userId': {
    body: asItComes,
    output: record,
    async show(call, own, ask) {
      const [shown = {}] = (await ask(user, call, {})) ?? [];
      return own({ body: changesOf(userChange, call.body, shown) });
    },
  },
  'POST /users/:userId': {
    body: asItComes,
    output: record,
    // What is not given is cleared, so all counts but what is shown empty: that is cleared already.
    show: async (call, own) => own({ body: changesOf(userChange, call.body, { name: '', email: '' }) }),
  },
  'GET /users/:userId': {
    output: record,
    // The plain surface answers a list of one.
    show: async (_call, own) => (await own())[0],
  },
  'DELETE /users/:userId': {
    output: record.extend({ success: z.boolean() }),
    async show(call, own, ask) {
      const [shown] = (await ask(user, call, {})) ?? [];
      return { ...shown, ...(await own()) };
    },
  },
};

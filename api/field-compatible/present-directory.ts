/** Users, organizations and keys as clients in the field read them (C-15, C-21, C-39). */
import { z } from 'zod';
import { listed, type Presentation } from './presentation.ts';

const record = z.looseObject({ id: z.string() });

/** By plain route. */
export const directoryPresentations: Readonly<Record<string, Presentation>> = {
  'GET /organizations/': listed,
  'GET /users/': listed,
  'GET /tokens/': listed,
  'GET /users/:userId': {
    output: record,
    // The plain surface answers a list of one.
    show: async (_call, own) => (await own())[0],
  },
  'DELETE /users/:userId': {
    output: record.extend({ success: z.boolean() }),
    async show(call, own, ask) {
      const [user] = (await ask('GET /users/:userId', call, {})) ?? [];
      return { ...user, ...(await own()) };
    },
  },
};

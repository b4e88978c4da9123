/** API keys under the name the contract in the field has for them: tokens (A-7, C-39). */
import { z } from 'zod';
import { isoTime } from '../../gateway/runtime/clock.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { noParams, objectId } from '../http/field-shapes.ts';
import { type AnyRoute, route } from '../http/route.ts';
import type { DirectoryEdges } from './directory-edges.ts';
import { createKey, deleteKey, type KeyRow, keysOf } from './keys.ts';
import { mayDo } from './principal.ts';

const tokenAnswer = z.object({ id: z.string(), name: z.string(), createdAt: z.string() }).meta({ id: 'ApiKey' });
const oneToken = z.object({ tokenId: objectId });

function showToken(row: KeyRow): z.input<typeof tokenAnswer> {
  return { id: row.id, name: row.name, createdAt: isoTime(row.created_at) };
}

export function tokenRoutes(edges: DirectoryEdges): AnyRoute[] {
  const common = { access: 'person', status: 200, noStore: true } as const;
  const requireOwn = async (accountId: string, keyId: string): Promise<KeyRow> => {
    const [row] = await keysOf(edges.database, accountId, keyId);
    if (row === undefined) throw refuse('not-found');
    return row;
  };
  return [
    route({
      ...common,
      method: 'POST',
      path: '/tokens/',
      summary: 'Create an API key; its value is shown here only',
      params: noParams,
      body: z.object({ name: z.string().min(1).max(100) }),
      output: tokenAnswer.extend({ raw: z.string() }),
      refuses: ['access-denied'],
      async handle({ principal, body }) {
        // only roles that may write get one.
        const owner = principal.memberships.find((membership) => mayDo(membership, 'write'));
        if (owner === undefined) throw refuse('access-denied');
        const { createdAt, ...key } = await createKey(edges.database, edges, { userId: owner.userId, name: body.name });
        return { ...key, createdAt: isoTime(createdAt) };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/tokens/',
      summary: "The caller's API keys, without their values",
      params: noParams,
      output: z.array(tokenAnswer),
      refuses: [],
      async handle({ principal }) {
        return (await keysOf(edges.database, principal.accountId)).map(showToken);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/tokens/:tokenId',
      summary: 'One API key of the caller, without its value',
      params: oneToken,
      output: tokenAnswer,
      refuses: ['not-found'],
      async handle({ params, principal }) {
        return showToken(await requireOwn(principal.accountId, params.tokenId));
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/tokens/:tokenId',
      summary: 'End an API key',
      status: 204,
      params: oneToken,
      output: z.undefined(),
      refuses: ['not-found'],
      async handle({ params, principal }) {
        const { id } = await requireOwn(principal.accountId, params.tokenId);
        await deleteKey(edges.database, id);
        return undefined;
      },
    }),
  ];
}

/** Routes of API keys, which the contract in the field calls tokens. */
import { z } from 'zod';
import { refuse } from '../../../reasons/refusals.ts';
import { isoTime } from '../../../runtime/clock.ts';
import { transact } from '../../../runtime/database/database.ts';
import { mayDo, type Principal } from '../../access/principal.ts';
import type { DirectoryDeps } from '../../directory/directory-deps.ts';
import { createKey, deleteKey, type KeyRow, keysFor, refuseMoreKeys } from '../../directory/keys.ts';
import { openedBy } from '../../directory/narrow-credential.ts';
import { directoryStore } from '../../directory/store.ts';
import { type AnyRoute, route } from '../../http/route.ts';

const tokenAnswer = z.object({ id: z.string(), name: z.string(), createdAt: z.string() }).meta({ id: 'ApiKey' });

function showToken(row: KeyRow): z.input<typeof tokenAnswer> {
  return { id: row.id, name: row.name, createdAt: isoTime(row.created_at) };
}

export function tokenRoutes(deps: DirectoryDeps): AnyRoute[] {
  const requireOwn = async (principal: Principal, keyId: string): Promise<KeyRow> => {
    const [row] = await keysFor(deps.db, principal, keyId);
    if (row === undefined) throw refuse('not-found');
    return row;
  };
  return [
    creationRoute(deps),
    route('GET /tokens/', {
      noStore: true,
      summary: "The caller's API keys, without their values",
      output: z.array(tokenAnswer),
      refuses: [],
      async handle({ principal }) {
        return (await keysFor(deps.db, principal)).map(showToken);
      },
    }),
    route('GET /tokens/:tokenId', {
      noStore: true,
      summary: 'One API key of the caller, without its value',
      output: tokenAnswer,
      refuses: ['not-found'],
      async handle({ params, principal }) {
        return showToken(await requireOwn(principal, params.tokenId));
      },
    }),
    route('DELETE /tokens/:tokenId', {
      noStore: true,
      summary: 'End an API key',
      audit: { action: 'key.ended', on: 'key' },
      refuses: ['not-found'],
      async handle({ params, principal }) {
        const { id } = await requireOwn(principal, params.tokenId);
        await deleteKey(deps.db, id);
      },
    }),
  ];
}

function creationRoute(deps: DirectoryDeps): AnyRoute {
  return route('POST /tokens/', {
    noStore: true,
    summary: 'Create an API key; its value is shown here only',
    audit: { action: 'key.made', on: 'key' },
    body: z.object({ name: z.string().min(1).max(100) }),
    output: tokenAnswer.extend({ raw: z.string() }),
    refuses: ['access-denied', 'conflict'],
    async handle({ principal, body }) {
      const { createdAt, ...key } = await transact(deps.db, async (trx) => {
        const store = directoryStore(trx);
        // A key that is made after its owner's membership was given away would open it to the wrong person.
        await store.lockAccount(principal.accountId);
        // Only roles that may write get a key.
        const own = await store.membershipsOf(principal.accountId);
        const { onlyIn } = principal;
        const opened = openedBy(own, onlyIn ?? null).memberships;
        const owner = opened.find((membership) => mayDo(membership, 'write'));
        if (owner === undefined) throw refuse('access-denied');
        await refuseMoreKeys(trx, principal.accountId);
        return createKey(trx, deps, { userId: owner.userId, name: body.name, onlyIn });
      });
      return { ...key, createdAt: isoTime(createdAt) };
    },
  });
}

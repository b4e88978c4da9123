/** The log of who did what: its entries, as they are written, read and forgotten. */

import type { Database } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import type { AuditAction, AuditedKind } from '../http/audited.ts';
import type { auditTables } from './tables.ts';

/**
 * How the actor proved who they are: by an API key, a session of the console, a token, or a signed address that was
 * given to them; or it is an integration, or the holder of a guest link; or the operator on the service's machine, or the
 * service by itself; or nobody is proved, as with a sign-in that is refused.
 */
export const actorKinds = [
  'key',
  'session',
  'token',
  'address',
  'integration',
  'guest',
  'operator',
  'service',
  'unproved',
] as const;
export type ActorKind = (typeof actorKinds)[number];

/** An entry as it is stored. */
export type AuditRow = RowIn<
  typeof auditTables,
  'audit_entries',
  { actor: ActorKind; action: AuditAction; object_kind: AuditedKind }
>;

/** The filters of a page of the log. Times are epoch milliseconds: `from` is included, `until` is not. */
export interface AuditSearch {
  readonly userId?: string | undefined;
  readonly action?: AuditAction | undefined;
  readonly kind?: AuditedKind | undefined;
  readonly objectId?: string | undefined;
  readonly from?: number | undefined;
  readonly until?: number | undefined;
  /** The entry after which the list goes on. */
  readonly before?: Pick<AuditRow, 'at' | 'id'> | undefined;
  readonly limit: number;
}

/** The log's queries over a database or a transaction. */
export function auditLog(db: Database) {
  const entries = () => db<AuditRow>('audit_entries');
  return {
    insert: (rows: readonly AuditRow[]): Promise<unknown> => entries().insert([...rows]),

    find: (organizationId: string, id: string): Promise<AuditRow | undefined> =>
      entries().where({ organization_id: organizationId, id }).first(),

    /** Lists entries of an organization, the newest first. */
    page(organizationId: string, search: AuditSearch): Promise<AuditRow[]> {
      const { userId, action, kind, objectId, from, until, before } = search;
      const query = entries().where({ organization_id: organizationId });
      if (userId !== undefined) query.where({ user_id: userId });
      if (action !== undefined) query.where({ action });
      if (kind !== undefined) query.where({ object_kind: kind });
      if (objectId !== undefined) query.where({ object_id: objectId });
      if (from !== undefined) query.where('at', '>=', from);
      if (until !== undefined) query.where('at', '<', until);
      if (before !== undefined) query.whereRaw('(at, id) < (?, ?)', [before.at, before.id]);
      return query
        .orderBy([
          { column: 'at', order: 'desc' },
          { column: 'id', order: 'desc' },
        ])
        .limit(search.limit);
    },

    forget: (before: number): Promise<number> => entries().where('at', '<', before).delete(),
  };
}

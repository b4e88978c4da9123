/** What is stored about organizations, accounts and the users that join them. */
import type { Knex } from 'knex';
import { type Database, isPostgres } from '../../gateway/runtime/database.ts';
import { foldedSql, foldText } from '../../gateway/runtime/fold-text.ts';
import { allRows, type SqlPart } from '../../gateway/runtime/plain-sql.ts';
import { isId } from '../../gateway/runtime/random.ts';
import type { Membership, Role } from './principal.ts';

/** A row of `organizations`. Times are epoch milliseconds, `meta` is JSON. */
export interface OrganizationRow {
  id: string;
  name: string;
  email: string;
  kind: string | null;
  meta: string;
  created_at: number;
  updated_at: number;
}

/** A row of `accounts`. `subject` is the account's own id, or `issuer|subject` of the identity provider. */
export interface AccountRow {
  id: string;
  subject: string;
  email: string;
  first_name: string | null;
  last_name: string | null;
  created_at: number;
  updated_at: number;
}

/**
 * A row of `users`: one account's membership in one organization. `invite_code` is the hash of a code that makes whoever
 * redeems it this user, until `invite_until`.
 */
export interface UserRow {
  id: string;
  account_id: string;
  organization_id: string;
  name: string;
  email: string;
  category: string | null;
  role: Role;
  timezone: string | null;
  avatar: string | null;
  meta: string;
  invite_code: string | null;
  invite_until: number | null;
  created_at: number;
  updated_at: number;
}

/** What of a user's row says what they are in their organization. */
export type MembershipColumns = Pick<UserRow, 'id' | 'organization_id' | 'role' | 'name'>;
export const membershipColumns = 'users.id, users.organization_id, users.role, users.name';

/** A user's row as a membership. */
export function asMembership(row: MembershipColumns): Membership {
  return { userId: row.id, organizationId: row.organization_id, role: row.role, name: row.name };
}

/** Which users a list shows. `order` holds SQL from the allow-list of columns alone. */
export interface UserSearch {
  readonly organizationId: string;
  readonly userId?: string;
  readonly name?: string;
  readonly role?: string;
  /** What people typed, which may be an id, and the pattern that finds it. */
  readonly search?: { readonly text: string; readonly pattern: string };
  readonly order: readonly string[];
  readonly limit: number;
  readonly offset: number;
}

/** The directory's queries over a database or a transaction. */
export function directoryStore(db: Database) {
  return {
    organization: (id: string): Promise<OrganizationRow | undefined> =>
      db<OrganizationRow>('organizations').where({ id }).first(),

    organizations: (ids: readonly string[]): Promise<OrganizationRow[]> =>
      db<OrganizationRow>('organizations').whereIn('id', ids).orderBy(['created_at', 'id']),

    insertOrganization: (row: OrganizationRow): Promise<unknown> => db('organizations').insert(row),

    changeOrganization: (id: string, change: Partial<OrganizationRow>): Promise<number> =>
      db('organizations').where({ id }).update(change),

    account: (id: string): Promise<AccountRow | undefined> => db<AccountRow>('accounts').where({ id }).first(),

    accountOfSubject: (subject: string): Promise<AccountRow | undefined> =>
      db<AccountRow>('accounts').where({ subject }).first(),

    insertAccount: (row: AccountRow): Promise<unknown> => db('accounts').insert(row),

    async membershipsOf(accountId: string): Promise<Membership[]> {
      const sql = `select ${membershipColumns} from users where account_id = ? order by created_at, id`;
      return (await allRows<MembershipColumns>(db, sql, [accountId])).map(asMembership);
    },

    user: (id: string): Promise<UserRow | undefined> => db<UserRow>('users').where({ id }).first(),

    users: (search: UserSearch): Promise<UserRow[]> => {
      const query = db('users').where({ organization_id: search.organizationId });
      if (search.userId !== undefined) query.where({ id: search.userId });
      if (search.role !== undefined) query.where({ role: search.role });
      if (search.name !== undefined) query.where(isTrue(contains(db, 'name', search.name)));
      if (search.search !== undefined) {
        const { text, pattern } = search.search;
        query.where((where) => {
          for (const column of ['name', 'email']) where.orWhere(isTrue(contains(db, column, pattern)));
          if (isId(text)) where.orWhere({ id: text });
        });
      }
      for (const order of search.order) query.orderByRaw(order);
      return query.limit(search.limit).offset(search.offset).select<UserRow[]>('*');
    },

    insertUser: (row: Omit<UserRow, 'invite_until'>): Promise<unknown> => db('users').insert(row),

    changeUser: (id: string, change: Partial<UserRow>): Promise<number> => db('users').where({ id }).update(change),

    /** Removes a membership, and the account that stood for an invitation nobody redeemed. */
    async removeUser(user: UserRow): Promise<void> {
      await passKeysOn(db, user);
      await db('users').where({ id: user.id }).delete();
      await db('accounts')
        .where({ id: user.account_id, subject: invitedSubject(user.id) })
        .delete();
    },

    removeOrganization: (id: string): Promise<number> => db('organizations').where({ id }).delete(),

    /** Holds the organization until the transaction ends: who is its admin does not change meanwhile. */
    lockOrganization: (id: string): Promise<number> =>
      db('organizations')
        .where({ id })
        .update({ updated_at: db.ref('updated_at') }),
  };
}

/**
 * When an account loses a membership, the keys that hang on it go over to another one of the account, and end where it has
 * none: a key is its owner's, not the organization's (C-40).
 * @param lost the row as the account had it
 */
export async function passKeysOn(db: Database, lost: Pick<UserRow, 'id' | 'account_id'>): Promise<void> {
  // Of two memberships that end at once, the second one waits and sees the keys that the first one left.
  await db('accounts')
    .where({ id: lost.account_id })
    .update({ updated_at: db.ref('updated_at') });
  const left = await db<UserRow>('users')
    .where({ account_id: lost.account_id })
    .whereNot({ id: lost.id })
    .orderBy(['created_at', 'id'])
    .first('id');
  const keys = db('api_keys').where({ user_id: lost.id });
  await (left === undefined ? keys.delete() : keys.update({ user_id: left.id }));
}

/** Subject of the account that stands for a user who has not come yet: nobody can prove to be it. */
export function invitedSubject(userId: string): string {
  return `invited|${userId}`;
}

/**
 * SQL for a `like` over an expression of ours, without regard to case (C-18); the pattern is bound and escaped with a
 * backslash (T-20). Letters beyond ASCII cost a call of ours for each row, so the others go without.
 */
export function contains(db: Database, expression: string, pattern: string): SqlPart {
  return /^[\0-\x7f]*$/.test(pattern)
    ? { sql: `lower(${expression}) like lower(?) escape '\\'`, bindings: [pattern] }
    : { sql: `${foldedSql(db, expression)} like ? escape '\\'`, bindings: [foldText(pattern)] };
}

/** A condition, as a query that is being built takes it. */
export const isTrue =
  ({ sql, bindings }: SqlPart) =>
  (where: Knex.QueryBuilder): void => {
    where.whereRaw(sql, [...bindings] as string[]);
  };

/** SQL that reads a text out of a JSON column; both names are of our own code. */
export function jsonText(db: Database, column: string, field: string): string {
  return isPostgres(db) ? `(${column}::json->>'${field}')` : `json_extract(${column}, '$.${field}')`;
}

/** Stores organizations, accounts, and the users that join them. */

import { refuse } from '../../reasons/refusals.ts';
import type { Database } from '../../runtime/database/database.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';
import type { NewRowIn, RowIn } from '../../runtime/database/table.ts';
import { isId } from '../../runtime/random.ts';
import type { Membership, Role } from '../access/principal.ts';
import { requireShort } from '../http/list-query.ts';
import type { directoryTables } from './tables.ts';
import { contains, isTrue } from './text-conditions.ts';

/** A row of `organizations`. */
export type OrganizationRow = RowIn<typeof directoryTables, 'organizations'>;

/** A row of `accounts`. */
export type AccountRow = RowIn<typeof directoryTables, 'accounts'>;

/** The position of a person in an organization, besides their role. */
export const userCategories = ['doctor', 'nurse', 'patient', 'pharmacist', 'relative'] as const;
export type UserCategory = (typeof userCategories)[number];

/** A row of `users`. */
export type UserRow = RowIn<typeof directoryTables, 'users', { category: UserCategory | null; role: Role }>;

/** A user with the subject of their account, which returns whether a person has become this user. */
export interface ShownUserRow extends UserRow {
  readonly account_subject: string;
}

const accountSubject = '(select subject from accounts where accounts.id = users.account_id) as account_subject';

/** The columns of a user that make up the membership. */
export type MembershipColumns = Pick<UserRow, 'id' | 'organization_id' | 'role' | 'name'> & {
  readonly vouched_by: string | null;
};
export const membershipColumns = `users.id, users.organization_id, users.role, users.name,
  (select vouched_by from organizations where organizations.id = users.organization_id) as vouched_by`;

export function asMembership({ id, organization_id, role, name, vouched_by }: MembershipColumns): Membership {
  const membership = { userId: id, organizationId: organization_id, role, name };
  return vouched_by === null ? membership : { ...membership, vouchedBy: vouched_by };
}

/** The filters of a list of users. `order` holds SQL from the allow-list of columns alone. */
export interface UserSearch {
  readonly organizationId: string;
  readonly userId?: string;
  readonly name?: string;
  readonly role?: string;
  /** The text that a person typed, which may be an id, and the pattern that finds it. */
  readonly search?: { readonly text: string; readonly pattern: string };
  readonly order: readonly string[];
  readonly limit: number;
  readonly offset: number;
}

/** The directory's queries over a database or a transaction. */
export function directoryStore(db: Database) {
  return { ...organizationQueries(db), ...accountQueries(db), ...userQueries(db) };
}

function organizationQueries(db: Database) {
  return {
    organization: (id: string): Promise<OrganizationRow | undefined> =>
      db<OrganizationRow>('organizations').where({ id }).first(),

    organizations: (ids: readonly string[]): Promise<OrganizationRow[]> =>
      db<OrganizationRow>('organizations').whereIn('id', ids).orderBy(['created_at', 'id']),

    insertOrganization: (row: OrganizationRow): Promise<unknown> => db('organizations').insert(row),

    changeOrganization: (id: string, change: Partial<OrganizationRow>): Promise<number> =>
      db('organizations').where({ id }).update(change),

    removeOrganization: (id: string): Promise<number> => db('organizations').where({ id }).delete(),

    /**
     * Locks the organization until the transaction ends, so that its admins do not change meanwhile.
     * @throws Refusal `not-found` for one that is gone
     */
    lockOrganization: (id: string): Promise<void> => hold(db, 'organizations', id),
  };
}

function accountQueries(db: Database) {
  return {
    account: (id: string): Promise<AccountRow | undefined> => db<AccountRow>('accounts').where({ id }).first(),

    accountOfSubject: (subject: string): Promise<AccountRow | undefined> =>
      db<AccountRow>('accounts').where({ subject }).first(),

    insertAccount: (row: NewRowIn<typeof directoryTables, 'accounts'>): Promise<unknown> => db('accounts').insert(row),

    changeAccount: (id: string, change: Partial<AccountRow>): Promise<number> =>
      db('accounts').where({ id }).update(change),

    removeAccount: (id: string): Promise<number> => db('accounts').where({ id }).delete(),

    async membershipsOf(accountId: string): Promise<Membership[]> {
      const sql = `select ${membershipColumns} from users where account_id = ? order by created_at, id`;
      return (await allRows<MembershipColumns>(db, sql, [accountId])).map(asMembership);
    },

    /**
     * Locks the account until the transaction ends, so that neither it nor its memberships end meanwhile.
     * @throws Refusal `not-authenticated` for one that is gone
     */
    lockAccount: (id: string): Promise<void> => hold(db, 'accounts', id),
  };
}

function userQueries(db: Database) {
  return {
    user: (id: string): Promise<UserRow | undefined> => db<UserRow>('users').where({ id }).first(),

    /**
     * Finds a user with the account's subject.
     * @throws Refusal `not-found` for one that is gone
     */
    async shownUser(id: string): Promise<ShownUserRow> {
      const row = await db('users').where({ id }).first('*', db.raw(accountSubject));
      if (row === undefined) throw refuse('not-found');
      return row;
    },

    async users(search: UserSearch): Promise<ShownUserRow[]> {
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
      query.limit(search.limit).offset(search.offset);
      await requireShort(db, query, { limit: search.limit, sharer: [search.organizationId] });
      return query.select<ShownUserRow[]>('*', db.raw(accountSubject));
    },

    insertUser: (
      row: NewRowIn<typeof directoryTables, 'users', Pick<UserRow, 'category' | 'role'>>,
    ): Promise<unknown> => db('users').insert(row),

    changeUser: (id: string, change: Partial<UserRow>): Promise<number> => db('users').where({ id }).update(change),

    /** Removes a membership. That succeeds whatever its account has made elsewhere (T-66). */
    async removeUser(user: UserRow): Promise<void> {
      await passKeysOn(db, user);
      await db('users').where({ id: user.id }).delete();
      await endInvitedAccount(db, user.account_id);
    },
  };
}

async function hold(db: Database, table: 'organizations' | 'accounts', id: string): Promise<void> {
  const held = await db(table)
    .where({ id })
    .update({ updated_at: db.ref('updated_at') });
  if (held === 0) throw refuse(table === 'accounts' ? 'not-authenticated' : 'not-found');
}

/**
 * Keeps an organization from being removed until the transaction ends, for a row that is to belong to it (T-66).
 * @throws Refusal `not-found` for one that is gone
 */
export async function keepOrganization(db: Database, id: string): Promise<void> {
  const kept = await db('organizations').where({ id }).forShare().first('id');
  if (kept === undefined) throw refuse('not-found');
}

/**
 * Moves the keys of a lost membership to another one of the account, and deletes them when it has none: a key is its
 * owner's, not the organization's (C-40).
 * @param lost the row as the account had it
 */
export async function passKeysOn(db: Database, lost: Pick<UserRow, 'id' | 'account_id'>): Promise<void> {
  // Of two memberships that end at once, the second one waits and sees the keys that the first one left.
  await directoryStore(db).lockAccount(lost.account_id);
  const left = await db<UserRow>('users')
    .where({ account_id: lost.account_id })
    .whereNot({ id: lost.id })
    .orderBy(['created_at', 'id'])
    .first('id');
  const keys = db('api_keys').where({ user_id: lost.id });
  await (left === undefined ? keys.delete() : keys.update({ user_id: left.id }));
}

/** Returns the subject of an account for a user whose person has not come yet: nobody can prove to be it. */
export function invitedSubject(userId: string): string {
  return `invited|${userId}`;
}

/** Returns the subject of an account that the identity provider attests. */
export function providedSubject(issuer: string, providerId: string): string {
  return `${issuer}|${providerId}`;
}

/**
 * Ends an account that an invitation made, once its last membership is gone. An owner with a key may have made more of
 * them.
 */
export async function endInvitedAccount(db: Database, id: string): Promise<void> {
  await db('accounts')
    .where({ id })
    .where('subject', 'like', invitedSubject('%'))
    .whereNotExists(db('users').where({ account_id: id }).select('id'))
    .delete();
}

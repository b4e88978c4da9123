/** Sessions of browsers: 32 random bytes in a cookie, of which the hash is stored. They end by themselves. */

import { hash as hashOf } from 'node:crypto';
import type { Clock } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database/database.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import type { Random } from '../../runtime/random.ts';
import type { Principal } from '../access/principal.ts';
import { openedBy, visiblePart } from './narrow-credential.ts';
import { asMembership, directoryStore, type MembershipColumns, membershipColumns } from './store.ts';
import type { directoryTables } from './tables.ts';

/** A session as it is stored. Times are epoch milliseconds. */
export type SessionRow = RowIn<typeof directoryTables, 'sessions', { way: SignInWay | null }>;

/** How people sign in: `link` is one of the operator, `member-link` one of an administrator, `pairing` another browser of theirs. */
export const signInWays = [
  'link',
  'key',
  'invitation',
  'provider',
  'passkey',
  'member-link',
  'mail',
  'pairing',
] as const;
export type SignInWay = (typeof signInWays)[number];

/** The person that a session belongs to, and the way of signing in that it came from. */
export interface SessionOwner {
  readonly accountId: string;
  readonly way: SignInWay;
  readonly keyId?: string | undefined;
  readonly passkeyId?: string | undefined;
  /** The one organization that it is to open. */
  readonly onlyIn?: string | undefined;
  /** Whether its person stays signed in: it then ends after a year without use. */
  readonly stays?: boolean | undefined;
  readonly browser: string | undefined;
}

type SignInCodeRow = RowIn<typeof directoryTables, 'sign_in_codes'>;

const dayMs = 86_400_000;
/** A session that nobody uses for this time ends. */
const idleMs = 7 * dayMs;
/** The longest that a session lives, however much it is used. */
const maxSessionMs = 30 * dayMs;
/** A session whose person stays signed in ends after this time without use, and not before. */
const stayMs = 365 * dayMs;
/** Its use is written down this often: every request reads a session, and none shall wait for a write. */
const noteEveryMs = 3_600_000;
/** The sessions of one account that live side by side; the one that was not used for longest makes room. */
const maxSessions = 50;
/** The time for which the code of a link is good. */
export const codeLifetimeMs = 10 * 60_000;

/** A session that just began. `secret` goes into the cookie and is kept nowhere. */
export interface StartedSession {
  readonly secret: string;
  readonly row: SessionRow;
}

/**
 * Starts a session in a transaction.
 * @throws Refusal `not-authenticated` for an account that ended meanwhile
 */
export async function startSession(
  db: Database,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  owner: SessionOwner,
): Promise<StartedSession> {
  await directoryStore(db).lockAccount(owner.accountId);
  const [secret, now] = [random.secret(32), clock.now()];
  const row: SessionRow = {
    id: random.id(),
    account_id: owner.accountId,
    key_id: owner.keyId ?? null,
    passkey_id: owner.passkeyId ?? null,
    organization_id: owner.onlyIn ?? null,
    way: owner.way,
    ...lifetimeOf(owner.stays === true, now, now),
    hash: digest(secret),
    browser: owner.browser?.slice(0, 200) ?? null,
    created_at: now,
    used_at: now,
  };
  const all = await liveSessions(db, owner.accountId, now);
  const surplus = all.slice(maxSessions - 1).map(({ id }) => id);
  if (surplus.length > 0) await db<SessionRow>('sessions').whereIn('id', surplus).delete();
  await db<SessionRow>('sessions').insert(row);
  return { secret, row };
}

/** Returns the columns that determine when a session ends. */
const lifetimeOf = (stays: boolean, createdAt: number, now: number): Pick<SessionRow, 'idle_ms' | 'ends_at'> =>
  stays ? { idle_ms: stayMs, ends_at: now + stayMs } : { idle_ms: null, ends_at: createdAt + maxSessionMs };

/** Returns for how many seconds the cookie of a session is good: as long as the session may live without another word. */
export const cookieSeconds = ({ idle_ms: idle }: Pick<SessionRow, 'idle_ms'>): number =>
  (idle === null ? maxSessionMs : idle) / 1000;

/** The sessions of the caller's account that live and that they may know of, the one that was used last in front. */
export async function sessionsFor(db: Database, caller: Principal, now: number): Promise<SessionRow[]> {
  return liveSessions(db, caller.accountId, now).where(visiblePart(caller, 'sessions'));
}

function liveSessions(db: Database, accountId: string, now: number) {
  return db<SessionRow>('sessions')
    .where({ account_id: accountId })
    .where('ends_at', '>', now)
    .whereRaw('used_at + coalesce(idle_ms, ?) > ?', [idleMs, now])
    .orderBy([{ column: 'used_at', order: 'desc' }, 'id']);
}

/** Says whether the person of a session stays signed in, from now on. */
export async function keepSession(db: Database, { id, created_at }: SessionRow, stays: boolean, now: number) {
  await db<SessionRow>('sessions')
    .where({ id })
    .update({ ...lifetimeOf(stays, created_at, now), used_at: now });
}

const sessionOwner = `select sessions.id as session_id, sessions.account_id, sessions.used_at, sessions.idle_ms,
  sessions.organization_id as only_in, ${membershipColumns},
  (select vouched_by from accounts where accounts.id = sessions.account_id) as account_vouched_by
  from sessions left join users on users.account_id = sessions.account_id
  where sessions.hash = ? and sessions.ends_at > ? and sessions.used_at + coalesce(sessions.idle_ms, ?) > ?
  order by users.created_at, users.id`;

type OwnerColumns = { [Column in keyof MembershipColumns]: MembershipColumns[Column] | null } & {
  session_id: string;
  account_id: string;
  used_at: number;
  idle_ms: number | null;
  only_in: string | null;
  account_vouched_by: string | null;
};

/** Finds the account of a session, with its memberships of this moment; undefined when the session has ended. */
export async function findSessionOwner(db: Database, secret: string, now: number): Promise<Principal | undefined> {
  const rows = await allRows<OwnerColumns>(db, sessionOwner, [digest(secret), now, idleMs, now]);
  const [first] = rows;
  if (first === undefined) return undefined;
  if (now - first.used_at >= noteEveryMs) {
    const slides = first.idle_ms === null ? {} : { ends_at: now + first.idle_ms };
    await db<SessionRow>('sessions')
      .where({ id: first.session_id })
      .update({ used_at: now, ...slides });
  }
  const members = rows.filter((row): row is OwnerColumns & MembershipColumns => row.id !== null);
  const { account_id: accountId, session_id: sessionId, account_vouched_by: vouchedBy } = first;
  const opened = openedBy(members.map(asMembership), first.only_in);
  return { accountId, sessionId, ...opened, ...(vouchedBy !== null && { vouchedBy }) };
}

/** Ends a session that the caller may know of; returns whether there was one. */
export async function endSession(db: Database, caller: Principal, id: string): Promise<boolean> {
  const own = db<SessionRow>('sessions')
    .where({ id, account_id: caller.accountId })
    .where(visiblePart(caller, 'sessions'));
  return (await own.delete()) > 0;
}

/** Makes the code of a sign-in link; without an account it is the code that makes the first organization. */
export async function makeSignInCode(
  db: Database,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  accountId: string | null,
): Promise<{ readonly code: string; readonly endsAt: number }> {
  const [code, endsAt] = [random.secret(32), clock.now() + codeLifetimeMs];
  await db<SignInCodeRow>('sign_in_codes').insert({ hash: digest(code), account_id: accountId, ends_at: endsAt });
  return { code, endsAt };
}

/**
 * Takes a person's code and returns their account: a code works once, however many try at the same moment. Undefined for
 * one that is unknown, used, too old, or of the first run.
 */
export async function takeSignInCode(db: Database, code: string, now: number): Promise<string | undefined> {
  const good = () => goodCode(db, code, now).whereNotNull('account_id');
  const row = await good().first();
  return row?.account_id != null && (await good().delete()) === 1 ? row.account_id : undefined;
}

/** Returns whose link a code is of that comes too late; undefined for every other code. */
export async function lateOwner(db: Database, code: string, now: number): Promise<string | undefined> {
  const row = await db<SignInCodeRow>('sign_in_codes')
    .where({ hash: digest(code) })
    .where('ends_at', '<=', now)
    .first('account_id');
  return row?.account_id ?? undefined;
}

/**
 * Takes the code of the first run, and every other such code with it: of two transactions that take two of them, one
 * fails. False for one that is unknown, used, too old, or a person's.
 */
export async function takeFirstRunCode(db: Database, code: string, now: number): Promise<boolean> {
  if ((await goodCode(db, code, now).whereNull('account_id').delete()) !== 1) return false;
  await db<SignInCodeRow>('sign_in_codes').whereNull('account_id').delete();
  return true;
}

/** Returns whether a code is one with which the first organization can be made now. */
export const isFirstRunCode = async (db: Database, code: string, now: number): Promise<boolean> =>
  (await goodCode(db, code, now).whereNull('account_id').first('hash')) !== undefined;

const goodCode = (db: Database, code: string, now: number) =>
  db<SignInCodeRow>('sign_in_codes')
    .where({ hash: digest(code) })
    .where('ends_at', '>', now);

/** Deletes what has ended. */
export async function forgetSessions(db: Database, now: number): Promise<number> {
  await db<SignInCodeRow>('sign_in_codes').where('ends_at', '<=', now).delete();
  return db<SessionRow>('sessions')
    .where('ends_at', '<=', now)
    .orWhereRaw('used_at + coalesce(idle_ms, ?) <= ?', [idleMs, now])
    .delete();
}

const digest = (secret: string): string => hashOf('sha256', secret, 'hex');

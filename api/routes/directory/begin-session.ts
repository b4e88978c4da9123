/** Begins a session, for every way of signing in: its row, its cookie, and its entry in the log of who did what. */
import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { isoTime } from '../../../runtime/clock.ts';
import { type Transaction, transact } from '../../../runtime/database/database.ts';
import { addressBucket } from '../../../runtime/plain-address.ts';
import type { DirectoryDeps } from '../../directory/directory-deps.ts';
import { isOfOthers, writeSessionCookie } from '../../directory/session-cookie.ts';
import {
  cookieSeconds,
  type SessionOwner,
  type SessionRow,
  signInWays,
  startSession,
} from '../../directory/sessions.ts';
import type { Made } from '../../http/audited.ts';
import type { Arrival, Call } from '../../http/route.ts';

/** A session as its person sees it. */
export const sessionShown = z
  .object({
    id: z.string(),
    createdAt: z.string(),
    usedAt: z.string().describe('to the hour'),
    endsAt: z
      .string()
      .describe('at the latest; seven days without use end it sooner. Where `stays`, if it is not used'),
    stays: z.boolean().describe('its person stays signed in: it ends after a year without use'),
    way: z.enum(signInWays).nullable().describe('how it began, where that was written down'),
    browser: z.string().nullable().describe('what the browser said of itself'),
    isCurrent: z.boolean(),
  })
  .meta({ id: 'Session' });

/** Presents a session; `current` is the id of the caller's own. */
export const showSession = (row: SessionRow, current: string | undefined): z.input<typeof sessionShown> => ({
  id: row.id,
  createdAt: isoTime(row.created_at),
  usedAt: isoTime(row.used_at),
  endsAt: isoTime(row.ends_at),
  stays: row.idle_ms !== null,
  way: row.way,
  browser: row.browser,
  isCurrent: row.id === current,
});

/** The field of a body by which a person stays signed in. */
export const stays = z.boolean().optional().describe('stay signed in on this device: for a year without use');

/** The common fields of routes by which somebody signs in. */
export const signInCommon = {
  noStore: true,
  access: 'anyone',
  status: 201,
  output: sessionShown,
  setsCookie: 'papergate_session, HttpOnly and SameSite=Strict',
  audit: { action: 'session.started', on: 'session' },
} as const;

/**
 * Admits who wants to sign in. Nobody is signed in to the account of somebody else by a page that they only visit (T-69),
 * and attempts are counted by address.
 * @throws Refusal `access-denied`, `rate-limited`
 */
export const admitSignIn =
  ({ limitSignIns }: Pick<DirectoryDeps, 'limitSignIns'>) =>
  async (arrival: Pick<Arrival, 'address' | 'headers' | 'caller'>): Promise<void> => {
    requireOwnPage(arrival);
    await limitSignIns.count(`address ${addressBucket(arrival.address)}`);
  };

/**
 * Refuses what a page of somebody else has sent.
 * @throws Refusal `access-denied`
 */
export function requireOwnPage({ headers, caller }: Pick<Arrival, 'headers' | 'caller'>): void {
  const { ownHosts, origin } = caller.origin();
  if (!isOfOthers(headers, ownHosts)) return;
  const page = (headers.origin ?? 'another origin').slice(0, 200);
  throw refuse('access-denied', { hint: reasonOf('sign-in-elsewhere', { page, asked: origin || 'no host' }) });
}

/** Who signs in, as the transaction that begins the session finds it, and what was made for them. */
export type FoundOwner = Omit<SessionOwner, 'browser' | 'stays'> & { readonly made?: readonly Made[] };

/** Begins a session, sets its cookie, and notes who signed in and how. */
export async function beginSession(
  deps: Pick<DirectoryDeps, 'db' | 'clock' | 'random'>,
  { headers, caller, note }: Pick<Call, 'headers' | 'caller' | 'note'>,
  isToStay: boolean | undefined,
  find: (trx: Transaction) => Promise<FoundOwner>,
): Promise<z.input<typeof sessionShown>> {
  const { secret, row, made } = await transact(deps.db, async (trx) => {
    const { made = [], ...owner } = await find(trx);
    const begun = { ...owner, stays: isToStay, browser: headers['user-agent'] };
    return { ...(await startSession(trx, deps, begun)), made };
  });
  note({
    id: row.id,
    accountId: row.account_id,
    sessionId: row.id,
    values: { by: row.way },
    ...(row.key_id !== null && row.way === 'key' && { keyId: row.key_id }),
    made,
  });
  caller.setCookie(writeSessionCookie(secret, cookieSeconds(row), caller.origin()));
  return showSession(row, row.id);
}

/** Creates an organization and its first admin; `papergate setup` does so as well. */
import { createHash } from 'node:crypto';
import type { Clock } from '../../runtime/clock.ts';
import { type Database, isUniqueViolation, transact } from '../../runtime/database.ts';
import type { Random } from '../../runtime/random.ts';
import { metaText } from '../http/field-shapes.ts';
import { directoryStore } from './store.ts';

export interface CreateDeps {
  readonly clock: Clock;
  readonly random: Random;
}

/** The organization to create. `admin` is an account that exists, or the person to make one for. */
export interface NewOrganization {
  readonly name: string;
  readonly email: string;
  readonly kind: string | null;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly admin: { readonly name: string } & ({ readonly accountId: string } | { readonly email: string });
}

/**
 * Creates the organization and its admin, who is the creator (C-42), in one transaction.
 * @throws Refusal `not-authenticated` for an account that ended meanwhile
 */
export function createOrganization(
  db: Database,
  deps: CreateDeps,
  wanted: NewOrganization,
): Promise<{ organizationId: string; userId: string; accountId: string }> {
  return transact(db, async (trx) => {
    const { admin } = wanted;
    const store = directoryStore(trx);
    if ('accountId' in admin) await store.lockAccount(admin.accountId);
    const accountId = 'accountId' in admin ? admin.accountId : await createAccount(trx, deps, admin);
    const times = { created_at: deps.clock.now(), updated_at: deps.clock.now() };
    const organizationId = deps.random.id();
    await store.insertOrganization({
      id: organizationId,
      name: wanted.name,
      email: wanted.email,
      kind: wanted.kind,
      meta: metaText(wanted.meta ?? {}),
      ...times,
    });
    const userId = deps.random.id();
    await store.insertUser({
      id: userId,
      account_id: accountId,
      organization_id: organizationId,
      name: admin.name,
      email: 'email' in admin ? admin.email : wanted.email,
      category: null,
      role: 'admin',
      timezone: null,
      avatar: null,
      meta: '{}',
      invite_code: null,
      ...times,
    });
    return { organizationId, userId, accountId };
  });
}

/** Makes an account and returns its id. An account without a `subject` of the identity provider is a local one. */
export async function createAccount(
  db: Database,
  deps: CreateDeps,
  person: { readonly email: string; readonly name: string; readonly subject?: string },
): Promise<string> {
  const id = uuidFrom(Buffer.from(deps.random.secret(16), 'base64url'), 4);
  const store = directoryStore(db);
  const now = deps.clock.now();
  const subject = person.subject ?? id;
  try {
    await store.insertAccount({
      id,
      subject,
      email: person.email,
      first_name: person.name,
      last_name: null,
      created_at: now,
      updated_at: now,
    });
    return id;
  } catch (error) {
    // Two first calls of one person came at once, and the other one made the account.
    const known = isUniqueViolation(error) ? await store.accountOfSubject(subject) : undefined;
    if (known === undefined) throw error;
    return known.id;
  }
}

/** Returns the UUID that stands for an organization in account answers. */
export function organizationUuid(organizationId: string): string {
  return uuidFrom(createHash('sha256').update(organizationId).digest(), 8);
}

function uuidFrom(bytes: Buffer, version: 4 | 8): string {
  const filled = Buffer.from(bytes.subarray(0, 16));
  filled[6] = ((filled[6] ?? 0) & 0x0f) | (version << 4);
  filled[8] = ((filled[8] ?? 0) & 0x3f) | 0x80;
  return filled.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

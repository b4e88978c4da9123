/** Creates an organization and its first admin; `papergate setup` does so as well. */
import { createHash } from 'node:crypto';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { type Database, isUniqueViolation, type Transaction, transact } from '../../runtime/database/database.ts';
import { metaText } from '../http/field-shapes.ts';
import { directoryStore, type OrganizationRow } from './store.ts';

export type CreateDeps = Pick<CommonDeps, 'clock' | 'random'>;

/** The organization to create. `admin` is an account that exists, or the person to make one for. */
export interface NewOrganization {
  readonly name: string;
  readonly email: string;
  readonly kind: string | null;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly admin: { readonly name: string } & ({ readonly accountId: string } | { readonly email: string });
  /** How many organizations may be made from one, itself included; the operator's own command has no bound. */
  readonly most?: number;
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
    const organizationId = deps.random.id();
    const voucher = 'accountId' in admin ? await voucherOf(trx, admin.accountId) : undefined;
    // Organizations are locked before accounts, as where an account ends.
    if (voucher !== undefined) await requireRoom(trx, voucher, wanted.most);
    if ('accountId' in admin) await store.lockAccount(admin.accountId);
    const accountId =
      'accountId' in admin ? admin.accountId : await createAccount(trx, deps, { ...admin, vouchedBy: organizationId });
    const times = { created_at: deps.clock.now(), updated_at: deps.clock.now() };
    await store.insertOrganization({
      id: organizationId,
      name: wanted.name,
      email: wanted.email,
      kind: wanted.kind,
      meta: metaText(wanted.meta ?? {}),
      vouched_by: voucher ?? null,
      ...times,
    });
    // From here on the account makes organizations from this one, also when it has left it.
    if (voucher === undefined) await store.changeAccount(accountId, { vouched_by: organizationId });
    const userId = deps.random.id();
    await store.insertUser({
      id: userId,
      account_id: accountId,
      organization_id: organizationId,
      name: admin.name,
      email: 'email' in admin ? admin.email : wanted.email,
      role: 'admin',
      meta: '{}',
      ...times,
    });
    return { organizationId, userId, accountId };
  });
}

/** Returns the organization that an account's further ones are made from; undefined for its first one. */
async function voucherOf(trx: Transaction, accountId: string): Promise<string | undefined> {
  const store = directoryStore(trx);
  const account = await store.account(accountId);
  if (account !== undefined && account.vouched_by !== null) return account.vouched_by;
  const [first] = await store.membershipsOf(accountId);
  return first?.vouchedBy ?? first?.organizationId;
}

/**
 * Refuses a further organization of what was made from one: neither accounts nor organizations that vouch for each
 * other make more of them (T-77).
 * @throws Refusal `conflict`
 */
async function requireRoom(trx: Transaction, voucher: string, most = Number.POSITIVE_INFINITY): Promise<void> {
  const made = () =>
    trx<OrganizationRow>('organizations')
      .where({ id: voucher })
      .orWhere({ vouched_by: voucher })
      .orderBy('id')
      .select('id');
  // Two who make the last one at once do so one after the other. The organization itself may be gone, so one of all is locked.
  const [first] = await made();
  if (first !== undefined) await directoryStore(trx).lockOrganization(first.id);
  if ((await made()).length < most) return;
  throw refuse('conflict', {
    message: reasonOf('many-organizations', { most }),
    hint: 'remove one that is no longer used: DELETE /organizations/ID, or ask the operator for one: papergate setup',
  });
}

/** Makes an account and returns its id. An account without a `subject` of the identity provider is a local one. */
export async function createAccount(
  db: Database,
  deps: CreateDeps,
  person: {
    readonly email: string;
    readonly name: string;
    readonly subject?: string;
    /** The organization by which the person came. */
    readonly vouchedBy?: string;
  },
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
      vouched_by: person.vouchedBy ?? null,
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

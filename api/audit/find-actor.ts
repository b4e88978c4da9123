/** Finds who acts: their name in an organization, and the key's name, as they are at this moment. */
import type { Database } from '../../runtime/database/database.ts';
import type { Principal } from '../access/principal.ts';
import type { Noted } from '../http/audited.ts';
import type { ActorKind, AuditRow } from './audit-log.ts';

/** An actor, with the place that they have in each organization. */
export interface FoundActor {
  readonly kind: ActorKind;
  readonly accountId: string | null;
  readonly key: { readonly id: string; readonly name: string } | undefined;
  readonly places: readonly { readonly organizationId: string; readonly userId: string; readonly name: string }[];
  /** The name of an integration, or of a guest link. */
  readonly name: string | undefined;
}

/** Finds the actor: the account that the handler names, else the caller, before the call changes anything. */
export async function findActor(db: Database, principal: Principal, noted: Noted): Promise<FoundActor> {
  const accountId = noted.accountId ?? principal.accountId;
  const proof = noted.accountId === undefined ? principal : noted;
  const isNobody = accountId === '';
  // Anyone who just joined or made an organization has a place that the caller had not.
  const isCaller = noted.accountId === undefined && noted.organizationId === undefined;
  const places = isNobody || isCaller ? principal.memberships : await placesOf(db, accountId);
  return {
    kind: principal.system === undefined ? kindOf(proof, noted, isNobody) : 'integration',
    accountId: isNobody ? null : accountId,
    key: proof.keyId === undefined ? undefined : await keyOf(db, proof.keyId),
    places,
    name: noted.outsider?.name ?? principal.system,
  };
}

function kindOf({ keyId, sessionId }: Principal | Noted, noted: Noted, isNobody: boolean): ActorKind {
  if (noted.outsider !== undefined) return noted.outsider.by;
  if (isNobody || noted.refused === true) return 'unproved';
  if (keyId !== undefined) return 'key';
  if (sessionId !== undefined) return 'session';
  return noted.accountId === undefined ? 'token' : 'address';
}

async function keyOf(db: Database, id: string): Promise<{ readonly id: string; readonly name: string }> {
  const row = await db('api_keys').where({ id }).first('name');
  return { id, name: String(row?.name ?? '') };
}

async function placesOf(db: Database, accountId: string): Promise<FoundActor['places']> {
  const rows = await db('users').where({ account_id: accountId }).select('id', 'organization_id', 'name');
  return rows.map(({ id, organization_id: organizationId, name }) => ({ organizationId, userId: id, name }));
}

/** The columns of an entry that name the actor, in one organization's log. */
export function actorColumns(
  actor: FoundActor,
  organizationId: string,
): Pick<AuditRow, 'actor' | 'account_id' | 'user_id' | 'actor_name' | 'key_id' | 'key_name'> {
  const place = actor.places.find((one) => one.organizationId === organizationId);
  return {
    actor: actor.kind,
    account_id: actor.accountId,
    user_id: place?.userId || null,
    actor_name: actor.name ?? place?.name ?? '',
    key_id: actor.key?.id ?? null,
    key_name: actor.key?.name ?? null,
  };
}

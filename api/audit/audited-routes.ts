/**
 * Routes whose calls are recorded in the log of who did what. Recording happens here for all of them, so none can
 * forget it: each route declares what its calls are, and a test fails for a changing route that declares nothing
 * (docs/decisions/0026).
 */
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { type Database, transact } from '../../runtime/database/database.ts';
import type { Principal } from '../access/principal.ts';
import type { Audit, AuditedKind, AuditedValue, Noted } from '../http/audited.ts';
import type { AnyRoute, Call } from '../http/route.ts';
import { type AuditRow, auditLog } from './audit-log.ts';
import { actorColumns, type FoundActor, findActor } from './find-actor.ts';
import { type FoundObject, findObject } from './find-object.ts';

export type AuditDeps = CommonDeps;

type AuditedAction = Extract<Audit, { action: unknown }>;
type Fields = Readonly<Record<string, unknown>>;

/** Returns the same routes; calls of those that change something leave an entry. */
export function auditedRoutes(routes: readonly AnyRoute[], deps: AuditDeps): AnyRoute[] {
  return routes.map((route) =>
    route.audit !== undefined && 'action' in route.audit ? audited(route, route.audit, deps) : route,
  );
}

function audited(route: AnyRoute, audit: AuditedAction, deps: AuditDeps): AnyRoute {
  return {
    ...route,
    async handle(call: Call, admitted: unknown) {
      const { db } = deps;
      const named = idIn(call.params as Fields, audit, call.principal);
      // What a call removes or renames has its name before it.
      const before = named === undefined ? undefined : await findObject(db, audit.on, named);
      const actor = await findActor(db, call.principal, {});
      let noted: Noted = {};
      const note = (more: Noted): void => {
        noted = { ...noted, ...more };
        call.note(more);
      };
      const record = (answer: unknown) => recordCall({ call, audit, before, actor, noted, answer }, deps);
      try {
        const answer: unknown = await route.handle({ ...call, note }, admitted);
        if (noted.nothing !== true) await record(answer);
        return answer;
      } catch (error) {
        if (noted.refused === true) await record(undefined);
        throw error;
      }
    },
  };
}

interface AuditedCall {
  readonly call: Call;
  readonly audit: AuditedAction;
  readonly before: FoundObject | undefined;
  readonly actor: FoundActor;
  readonly noted: Noted;
  readonly answer: unknown;
}

/** Writes the entries. The change has been made by now, so a failure is logged with the entry, and the call succeeds. */
async function recordCall(recorded: AuditedCall, deps: AuditDeps): Promise<void> {
  const { db, logger } = deps;
  try {
    const rows = await entriesOf(recorded, deps);
    if (rows.length === 0) return;
    await transact(db, async (trx) => {
      const ids: string[] = await trx('organizations')
        .whereIn(
          'id',
          rows.map(({ organization_id: id }) => id),
        )
        .pluck('id');
      const known = rows.filter(({ organization_id: id }) => ids.includes(id));
      if (known.length > 0) await auditLog(trx).insert(known);
    });
  } catch (error) {
    const { audit, noted, actor } = recorded;
    logger.error(
      { error, action: noted.action ?? audit.action, account: actor.accountId },
      'who did what is not logged',
    );
  }
}

/** Makes the entries: one in the log of each organization that the call concerns. */
async function entriesOf(recorded: AuditedCall, { db, clock, random }: AuditDeps): Promise<AuditRow[]> {
  const { call, audit, before, noted, answer } = recorded;
  const id = noted.id ?? before?.id ?? idInAnswer(answer);
  const after = id === undefined ? undefined : await findObject(db, audit.on, id);
  const actor =
    noted.accountId === undefined && noted.organizationId === undefined && noted.outsider === undefined
      ? recorded.actor
      : await findActor(db, call.principal, noted);
  const object = before ?? after;
  const name = before?.name || after?.name || '';
  const detail = JSON.stringify({ ...valuesOf(call.body as Fields, audit.values ?? []), ...noted.values });
  const own = {
    action: noted.action ?? audit.action,
    object_kind: audit.on,
    object_id: object?.id ?? id ?? null,
    object_name: cut(name),
    detail,
  };
  const all = [...(await madeBesides(db, noted)), own];
  return organizationsOf(actor, noted, [before, after]).flatMap((organizationId) =>
    all.map((columns) => ({
      id: random.id(),
      organization_id: organizationId,
      ...actorColumns(actor, organizationId),
      at: clock.now(),
      address: call.address,
      ...columns,
    })),
  );
}

/** Returns what the call made besides, in the order in which it was made. */
function madeBesides(db: Database, { made = [] }: Noted) {
  return Promise.all(
    made.map(async ({ action, on, id }) => ({
      action,
      object_kind: on,
      object_id: id,
      object_name: cut((await findObject(db, on, id))?.name ?? ''),
      detail: '{}',
    })),
  );
}

/**
 * Returns the organizations that the object belongs or belonged to; all of the actor's for an object of an account.
 * Others learn nothing: a call may succeed without any effect on their objects.
 */
function organizationsOf(actor: FoundActor, noted: Noted, objects: readonly (FoundObject | undefined)[]): string[] {
  const own = actor.places.map(({ organizationId }) => organizationId);
  const named = objects.map((object) => object?.organizationId).filter((id) => id !== undefined);
  const isAccounts = named.length === 0 && objects.some((object) => object !== undefined);
  const isProved = (id: string): boolean => noted.outsider !== undefined || own.includes(id);
  const concerned = isAccounts || noted.refused === true ? own : named.filter(isProved);
  return [...new Set(noted.organizationId === undefined ? concerned : [...concerned, noted.organizationId])];
}

/** The parameters that are not called after what they name. */
const parameterOf: { readonly [Kind in AuditedKind]?: string } = { key: 'tokenId', picture: 'timedId' };

/** Returns the object's id that stands in the path. */
function idIn(params: Fields, { on }: AuditedAction, principal: Principal): string | undefined {
  if (on === 'account') return principal.accountId;
  const id = params[parameterOf[on] ?? `${on}Id`] ?? (on === 'device' ? params.serial : undefined);
  if (on === 'session' && id === undefined) return principal.sessionId;
  return typeof id === 'string' ? id : undefined;
}

/** Returns the id of what was made, from the answer. */
function idInAnswer(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const { id, device } = answer as { readonly id?: unknown; readonly device?: unknown };
  return typeof id === 'string' ? id : idInAnswer(device);
}

const maxValueLength = 200;

function cut(text: string): string {
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength - 1)}…` : text;
}

/** Returns the values of the body's named fields, those that it gives. */
function valuesOf(body: Fields, names: readonly string[]): Record<string, AuditedValue> {
  const values: Record<string, AuditedValue> = {};
  for (const name of names) {
    const value = name.split('.').reduce<unknown>((at, part) => (at as Fields | undefined | null)?.[part], body);
    if (value === undefined) continue;
    if (value === null || typeof value === 'number' || typeof value === 'boolean') values[name] = value;
    else values[name] = cut(typeof value === 'string' ? value : JSON.stringify(value));
  }
  return values;
}

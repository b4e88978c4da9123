/** Makes, changes and removes groups. */
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import { type Database, type Transaction, transact } from '../../runtime/database/database.ts';
import { newRow } from '../../runtime/database/table.ts';
import { type Principal, requireMembership } from '../access/principal.ts';
import { requireNamed } from '../devices/require-device.ts';
import { metaText } from '../http/field-shapes.ts';
import { giveToGroup } from './follow-groups.ts';
import { containsItself, type GroupMatch } from './group-rules.ts';
import { type GroupRow, groupStore, lockGroups, matchOf, maxGroups } from './group-store.ts';
import type { JobDeps } from './job-deps.ts';
import type { JobRules } from './job-rules.ts';
import type { JobRow } from './job-store.ts';
import { jobsTables } from './tables.ts';

type GroupDeps = Pick<JobDeps, 'db' | 'clock' | 'random'>;

/** A group as somebody wants it: fields that are left out stay as they are, null gives nothing any longer. */
export interface WantedGroup {
  readonly name?: string | undefined;
  readonly match?: GroupMatch | undefined;
  readonly paper?: string | null | undefined;
  readonly settings?: Readonly<Record<string, unknown>> | null | undefined;
}

/** A group, and the jobs that give its frames what it gives. */
export interface ChangedGroup {
  readonly group: GroupRow;
  readonly jobs: readonly JobRow[];
}

/**
 * Finds a group of an organization.
 * @throws Refusal `not-found`, `access-denied`
 */
export async function requireGroup(
  db: Database,
  principal: Principal,
  { organizationId, groupId }: { readonly organizationId: string; readonly groupId: string },
): Promise<GroupRow> {
  requireMembership(principal, organizationId, 'write');
  const group = await groupStore(db).find(groupId);
  if (group === undefined || group.organization_id !== organizationId) throw refuse('not-found');
  return group;
}

/**
 * Makes a group. The frames that are in it have joined it, and are given what it gives.
 * @throws Refusal `conflict` for too many, `invalid-request` for one that would contain itself, `not-found` for a paper or a
 * group elsewhere
 */
export function makeGroup(
  deps: GroupDeps,
  principal: Principal,
  organizationId: string,
  { rules, ...wanted }: WantedGroup & { readonly match: GroupMatch; readonly rules: JobRules },
): Promise<ChangedGroup> {
  const { name: author } = requireMembership(principal, organizationId, 'write');
  return transact(deps.db, async (trx) => {
    await lockGroups(trx, organizationId);
    const others = await groupStore(trx).list(organizationId);
    if (others.length >= maxGroups) throw refuse('conflict', { message: reasonOf('group-many', { most: maxGroups }) });
    const now = deps.clock.now();
    const group: GroupRow = newRow(jobsTables, 'frame_groups', {
      id: deps.random.id(),
      organization_id: organizationId,
      name: wanted.name ?? '',
      match: JSON.stringify(wanted.match),
      paper_id: wanted.paper ?? null,
      settings: settingsText(wanted.settings),
      account_id: principal.accountId,
      author: principal.system ?? author,
      created_at: now,
      given_at: now,
      changed_at: now,
    });
    await requireSound(trx, group, others);
    await groupStore(trx).insert(group);
    return { group, jobs: await giveToGroup(deps, trx, group, { rules }) };
  });
}

/**
 * Changes a group. A paper or settings that are named go to all its frames, and everything to those that join by the change.
 */
export function changeGroup(
  deps: GroupDeps,
  principal: Principal,
  of: { readonly organizationId: string; readonly groupId: string },
  { rules, ...wanted }: WantedGroup & { readonly rules: JobRules },
): Promise<ChangedGroup> {
  return transact(deps.db, async (trx) => {
    await lockGroups(trx, of.organizationId);
    const before = await requireGroup(trx, principal, of);
    const { name: author } = requireMembership(principal, of.organizationId, 'write');
    const now = deps.clock.now();
    const again = { paper: wanted.paper !== undefined, settings: wanted.settings !== undefined };
    const change: Partial<GroupRow> = {
      ...(wanted.name !== undefined && { name: wanted.name }),
      ...(wanted.match !== undefined && { match: JSON.stringify(wanted.match) }),
      ...(wanted.paper !== undefined && { paper_id: wanted.paper }),
      ...(wanted.settings !== undefined && { settings: settingsText(wanted.settings) }),
      ...((again.paper || again.settings) && { given_at: now }),
      // From here on it gives in the name of this person.
      account_id: principal.accountId,
      author: principal.system ?? author,
      changed_at: Math.max(now, before.changed_at + 1),
    };
    const group = { ...before, ...change };
    const others = (await groupStore(trx).list(of.organizationId)).filter(({ id }) => id !== group.id);
    await requireSound(trx, group, others);
    await groupStore(trx).change(group.id, change);
    return { group, jobs: await giveToGroup(deps, trx, group, { rules, again }) };
  });
}

/** Removes a group. Its frames keep what they have. */
export function removeGroup(
  { db }: GroupDeps,
  principal: Principal,
  of: { readonly organizationId: string; readonly groupId: string },
): Promise<GroupRow> {
  return transact(db, async (trx) => {
    await lockGroups(trx, of.organizationId);
    const group = await requireGroup(trx, principal, of);
    await groupStore(trx).remove(group.id);
    return group;
  });
}

const settingsText = (settings: WantedGroup['settings']): string | null =>
  settings === null || settings === undefined || Object.keys(settings).length === 0 ? null : metaText(settings);

async function requireSound(trx: Transaction, group: GroupRow, others: readonly GroupRow[]): Promise<void> {
  const match = matchOf(group);
  if (group.paper_id !== null) await requireNamed(trx, group.organization_id, { paper: group.paper_id });
  if (!('groups' in match)) return;
  const known = others.map((other) => ({ id: other.id, match: matchOf(other) }));
  if (containsItself({ id: group.id, match }, known)) {
    throw refuse('invalid-request', { message: reasonOf('group-in-itself', { name: group.name }) });
  }
  if (match.groups.some((id) => !known.some((other) => other.id === id))) {
    throw refuse('not-found', { message: reasonOf('no-such-group') });
  }
}

/** Groups and their frames, as they are stored. */
import type { Database, Transaction } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import { directoryStore } from '../directory/store.ts';
import { storedObject } from '../http/field-shapes.ts';
import type { FrameChange } from './frame-change.ts';
import type { GroupMatch, RankedGroup } from './group-rules.ts';
import type { jobsTables } from './tables.ts';

/** A row of `frame_groups`. */
export type GroupRow = RowIn<typeof jobsTables, 'frame_groups'>;

/** The groups that an organization may have. */
export const maxGroups = 200;

/** Reads who is in a group. */
export const matchOf = ({ match }: Pick<GroupRow, 'match'>): GroupMatch => JSON.parse(match) as GroupMatch;

/** The fields of meta that a group gives. */
export const settingsOfGroup = ({ settings }: Pick<GroupRow, 'settings'>): Record<string, unknown> =>
  settings === null ? {} : storedObject(settings);

/** The name under which the paper of a group is among what it gives. */
export const paperGift = 'paper';

/** Presents a row to the rules of groups. Fields of meta bear a prefix, so that none is taken for the paper. */
export const rankedGroup = (row: GroupRow): RankedGroup => ({
  id: row.id,
  match: matchOf(row),
  givenAt: row.given_at,
  gives: [...(row.paper_id === null ? [] : [paperGift]), ...Object.keys(settingsOfGroup(row)).map(metaGift)],
});

const metaGift = (field: string): string => `meta.${field}`;

/** Returns the changes by which a frame gets these gifts of a group. */
export function changesOfGifts(row: GroupRow, won: readonly string[]): FrameChange[] {
  const fields = Object.entries(settingsOfGroup(row)).filter(([field]) => won.includes(metaGift(field)));
  const meta = Object.fromEntries(fields);
  return [
    ...(won.includes(paperGift) ? [{ kind: 'paper', paper: row.paper_id } as const] : []),
    ...(fields.length > 0 ? [{ kind: 'settings', meta, addTags: [], removeTags: [] } as const] : []),
  ];
}

/** The queries of groups over a database or a transaction. */
export function groupStore(db: Database) {
  const groups = () => db<GroupRow>('frame_groups');
  const members = () => db('frame_group_members');
  return {
    find: (id: string): Promise<GroupRow | undefined> => groups().where({ id }).first(),

    list: (organizationId: string): Promise<GroupRow[]> =>
      groups().where({ organization_id: organizationId }).orderBy(['name', 'id']),

    insert: (row: GroupRow): Promise<unknown> => db('frame_groups').insert(row),

    change: (id: string, change: Partial<GroupRow>): Promise<number> => groups().where({ id }).update(change),

    remove: (id: string): Promise<number> => groups().where({ id }).delete(),

    /** Returns the ids of the devices that have joined each group of an organization, by group. */
    async members(organizationId: string): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
      const rows: { group_id: string; device_id: string }[] = await db('frame_group_members as m')
        .join('frame_groups as g', 'g.id', 'm.group_id')
        .where({ 'g.organization_id': organizationId })
        .select('m.group_id', 'm.device_id');
      const found = new Map<string, Set<string>>();
      for (const { group_id: id, device_id: device } of rows) found.set(id, (found.get(id) ?? new Set()).add(device));
      return found;
    },

    /** Notes that devices have joined; returns those that had not before. */
    async join(groupId: string, deviceIds: readonly string[], now: number): Promise<string[]> {
      const joined: string[] = [];
      for (let at = 0; at < deviceIds.length; at += 200) {
        const rows = deviceIds.slice(at, at + 200).map((id) => ({ group_id: groupId, device_id: id, joined_at: now }));
        const added = await db('frame_group_members')
          .insert(rows)
          .onConflict(['group_id', 'device_id'])
          .ignore()
          .returning('device_id');
        joined.push(...added.map(({ device_id: id }) => id));
      }
      return joined;
    },

    async leave(groupId: string, deviceIds: readonly string[]): Promise<void> {
      for (let at = 0; at < deviceIds.length; at += 200) {
        await members()
          .where({ group_id: groupId })
          .whereIn('device_id', deviceIds.slice(at, at + 200))
          .delete();
      }
    },
  };
}

/**
 * Locks the groups of an organization until the transaction ends, so that of two changes which would make a circle together
 * one is refused.
 */
export const lockGroups = (trx: Transaction, organizationId: string): Promise<void> =>
  directoryStore(trx).lockOrganization(organizationId);

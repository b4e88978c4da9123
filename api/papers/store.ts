/** Stores papers. */

import type { Knex } from 'knex';
import { planAgain } from '../../gateway/frames/plans-due.ts';
import { type Database, isPostgres } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import { isId } from '../../runtime/random.ts';
import { linkedDevices, linkedPapers } from '../access/links.ts';
import { type Principal, reachOf } from '../access/principal.ts';
import { keepOrganization } from '../directory/store.ts';
import { contains, isTrue, jsonText } from '../directory/text-conditions.ts';
import { storedObject } from '../http/field-shapes.ts';
import { requireShort } from '../http/list-query.ts';
import { composedKinds } from './kinds.ts';
import { replacedPictures } from './replaced-pictures.ts';
import { nextRun } from './schedule.ts';
import { removeSentPictures } from './sent-pictures.ts';
import type { papersTables } from './tables.ts';

/** A row of `papers`. */
export type PaperRow = RowIn<typeof papersTables, 'papers'>;

/** The filters of a list of papers. Patterns are for `like`; `order` holds SQL from an allow-list alone. */
export interface PaperSearch {
  readonly organizationId?: string | undefined;
  readonly deviceId?: string | undefined;
  readonly name?: string | undefined;
  readonly search?: { readonly text: string; readonly pattern: string } | undefined;
  readonly order: readonly string[];
  readonly limit: number;
  readonly offset: number;
}

/** The papers' queries over a database or a transaction. */
export function paperStore(db: Database) {
  return {
    find: (id: string): Promise<PaperRow | undefined> => db<PaperRow>('papers').where({ id }).first(),

    /** Reads one page of the papers that the caller may see, and counts all of them. */
    async visible(principal: Principal, search: PaperSearch): Promise<{ rows: PaperRow[]; total: number }> {
      const query = db('papers').where((where) => seenBy(db, where, principal));
      if (search.organizationId !== undefined) query.where({ organization_id: search.organizationId });
      if (search.deviceId !== undefined) query.where({ device_id: search.deviceId });
      if (search.name !== undefined) query.where(isTrue(contains(db, titleSql(db), search.name)));
      if (search.search !== undefined) matchSearch(db, query, search.search);
      const counted = await query.clone().count({ total: '*' }).first();
      for (const order of search.order) query.orderByRaw(order);
      query.limit(search.limit).offset(search.offset);
      await requireShort(db, query, { limit: search.limit, sharer: [principal.accountId] });
      const rows = await query.select<PaperRow[]>('*');
      return { rows, total: Number(counted?.total ?? 0) };
    },

    isSeen: async (principal: Principal, id: string): Promise<boolean> =>
      (await db('papers')
        .where((where) => seenBy(db, where, principal))
        .where({ id })
        .first('id')) !== undefined,

    async insert(row: PaperRow): Promise<void> {
      await keepOrganization(db, row.organization_id);
      await db('papers').insert({ ...row, ...scheduled(row) });
    },

    /**
     * Changes a paper that still belongs to this organization; returns 0 when it has moved or gone. The paper is drawn
     * again, and so are the papers that show it among others. `changeSavedPaper` also ends the connections to an
     * integration that the paper no longer names.
     */
    async change(paper: PaperRow, change: Partial<PaperRow>): Promise<number> {
      if (change.organization_id !== undefined) await keepOrganization(db, change.organization_id);
      const changed = await db('papers')
        .where({ id: paper.id, organization_id: paper.organization_id })
        .update({ ...change, ...scheduled(change), ...changedAt(db, change), edition: db.raw('edition + 1') });
      await planAgain(db, [paper.id]);
      await drawShowing(db, paper);
      return changed;
    },

    /**
     * Records that the paper shows another picture. Clients take a changed time for the proof of that, so it never
     * repeats.
     */
    imageChanged: (id: string, now: number): Promise<number> =>
      db('papers')
        .where({ id })
        .update({ image_updated_at: db.raw(laterThan, [now, now]) }),

    /** Removes a paper with its current content, its pictures and its guests' links. */
    async remove(paper: PaperRow): Promise<void> {
      await db('paper_contents').where({ paper_id: paper.id }).delete();
      await removeSentPictures(db, paper.id);
      await replacedPictures(db).forgetOf(paper.id);
      await db('guest_links').where({ paper_id: paper.id }).delete();
      await db('address_logins').where({ paper_id: paper.id }).delete();
      await db('papers').where({ id: paper.id }).delete();
      await drawShowing(db, paper);
    },
  };
}

const laterThan = 'case when image_updated_at >= ? then image_updated_at + 1 else ? end';

/** Two changes never have the same time: from it, a caller knows whether the paper is still as it was read. */
function changedAt(db: Database, { updated_at: now }: Partial<PaperRow>): { updated_at?: Knex.Raw } {
  if (now === undefined) return {};
  return { updated_at: db.raw('case when updated_at >= ? then updated_at + 1 else ? end', [now, now]) };
}

/** Makes the papers that show this one among others be drawn again, and their future be planned again. */
async function drawShowing(db: Database, { id, organization_id }: PaperRow): Promise<void> {
  const showing: { id: string }[] = await db('papers')
    .where({ organization_id })
    .whereIn('kind', [...composedKinds])
    .whereNot({ id })
    .where('meta', 'like', `%${id}%`)
    .update({ edition: db.raw('edition + 1') })
    .returning('id');
  await planAgain(
    db,
    showing.map((paper) => paper.id),
  );
}

/** Computes what a change of meta means for the next time of the paper's schedule. */
function scheduled({ meta, updated_at }: Partial<PaperRow>): { schedule_due_at?: number | null } {
  if (meta === undefined || updated_at === undefined) return {};
  return { schedule_due_at: nextRun(storedObject(meta), updated_at) };
}

/**
 * Narrows a query on `papers` to those that the caller may see: all of an organization, or those that are linked to the
 * caller, themselves or by their devices (A-6).
 */
function seenBy(db: Database, where: Knex.QueryBuilder, principal: Principal): void {
  where.whereRaw('1 = 0');
  for (const membership of principal.memberships) {
    const organization = { organization_id: membership.organizationId };
    if (reachOf(membership) === 'organization') where.orWhere(organization);
    if (reachOf(membership) !== 'linked') continue;
    const [devices, papers] = [linkedDevices(membership.userId), linkedPapers(membership.userId)];
    const linked = (column: string) =>
      db('devices')
        .where(organization)
        .whereRaw(`id in (${devices.sql})`, [...devices.bindings] as string[])
        .whereNotNull(column)
        .select(column);
    where.orWhere((own) =>
      own.where(organization).where((of) =>
        of
          .whereIn('device_id', linked('id'))
          .orWhereIn('id', linked('paper_id'))
          .orWhereRaw(`id in (${papers.sql})`, [...papers.bindings] as string[]),
      ),
    );
  }
}

/** Returns the SQL of the title that people see: the given title, in its meta or as its name, else the kind (A-22). */
export function titleSql(db: Database): string {
  const given = (field: string): string => {
    const text = jsonText(db, 'meta', field);
    return `nullif(${isPostgres(db) ? text : `cast(${text} as text)`}, '')`;
  };
  return `coalesce(${given('title')}, ${given('name')}, nullif(name, ''), kind)`;
}

/**
 * Narrows a search: an id finds the paper, and the papers of a device of that id; any text finds title, kind and
 * author.
 */
function matchSearch(
  db: Database,
  query: Knex.QueryBuilder,
  { text, pattern }: { text: string; pattern: string },
): void {
  query.where((where) => {
    for (const read of [titleSql(db), 'kind', 'author']) where.orWhere(isTrue(contains(db, read, pattern)));
    if (isId(text)) where.orWhere({ id: text }).orWhere({ device_id: text });
  });
}

/** The query parameters that all lists share: filters, paging, order. */

import { setImmediate as nextTick } from 'node:timers/promises';
import type { Knex } from 'knex';
import { z } from 'zod';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Database } from '../../runtime/database/database.ts';
import { fairShares, type Sharer } from '../../runtime/fair-shares.ts';
import { wrongField } from './fit-schema.ts';

const defaultLimit = 10_000;
/** The number of rows that may always be asked for at once, however large they are. */
const alwaysListed = 16;
/** The bytes of rows that may be read for one list in memory. */
const maxListBytes = 4 * 1024 * 1024;
/** A list with more bytes takes the processor for so long that other requests come first. */
export const heavyListBytes = 1024 * 1024;
/** Up to this number rows are not weighed. */
const fewRows = 4;
/** The ticks of the event loop between one such list and the next. */
const ticksBetween = 20;
const heavyLists = fairShares({ atOnce: 1 });

/** A whole number that arrives as text. */
export function wholeNumber(smallest: number, largest: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, wrongField('field-not-whole-number'))
    .transform(Number)
    .pipe(z.number().min(smallest).max(largest))
    .meta({ type: 'integer', minimum: smallest, maximum: largest, pattern: undefined });
}

/** A NUL is refused here: PostgreSQL would refuse it in the middle of a query. */
const text = z
  .string()
  .max(200)
  .regex(/^[^\0]*$/, wrongField('field-with-nul'));

/** The schema of the parameters; a route spreads it into its own query. */
export const listQuery = {
  name: text.describe('Part of the name').optional(),
  role: text.describe('The role, where the list is one of users').optional(),
  sortBy: text.describe('A field with :asc or :desc, several separated by commas').optional(),
  search: text.describe('Part of what people read, or an id').optional(),
  limit: wholeNumber(1, 100_000).optional(),
  offset: z.union([wholeNumber(0, 100_000), z.enum(['', 'null']).transform(() => undefined)]).optional(),
  page: wholeNumber(1, 100_000).optional(),
};

type ListQuery = z.output<z.ZodObject<typeof listQuery>>;

/** Returns the part of a list to answer. `page` is 1-based; an offset takes precedence. */
export function pageOf(query: ListQuery): { readonly limit: number; readonly offset: number; readonly page: number } {
  const limit = query.limit ?? defaultLimit;
  const offset = query.offset ?? ((query.page ?? 1) - 1) * limit;
  return { limit, offset, page: query.offset === undefined ? (query.page ?? 1) : Math.floor(offset / limit) + 1 };
}

/**
 * Refuses a page of too large rows, and queues a heavy one: callers fill rows as they like (T-61).
 * @param chosen the rows of one page; each has a `meta`
 * @throws Refusal `invalid-request`
 */
export async function requireShort(
  db: Database,
  chosen: Knex.QueryBuilder,
  { limit, sharer }: { readonly limit: number; readonly sharer: Sharer },
): Promise<void> {
  if (limit <= fewRows) return;
  const metas = chosen.clone().select('meta').as('chosen');
  const held = await db
    .from(metas)
    .first(db.raw('count(*) as row_count'), db.raw('sum(octet_length(meta)) as byte_count'));
  const bytes = Number(held.byte_count);
  if (bytes > heavyListBytes) await heavyLists.run(sharer, letOthersGo);
  refuseLong(Number(held.row_count), bytes);
}

async function letOthersGo(): Promise<void> {
  for (let tick = 0; tick < ticksBetween; tick++) await nextTick();
}

/** Throws the refusal of a list that is too large for one answer. */
export function refuseLong(rows: number, bytes: number): void {
  if (rows <= alwaysListed || bytes <= maxListBytes) return;
  const fitting = Math.max(alwaysListed, Math.floor((rows * maxListBytes) / bytes / 2));
  throw refuse('invalid-request', {
    message: `These ${rows} rows hold ${Math.ceil(bytes / 1024 / 1024)} MiB, too much for one answer: ask for limit=${fitting}, page by page`,
    hint: reasonOf('field-at-most', { field: 'limit', most: `${fitting}, and page=2 and so on for the rest` }),
  });
}

/**
 * Returns SQL order terms for `field:desc,other`. Only fields of the allow-list become SQL, and always in our own
 * spelling (T-20). The oldest rows come first by default; ids settle ties.
 * @throws Refusal `invalid-request`
 */
export function orderOf(sortBy: string | undefined, columns: Readonly<Record<string, string>>): string[] {
  const terms = (sortBy ?? '').split(',').filter((term) => term.trim() !== '');
  const order = terms.map((term) => {
    const [field = '', direction = 'asc', ...rest] = term.trim().split(':');
    const column = Object.hasOwn(columns, field) ? columns[field] : undefined;
    if (column === undefined || !/^(asc|desc)$/.test(direction) || rest.length > 0) {
      throw refuse('invalid-request', {
        hint: reasonOf('field-one-of', {
          field: 'sortBy',
          options: `${Object.keys(columns).join(', ')}, with :asc or :desc`,
        }),
      });
    }
    return `${column} ${direction}`;
  });
  return [...(order.length === 0 ? ['created_at asc'] : order), 'id asc'];
}

/**
 * Returns a bound `like` pattern that finds the text anywhere, whatever characters it has; undefined for no text
 * (T-20).
 */
export function likePattern(wanted: string | undefined): string | undefined {
  return wanted === undefined || wanted === '' ? undefined : `%${wanted.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

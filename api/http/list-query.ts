/** The query parameters that all lists share: filters, paging, order (C-10, C-16 to C-18). */
import { z } from 'zod';
import { refuse } from '../../gateway/runtime/refusals.ts';

const usualLimit = 10_000;

/** A whole number that arrives as text. */
export function wholeNumber(smallest: number, largest: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, 'expected a whole number')
    .transform(Number)
    .pipe(z.number().min(smallest).max(largest))
    .meta({ type: 'integer', minimum: smallest, maximum: largest, pattern: undefined });
}

/** No NUL: PostgreSQL would refuse it in the middle of a query. */
const text = z
  .string()
  .max(200)
  .regex(/^[^\0]*$/, 'expected text without NUL');

/** Schema of the parameters; spread it into a route's own query. */
export const listQuery = {
  name: text.describe('Part of the name').optional(),
  role: text.describe('The role, where the list is one of users').optional(),
  sortBy: text.describe('A field with :asc or :desc, several separated by commas').optional(),
  search: text.describe('Part of what people read, or an id').optional(),
  limit: wholeNumber(1, 100_000).optional(),
  offset: z.union([wholeNumber(0, 100_000), z.enum(['', 'null']).transform(() => undefined)]).optional(),
  page: wholeNumber(1, 100_000).optional(),
};

/** What a caller asked for, of a list. */
export interface ListQuery {
  readonly name?: string | undefined;
  readonly role?: string | undefined;
  readonly sortBy?: string | undefined;
  readonly search?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly page?: number | undefined;
}

/** Which part of a list to answer. `page` is 1-based; an offset wins over it. */
export function pageOf(query: ListQuery): { readonly limit: number; readonly offset: number; readonly page: number } {
  const limit = query.limit ?? usualLimit;
  const offset = query.offset ?? ((query.page ?? 1) - 1) * limit;
  return { limit, offset, page: query.offset === undefined ? (query.page ?? 1) : Math.floor(offset / limit) + 1 };
}

/**
 * SQL order terms for `field:desc,other`. Only fields of the allow-list become SQL, and always in our own spelling
 * (T-20). The oldest come first unless said; ids settle ties.
 * @throws Refusal `invalid-request`
 */
export function orderOf(sortBy: string | undefined, columns: Readonly<Record<string, string>>): string[] {
  const terms = (sortBy ?? '').split(',').filter((term) => term.trim() !== '');
  const order = terms.map((term) => {
    const [field = '', direction = 'asc', ...rest] = term.trim().split(':');
    const column = Object.hasOwn(columns, field) ? columns[field] : undefined;
    if (column === undefined || !/^(asc|desc)$/.test(direction) || rest.length > 0) {
      throw refuse('invalid-request', {
        hint: `sortBy: one of ${Object.keys(columns).join(', ')}, with :asc or :desc`,
      });
    }
    return `${column} ${direction}`;
  });
  return [...(order.length === 0 ? ['created_at asc'] : order), 'id asc'];
}

/** A bound `like` pattern that finds the text anywhere, whatever characters it has; undefined for no text (T-20). */
export function likePattern(wanted: string | undefined): string | undefined {
  return wanted === undefined || wanted === '' ? undefined : `%${wanted.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

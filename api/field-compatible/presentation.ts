/** The tools that present a plain route to clients in the field. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { isRecord } from '../../runtime/plain-record.ts';
import { fit } from '../http/fit-schema.ts';
import type { AnyRoute, Call } from '../http/route.ts';
import { cutNames } from '../http/short-names.ts';

// biome-ignore lint/suspicious/noExplicitAny: the routes that are asked have answers of every shape, each checked there
export type Shown = any;

/**
 * Calls another plain route on behalf of the same caller, with the same access. Its answer is what its contract names.
 */
export type Ask = (
  name: string,
  call: Call,
  more: { readonly params?: unknown; readonly query?: unknown; readonly body?: unknown },
) => Promise<Shown>;

/** The presentation of one route. Parts that are absent stay as the plain route has them. */
export interface Presentation {
  /** The query, lenient where the plain surface is strict (C-10). */
  readonly query?: AnyRoute['query'];
  readonly body?: AnyRoute['body'];
  readonly output: z.ZodType;
  /**
   * Turns the call into the answer.
   * @param own runs the plain route, with parts of the call replaced
   */
  readonly show: (
    call: Call<Shown, Shown, Shown>,
    own: (more?: Partial<Call>) => Promise<Shown>,
    ask: Ask,
  ) => Promise<Shown>;
}

/**
 * Returns a body whose names are cut where they are too long (C-63): clients in the field have no place for the sentence
 * of a refusal, and would lose with it the picture or the change that the name came with.
 */
export function withShortNames(body: Shown, stored: Shown = {}): Shown {
  const cut = cutNames(body, ['name'], stored);
  return isRecord(body.meta) ? { ...cut, meta: cutNames(body.meta, ['name', 'title'], stored.meta) } : cut;
}

/** The body of a change as it comes, for `fieldChanges` to read. */
export const asItComes = z.looseObject({});

/**
 * Returns the changes in a body that may be a whole record that was read and sent back: a field that equals the shown
 * record is not a change, even one that nobody could ask for (a kind of null), or not this caller (C-11).
 * @param named fields that mean something although they stay
 * @throws Refusal `invalid-request`, as the plain route
 */
export function fieldChanges<Fitting>(
  schema: z.ZodType<Fitting>,
  body: Readonly<Record<string, unknown>>,
  shown: Readonly<Record<string, unknown>>,
  named: readonly string[] = [],
): Fitting {
  const isChange = ([field, value]: [string, unknown]) =>
    named.includes(field) || !isDeepStrictEqual(value, shown[field]);
  return fit(schema, Object.fromEntries(Object.entries(body).filter(isChange)), 'invalid-request');
}

/** Clients crash at a bare array at their first call (C-15). */
export const envelope = z.object({
  results: z.array(z.unknown()),
  page: z.number(),
  limit: z.number(),
  totalPages: z.number(),
  totalResults: z.number(),
});

/** The number of rows that one list may have. */
const maxRows = 100_000;

/** Presents a list. Everything is counted only when one page does not hold it. */
export const listed: Presentation = {
  output: envelope,
  async show({ query }, own) {
    const limit = query.limit ?? 10_000;
    const page = query.page ?? 1;
    const results: unknown[] = await own();
    const isAll = page === 1 && !query.offset && results.length < limit;
    const all: unknown[] = isAll
      ? results
      : await own({ query: { ...query, limit: maxRows, page: 1, offset: undefined } });
    const totalResults = all.length;
    return { results, page, limit, totalResults, totalPages: Math.ceil(totalResults / limit) };
  },
};

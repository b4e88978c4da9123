/** What presents a plain route to clients in the field. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { fit } from '../http/answer-route.ts';
import type { AnyRoute, Call } from '../http/route.ts';

// biome-ignore lint/suspicious/noExplicitAny: the routes that are asked have answers of every shape, each checked there
export type Shown = any;

/** Asks another plain route on behalf of the same caller, with the same access. Its answer is what its contract names. */
export type Ask = (
  name: string,
  call: Call,
  more: { readonly params?: unknown; readonly query?: unknown; readonly body?: unknown },
) => Promise<Shown>;

/** How one route is presented. What is absent stays as the plain route has it. */
export interface Presentation {
  /** Lenient where the plain surface is strict (C-10). */
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

/** The body of a change as it comes, for `changesOf` to read. */
export const asItComes = z.looseObject({});

/**
 * What a body asks for, of a record that was read and perhaps sent back whole: a field that says what the record shows
 * already is no change, also where nobody could ask for it (a kind of null), or not this caller (C-11).
 * @param named fields that mean something although they stay
 * @throws Refusal `invalid-request`, as the plain route
 */
export function changesOf<Fitting>(
  schema: z.ZodType<Fitting>,
  body: Readonly<Record<string, unknown>>,
  shown: Readonly<Record<string, unknown>>,
  named: readonly string[] = [],
): Fitting {
  const isChange = ([field, value]: [string, unknown]) =>
    named.includes(field) || !isDeepStrictEqual(value, shown[field]);
  return fit(schema, Object.fromEntries(Object.entries(body).filter(isChange)), 'invalid-request');
}

/** C-15: a bare array crashes clients at their first call. */
export const envelope = z.object({
  results: z.array(z.unknown()),
  page: z.number(),
  limit: z.number(),
  totalPages: z.number(),
  totalResults: z.number(),
});

/** The most that one list may hold. */
const mostRows = 100_000;

/** Presents a list; everything is counted only when one page does not hold it. */
export const listed: Presentation = {
  output: envelope,
  async show({ query }, own) {
    const limit = query.limit ?? 10_000;
    const page = query.page ?? 1;
    const results: unknown[] = await own();
    const isAll = page === 1 && !query.offset && results.length < limit;
    const all: unknown[] = isAll
      ? results
      : await own({ query: { ...query, limit: mostRows, page: 1, offset: undefined } });
    const totalResults = all.length;
    return { results, page, limit, totalResults, totalPages: Math.ceil(totalResults / limit) };
  },
};

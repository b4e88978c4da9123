/** The nightly examination of what is stored: its result, and what is known of the last one. */
import { z } from 'zod';
import type { Database } from '../../runtime/database/database.ts';
import { changeFact, readFact } from '../../runtime/database/service-facts.ts';

const damage = z.object({
  /** `table:NAME` or `file:AREA/DIGEST`. */
  name: z.string(),
  words: z.string(),
});

/** The output of `papergate examine`: a slice, or the whole. */
export const examined = z.object({
  tables: z.number(),
  files: z.number(),
  /** The place after which to go on; null where the end was reached. */
  next: z.string().nullable(),
  damaged: z.array(damage),
  /** The number of damaged ones that are not named. */
  more: z.number(),
});
export type Examined = z.output<typeof examined>;
export type Damage = z.output<typeof damage>;

const known = z.object({
  /** When the end was reached last, epoch milliseconds; null before the first time. */
  wholeAt: z.number().nullable(),
  /** When anything was examined last. */
  lastAt: z.number(),
  next: z.string().nullable(),
  /** The damage that a pass which goes on has found so far. */
  found: z.array(damage),
  /** The damage that the last whole pass found. */
  damaged: z.array(damage),
  /** The number of damaged tables and files that are not named. */
  more: z.number(),
});
/** The knowledge of a service about its examinations. */
export type KnownExamination = z.output<typeof known>;

const maxNamed = 50;

/** Adds a slice to what is known. Damage that the last whole pass found counts until the next one has come to its end. Pure. */
export function addSlice(before: KnownExamination | undefined, slice: Examined, now: number): KnownExamination {
  const all = new Map([...(before?.found ?? []), ...slice.damaged].map((one) => [one.name, one]));
  const found = [...all.values()];
  const named = found.slice(0, maxNamed);
  const more = slice.more + found.length - named.length;
  if (slice.next === null) return { wholeAt: now, lastAt: now, next: null, found: [], damaged: named, more };
  const { wholeAt = null, damaged = [] } = before ?? {};
  return { wholeAt, lastAt: now, next: slice.next, found: named, damaged, more: Math.max(more, before?.more ?? 0) };
}

/** Lists the damage that is known, of the last whole pass and of the present one. */
export function knownDamage({ found, damaged }: KnownExamination): readonly Damage[] {
  return [...new Map([...damaged, ...found].map((one) => [one.name, one])).values()];
}

/** Reads what is known; undefined before the first night. */
export async function readExamination(db: Database): Promise<KnownExamination | undefined> {
  const text = await readFact(db, 'examined');
  return text === undefined ? undefined : known.parse(JSON.parse(text));
}

/** Keeps it. */
export async function keepExamination(db: Database, value: KnownExamination): Promise<void> {
  await changeFact(db, 'examined', JSON.stringify(value));
}

/** Words damage for the operator, such as `the table "papers", 2 pictures, 1 uploaded file`. */
export function damageWords(known: KnownExamination): string {
  const { more } = known;
  const names = knownDamage(known).map(({ name }) => name);
  const tables = names.filter((name) => name.startsWith('table:')).map((name) => `"${name.slice('table:'.length)}"`);
  const counted = (area: string, one: string): string[] => {
    const count = names.filter((name) => name.startsWith(`file:${area}/`)).length;
    return count === 0 ? [] : [`${count} ${one}${count === 1 ? '' : 's'}`];
  };
  const parts = [
    ...(tables.length > 0 ? [`the database (${tables.slice(0, 3).join(', ')}${tables.length > 3 ? ' …' : ''})`] : []),
    ...counted('pictures', 'picture'),
    ...counted('files', 'uploaded file'),
    ...counted('firmware', 'firmware image'),
    ...(more > 0 ? [`${more} more`] : []),
  ];
  return parts.join(', ');
}

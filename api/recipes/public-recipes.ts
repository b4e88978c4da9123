/** TRMNL's public list of recipes: searched where the operator allows it, and never asked otherwise. */
import { z } from 'zod';
import { reasonOf } from '../../reasons/reason.ts';
import { ReasonedError } from '../../reasons/reasoned-error.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import { publicHosts } from '../outgoing/reach-host.ts';
import { requestOnce } from '../outgoing/request-once.ts';
import type { WayOut } from '../outgoing/way-out.ts';

/** A recipe of the list. */
export interface PublicRecipe {
  /** Its number, by which it is imported. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly category: string;
  /** Where its author lets people read more; empty where nowhere. */
  readonly author: string;
  /** Empty where none is named: nobody has said what may be done with it. */
  readonly licence: string;
  /** How many have installed it. */
  readonly installs: number;
}

/** The recipes that a search found, and how many there are in all. */
export interface FoundRecipes {
  readonly recipes: readonly PublicRecipe[];
  readonly total: number;
}

/**
 * Searches the list, by words.
 * @throws ReasonedError with why it was not answered
 */
export type SearchPublicRecipes = (sharer: Sharer, words: string) => Promise<FoundRecipes>;

const listAddress = 'https://trmnl.com/recipes.json';
/** The bounds of one answer. */
const bounds = { recipes: 50, bytes: 4 * 2 ** 20, timeoutMs: 10_000 } as const;
/** Answers are kept for this time, so many of them. */
const kept = { ms: 10 * 60_000, most: 100 } as const;

const short = (most: number) =>
  z
    .string()
    .transform((text) => text.trim().slice(0, most))
    .catch('');

const webAddress = z
  .url({ protocol: /^https?$/ })
  .max(500)
  .catch('');

const listedRecipe = z.object({
  id: z.union([z.number().int().positive(), z.string().regex(/^\d{1,9}$/)]).transform(String),
  name: z
    .string()
    .trim()
    .min(1)
    .transform((text) => text.slice(0, 200)),
  author_bio: z
    .object({
      description: short(500),
      category: short(100),
      github_url: webAddress,
      learn_more_url: webAddress,
    })
    .catch({ description: '', category: '', github_url: '', learn_more_url: '' }),
  // Documented answers have none.
  license: short(100),
  stats: z.object({ installs: z.number().int().nonnegative().catch(0) }).catch({ installs: 0 }),
});

const answered = z.object({ data: z.array(z.unknown()), total: z.number().int().nonnegative().optional() });

/** Makes the search of a process. Its pictures are left out: no browser asks a strange host for them. */
export function publicRecipeSearch({
  wayOut,
  clock,
}: {
  readonly wayOut: WayOut;
  readonly clock: Clock;
}): SearchPublicRecipes {
  const known = new BoundedMap<string, { readonly found: FoundRecipes; readonly until: number }>(kept.most);
  return async (sharer, words) => {
    const asked = words.trim().toLowerCase().replace(/\s+/g, ' ');
    const before = known.get(asked);
    if (before !== undefined && clock.now() < before.until) return before.found;
    const found = await askList(wayOut, sharer, asked);
    known.set(asked, { found, until: clock.now() + kept.ms });
    return found;
  };
}

async function askList(wayOut: WayOut, sharer: Sharer, words: string): Promise<FoundRecipes> {
  const url = new URL(listAddress);
  if (words !== '') url.searchParams.set('search', words);
  url.searchParams.set('sort-by', 'popularity');
  url.searchParams.set('per_page', String(bounds.recipes));
  const outcome = await requestOnce(wayOut, {
    sharer,
    url: url.href,
    method: 'GET',
    headers: { accept: 'application/json' },
    allowLoopback: false,
    rule: publicHosts,
    readLimitBytes: bounds.bytes,
    timeoutMs: bounds.timeoutMs,
  });
  if (outcome.kind === 'problem') throw new ReasonedError(outcome.problem);
  if (outcome.status !== 200) throw new ReasonedError(reasonOf('answer-status', { status: outcome.status }));
  return readList(outcome.body.toString('utf8'));
}

/** Reads an answer of the list. An entry that has no number or name is left out. */
function readList(text: string): FoundRecipes {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ReasonedError(reasonOf('document-not-json'));
  }
  const read = answered.safeParse(value);
  if (!read.success) throw new ReasonedError(reasonOf('public-recipes-changed'));
  const recipes = read.data.data.slice(0, bounds.recipes).flatMap((entry): PublicRecipe[] => {
    const one = listedRecipe.safeParse(entry);
    if (!one.success) return [];
    const { id, name, license, author_bio: bio, stats } = one.data;
    return [
      {
        id,
        name,
        description: bio.description,
        category: bio.category,
        author: bio.github_url || bio.learn_more_url,
        licence: license,
        installs: stats.installs,
      },
    ];
  });
  return { recipes, total: Math.max(read.data.total ?? 0, recipes.length) };
}

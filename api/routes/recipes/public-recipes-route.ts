/** The route that searches TRMNL's public list of recipes, where the operator allows it. */
import { z } from 'zod';
import { type Because, reasonOf } from '../../../reasons/reason.ts';
import { ReasonedError } from '../../../reasons/reasoned-error.ts';
import { wordsOf } from '../../../reasons/words.ts';
import { requireMembership } from '../../access/principal.ts';
import { objectId } from '../../http/field-shapes.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { spelledAs, spelledReasons } from '../../http/spelled-reasons.ts';
import type { FoundRecipes, SearchPublicRecipes } from '../../recipes/public-recipes.ts';

export interface PublicRecipesDeps {
  /** Searches the list; left out where the operator does not allow it. */
  readonly searchPublicRecipes?: SearchPublicRecipes | undefined;
}

const publicRecipesShown = z.object({
  isAllowed: z.boolean().describe('Whether the operator of the service allows it (`PAPERGATE_PUBLIC_RECIPES`)'),
  total: z.number().int().describe('How many the list has of them; the first 50 are answered'),
  recipes: z.array(
    z.object({
      id: z.string().describe('Its number, which `POST /recipes/address` takes'),
      name: z.string(),
      description: z.string(),
      category: z.string(),
      author: z.string().describe('An address of its author; empty where none is named'),
      licence: z.string().describe('Empty where none is named'),
      installs: z.number().int(),
    }),
  ),
  problem: z.string().optional().describe('Why the list did not answer'),
  problems: spelledReasons.optional(),
});

/** Returns the route. */
export function publicRecipesRoute({ searchPublicRecipes }: PublicRecipesDeps): AnyRoute {
  return route('GET /recipes/public', {
    summary: 'Search the public list of recipes at trmnl.com, where the operator allows it',
    noStore: true,
    query: z.object({
      organization: objectId,
      search: z.string().max(100).describe('Words; left out, the recipes that most people have').optional(),
    }),
    output: publicRecipesShown,
    async handle({ query: { organization, search = '' }, principal }) {
      requireMembership(principal, organization, 'write');
      if (searchPublicRecipes === undefined) return { isAllowed: false, total: 0, recipes: [] };
      const found = await searchPublicRecipes([organization, principal.accountId], search).catch(problemOf);
      if ('recipes' in found) return { isAllowed: true, total: found.total, recipes: [...found.recipes] };
      const { problem } = found;
      return { isAllowed: true, total: 0, recipes: [], problem: wordsOf(problem), ...spelledAs('problems', [problem]) };
    },
  });
}

function problemOf(error: unknown): { readonly problem: Because } | FoundRecipes {
  if (!(error instanceof ReasonedError)) throw error;
  return { problem: reasonOf('public-recipes-failed', { because: error.reason }) };
}

/** The route of choices that a recipe has looked up while somebody fills in its form. */

import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { spellOut } from '../../../reasons/words.ts';
import { isRecord } from '../../../runtime/plain-record.ts';
import { requireMembership } from '../../access/principal.ts';
import { objectId } from '../../http/field-shapes.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { spelledReasons } from '../../http/spelled-reasons.ts';
import { lookUpOptions } from '../../recipes/data/look-up-options.ts';
import { templateValues } from '../../recipes/package/recipe-fields.ts';
import { findRecipe } from '../../recipes/recipe-store.ts';
import { type RecipeRouteDeps, recipeIdText } from './recipe-routes.ts';

const wanted = z.object({
  organization: objectId,
  recipe: recipeIdText,
  field: z.string().min(1).max(200).describe('The key of the field'),
  values: z.looseObject({}).describe('The values of the other fields, which the address may use; secrets are left out'),
  text: z.string().max(200).describe('What somebody typed to search for').optional(),
});

const found = z.object({
  options: z.array(z.object({ label: z.string(), value: z.string() })),
  problems: spelledReasons.describe('Why there are none; empty where they were answered'),
});

/** Returns the route. */
export function recipeOptionRoutes(deps: RecipeRouteDeps): AnyRoute[] {
  return [
    route('POST /previews/recipe-options', {
      audit: { none: 'it changes nothing' },
      summary: 'The choices of a recipe’s field, asked of the address that the recipe names for them',
      status: 200,
      noStore: true,
      body: wanted,
      output: found,
      async handle({ body: { organization, recipe: id, field: key, values, text = '' }, principal, caller }) {
        requireMembership(principal, organization, 'write');
        const known = await findRecipe(deps.db, organization, id);
        if (known === undefined) throw refuse('invalid-request', { hint: reasonOf('recipe-gone') });
        const { settings } = known.recipe;
        const field = settings.fields.find((one) => one.key === key);
        if (field?.lookup === undefined) throw refuse('invalid-request', { hint: reasonOf('field-not-looked-up') });
        const secrets = settings.fields.filter(({ input }) => input === 'secret').map((one) => [one.key, ''] as const);
        const typed = { ...(isRecord(values) ? values : {}), ...Object.fromEntries(secrets) };
        const looked = await lookUpOptions(deps, {
          sharer: [organization, principal.accountId],
          key,
          lookup: field.lookup,
          settings,
          values: templateValues(settings.fields, typed, new Date(deps.clock.now()).toISOString().slice(0, 10)),
          text,
          signal: caller.signal,
        });
        return looked.ok
          ? { options: [...looked.options], problems: [] }
          : { options: [], problems: [...spellOut(looked.reason)] };
      },
    }),
  ];
}

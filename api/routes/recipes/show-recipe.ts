/** Recipes as answers show them. */
import { z } from 'zod';
import { isoTimeOrNull } from '../../../runtime/clock.ts';
import { type KnownRecipe, sourceKinds } from '../../recipes/known-recipe.ts';
import type { RecipeField } from '../../recipes/package/recipe-fields.ts';

const fieldShown = z
  .object({
    key: z.string(),
    input: z.enum([
      'text',
      'lines',
      'address',
      'code',
      'secret',
      'date',
      'time',
      'zone',
      'number',
      'switch',
      'choice',
      'choices',
      'list',
      'place',
      'search',
      'shown',
    ]),
    name: z.string(),
    description: z.string(),
    placeholder: z.string(),
    isRequired: z.boolean(),
    initial: z.union([z.string(), z.array(z.string())]),
    options: z.array(z.object({ label: z.string(), value: z.string() })),
    bounds: z.object({
      min: z.number().optional(),
      max: z.number().optional(),
      step: z.number().optional(),
      maxLength: z.number().optional(),
    }),
    hides: z
      .array(z.object({ when: z.string(), hidden: z.array(z.string()) }))
      .describe('Fields that are hidden, and not required, while this one has a value'),
    texts: z
      .record(z.string(), z.record(z.string(), z.string()))
      .describe('Its name, description and placeholder in other languages, by their tags'),
  })
  .meta({ id: 'RecipeField' });

/** A recipe in a list. */
export const recipeListed = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    category: z.string(),
    strategy: z.enum(['polling', 'static', 'webhook']).describe('Where its data come from'),
    everyMinutes: z.number().describe('How often its addresses are asked'),
    source: z.object({
      kind: z.enum(sourceKinds),
      from: z.string().describe('The address or the file that it came from'),
      licence: z.string().describe('Empty where none is known'),
    }),
    updatedAt: z.string().nullable(),
  })
  .meta({ id: 'ListedRecipe' });

/** A whole recipe. */
export const recipeShown = recipeListed
  .extend({
    fields: z.array(fieldShown),
    addresses: z.string().describe('Liquid over the fields: an address in each line'),
    isPost: z.boolean(),
    headers: z.string(),
    body: z.string(),
    data: z.string().describe('JSON that it brings along'),
    views: z.record(z.string(), z.string()).describe('Markup in Liquid by layout'),
    transform: z.string().nullable(),
  })
  .meta({ id: 'Recipe' });

const showField = ({
  lookup: _lookup,
  initial,
  options,
  hides,
  ...field
}: RecipeField): z.input<typeof fieldShown> => ({
  ...field,
  initial: typeof initial === 'string' ? initial : [...initial],
  options: [...options],
  hides: hides.map(({ when, hidden }) => ({ when, hidden: [...hidden] })),
  texts: Object.fromEntries(
    Object.entries(field.texts).map(([tag, { name = '', description = '', placeholder = '' }]) => [
      tag,
      { name, description, placeholder },
    ]),
  ),
});

/** Shows a recipe in a list. */
export const showListed = ({
  id,
  name,
  recipe: { settings },
  source,
  updatedAt,
}: KnownRecipe): z.input<typeof recipeListed> => ({
  id,
  name,
  description: settings.author.description,
  category: settings.author.category,
  strategy: settings.strategy,
  everyMinutes: settings.everyMinutes,
  source,
  updatedAt: isoTimeOrNull(updatedAt),
});

/** Shows a recipe whole. */
export function showRecipe(known: KnownRecipe): z.input<typeof recipeShown> {
  const { settings, views, transform } = known.recipe;
  const { addresses, isPost, headers, body, data } = settings;
  return {
    ...showListed(known),
    fields: settings.fields.map(showField),
    addresses,
    isPost,
    headers,
    body,
    data,
    views: { ...views },
    transform: transform ?? null,
  };
}

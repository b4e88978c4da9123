/** Recipes as answers show them. */
import { z } from 'zod';
import { isoTimeOrNull } from '../../../runtime/clock.ts';
import { type KnownRecipe, sourceKinds } from '../../recipes/known-recipe.ts';
import type { RecipeField } from '../../recipes/package/recipe-fields.ts';
import { type RecipeSettings, recipeRooms } from '../../recipes/package/recipe-settings.ts';

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
    options: z.array(
      z.object({
        label: z.string(),
        value: z.string(),
        labels: z.record(z.string(), z.string()).describe('Its label in other languages, by their tags'),
      }),
    ),
    lookup: z
      .object({
        takesText: z.boolean().describe('Whether they are searched by a text'),
        dependsOn: z.array(z.string()).describe('The fields that they depend on'),
      })
      .nullable()
      .describe('For a field whose choices `POST /previews/recipe-options` answers'),
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
    rooms: z.array(z.enum(recipeRooms)).describe('Where people hang it'),
    texts: z
      .record(z.string(), z.record(z.string(), z.string()))
      .describe('Its name and description in other languages, by their tags'),
    picture: z
      .string()
      .nullable()
      .describe('The path of a picture of it below the address of the service, as a frame shows its sample'),
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

const showField = ({ lookup, initial, options, hides, ...field }: RecipeField): z.input<typeof fieldShown> => ({
  ...field,
  initial: typeof initial === 'string' ? initial : [...initial],
  options: options.map(({ labels, ...option }) => ({ ...option, labels: { ...labels } })),
  lookup: lookup === undefined ? null : { takesText: lookup.sendsText, dependsOn: [...lookup.dependsOn] },
  hides: hides.map(({ when, hidden }) => ({ when, hidden: [...hidden] })),
  texts: Object.fromEntries(
    Object.entries(field.texts).map(([tag, { name = '', description = '', placeholder = '' }]) => [
      tag,
      { name, description, placeholder },
    ]),
  ),
});

function listedTexts({ texts, author }: RecipeSettings): Record<string, Record<string, string>> {
  const tags = new Set([...Object.keys(texts), ...Object.keys(author.texts)]);
  return Object.fromEntries([...tags].map((tag) => [tag, { ...texts[tag], ...author.texts[tag] }]));
}

/** Shows a recipe in a list. */
export const showListed = ({
  id,
  name,
  recipe: { settings },
  source,
  updatedAt,
  picture,
}: KnownRecipe): z.input<typeof recipeListed> => ({
  id,
  name,
  description: settings.author.description,
  category: settings.author.category,
  rooms: [...settings.rooms],
  texts: listedTexts(settings),
  picture: picture === undefined ? null : `console/recipes/${id}-${picture}.png`,
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

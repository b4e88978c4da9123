/** The form of a paper's recipe, as the paper keeps it: by it secrets among the values are known (T-118). */
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Database } from '../../runtime/database/database.ts';
import { isRecord } from '../../runtime/plain-record.ts';
import type { RecipeField } from './package/recipe-fields.ts';
import { findRecipe } from './recipe-store.ts';

/** Returns a JSON schema of fields, as integrations' manifests have one. The recipe alone says which are secrets. */
export const formSchemaOf = (fields: readonly RecipeField[]) => ({
  type: 'object',
  properties: Object.fromEntries(
    fields.map(({ key, name, input }) => [
      key,
      { title: name, ...(input === 'secret' ? { format: 'password' } : { secret: false }) },
    ]),
  ),
});

/**
 * Puts the form of the recipe that a meta names into it; a meta of another kind of paper stays as it is.
 * @throws Refusal `invalid-request` for a recipe that the organization does not have
 */
export async function withRecipeForm(
  db: Database,
  organizationId: string,
  kind: string,
  meta: object,
): Promise<object> {
  if (kind !== 'recipe' || !isRecord(meta) || typeof meta.recipe !== 'string' || meta.recipe === '') return meta;
  const known = await findRecipe(db, organizationId, meta.recipe);
  if (known === undefined) throw refuse('invalid-request', { hint: reasonOf('recipe-gone') });
  return { ...meta, pluginManifest: { name: known.name, formSchema: formSchemaOf(known.recipe.settings.fields) } };
}

const reference = /papergate-secret:[0-9a-f]{24}/g;

/** Asks if a value stands in the place of a secret. */
export const isSealed = (value: unknown): boolean =>
  typeof value === 'string' && /^papergate-secret:[0-9a-f]{24}$/.test(value);

/**
 * Forgets the hosts that a paper's secrets were typed for, where one was typed that was not there before: they are those
 * that are asked next.
 */
export async function forgetHostsOfNew(db: Database, paperId: string, before: string, after: string): Promise<void> {
  const known = new Set(before.match(reference));
  const isNew = (after.match(reference) ?? []).some((one) => !known.has(one));
  if (isNew) await db('recipe_data').where({ paper_id: paperId }).update({ hosts: null });
}

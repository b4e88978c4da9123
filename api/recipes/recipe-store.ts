/** The recipes of an organization, and those that the service brings along. */
import type { Database } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import type { recipesTables } from './data/tables.ts';
import type { KnownRecipe, SourceKind } from './known-recipe.ts';
import { ownRecipe } from './own-recipes.ts';
import type { Recipe } from './package/recipe.ts';

/** A row of `recipes`. */
export type RecipeRow = RowIn<typeof recipesTables, 'recipes', { source_kind: SourceKind }>;

/** Finds a recipe that an organization may use; undefined for one of another organization, too. */
export async function findRecipe(db: Database, organizationId: string, id: string): Promise<KnownRecipe | undefined> {
  const own = await ownRecipe(id);
  if (own !== undefined) return own;
  const row = await db<RecipeRow>('recipes').where({ id, organization_id: organizationId }).first();
  return row && knownRecipe(row);
}

/** Returns the recipe of a row. */
export function knownRecipe(row: RecipeRow): KnownRecipe {
  return {
    id: row.id,
    name: row.name,
    recipe: {
      settings: JSON.parse(row.settings),
      views: JSON.parse(row.views),
      ...(row.transform !== null && { transform: row.transform }),
    },
    source: { kind: row.source_kind, from: row.source, licence: row.licence },
    updatedAt: row.updated_at,
  };
}

/** Returns the columns of a recipe that say what it is. */
export const recipeColumns = ({ settings, views, transform }: Recipe) => ({
  settings: JSON.stringify(settings),
  views: JSON.stringify(views),
  transform: transform ?? null,
});

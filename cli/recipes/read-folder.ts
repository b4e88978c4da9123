/** A recipe in a folder of this machine. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Recipe } from '../../api/recipes/package/recipe.ts';
import { NoRecipe, recipeOfFiles } from '../../api/recipes/package/recipe-files.ts';
import { UnusableSettings } from '../../api/recipes/package/recipe-settings.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import { WrongUsage } from '../ground/usage.ts';

/** A recipe, and JSON of its sample; undefined where it has none. */
export interface FolderRecipe {
  readonly recipe: Recipe;
  readonly sample: string | undefined;
}

/**
 * Reads the recipe of a folder.
 * @throws WrongUsage with what is wrong with it
 */
export async function readRecipeFolder(folder: string): Promise<FolderRecipe> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new WrongUsage(`${folder} cannot be read (${error.code})`, 'name the folder that has settings.yml');
  });
  const texts = new Map<string, string>();
  for (const name of names.filter((one) => /\.(?:ya?ml|liquid|js|json)$/.test(one))) {
    texts.set(name, await readFile(join(folder, name), 'utf8'));
  }
  try {
    return { recipe: recipeOfFiles(texts), sample: sampleOf(texts.get('sample.json')) };
  } catch (error) {
    if (error instanceof UnusableSettings) throw new WrongUsage(wordsOf(reasonOf(error.code)), 'mend settings.yml');
    if (error instanceof NoRecipe)
      throw new WrongUsage(`${folder}: ${error.code}`, 'it needs settings.yml and full.liquid');
    throw error;
  }
}

function sampleOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    JSON.parse(text);
    return text;
  } catch (error) {
    throw new WrongUsage(`sample.json is not JSON: ${error instanceof Error ? error.message : ''}`, 'mend sample.json');
  }
}

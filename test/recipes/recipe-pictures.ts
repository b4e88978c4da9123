/** The pictures of the recipes that the service brings along, as a frame shows their samples. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { recipePictureName } from '../../api/recipes/own-recipes.ts';
import { readRecipeFolder } from '../../cli/recipes/read-folder.ts';
import { pictureOfRecipe, withRecipeRendering } from '../../cli/recipes/try-recipe.ts';
import { checkout } from '../sources.ts';

/** The names of their folders. */
export const ownRecipeNames = readdirSync(join(checkout, 'recipes')).sort();

/** The circumstances under which samples are drawn: the moment of which all of them tell. */
const options = {
  panel: 'epd7',
  orientation: 'landscape',
  language: 'en',
  timeZone: 'Europe/Berlin',
  at: '2026-06-04T14:05+02:00',
};

/** Returns the examples of fields that may stay empty, as `key=value`: without them there would be little to see. */
async function examplesIn(folder: string): Promise<readonly string[]> {
  const { recipe } = await readRecipeFolder(folder);
  return recipe.settings.fields
    .filter(({ initial, isRequired, placeholder }) => initial === '' && !isRequired && placeholder !== '')
    .map(({ key, placeholder }) => `${key}=${placeholder}`);
}

/** Draws the pictures of recipes, by the paths of their files. */
export const recipePictures = (names: readonly string[] = ownRecipeNames): Promise<(readonly [string, Buffer])[]> =>
  withRecipeRendering(async (rendering) => {
    const drawn: (readonly [string, Buffer])[] = [];
    for (const name of names) {
      const folder = join(checkout, 'recipes', name);
      const { picture } = await pictureOfRecipe(rendering, folder, { ...options, field: await examplesIn(folder) });
      drawn.push([`recipes/${name}/${recipePictureName}`, picture]);
    }
    return drawn;
  });

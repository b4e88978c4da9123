/** The recipes that the service brings along: folders of text files below `recipes/`, read when they are first asked for. */
import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { KnownRecipe } from './known-recipe.ts';

const folder = join(import.meta.dirname, '../../recipes');
const prefix = 'own-';
const licence = 'Apache-2.0';

let all: Promise<ReadonlyMap<string, KnownRecipe>> | undefined;

/** Returns the recipes that the service brings along, by their ids, in the order of their folders. */
export function ownRecipes(): Promise<ReadonlyMap<string, KnownRecipe>> {
  all ??= readAll();
  return all;
}

/** Finds one of them. */
export const ownRecipe = async (id: string): Promise<KnownRecipe | undefined> =>
  id.startsWith(prefix) ? (await ownRecipes()).get(id) : undefined;

/** Returns whether a folder is that of a recipe that the service brings along. */
export const isOwnFolder = (path: string): boolean => dirname(resolve(path)) === folder;

/** The name of the picture in a recipe's folder: how a frame shows its sample. */
export const recipePictureName = 'picture.png';

/** Returns the path of the picture of a recipe that the service brings along. */
export const ownPicturePath = (id: string): string => join(folder, id.slice(prefix.length), recipePictureName);

async function readAll(): Promise<ReadonlyMap<string, KnownRecipe>> {
  // Loaded with the first look: it brings the reader of YAML.
  const { recipeOfFiles } = await import('./package/recipe-files.ts');
  const { isTypeset } = await import('./is-typeset.ts');
  const names = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const read = names.map(async ({ name }): Promise<readonly [string, KnownRecipe]> => {
    const recipe = recipeOfFiles(await filesIn(join(folder, name)));
    const id = `${prefix}${name}`;
    const picture = await digestOf(ownPicturePath(id));
    return [
      id,
      {
        id,
        name: recipe.settings.name,
        recipe,
        source: { kind: 'own', from: name, licence },
        updatedAt: null,
        isTypeset: isTypeset('own', recipe),
        ...(picture !== undefined && { picture }),
      },
    ];
  });
  return new Map((await Promise.all(read)).sort(([one], [other]) => one.localeCompare(other)));
}

/** Returns the beginning of a file's digest; undefined for no file: a recipe that is being written has no picture yet. */
async function digestOf(path: string): Promise<string | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  return bytes && hash('sha256', bytes).slice(0, 12);
}

async function filesIn(place: string): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(place)).filter((name) => /\.(?:ya?ml|liquid|js)$/.test(name));
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(place, name), 'utf8')] as const)),
  );
}

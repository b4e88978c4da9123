/** The files of a recipe: found in an archive or a folder of a repository, and read (RC-1 to RC-5, RC-99). */
import { layouts, type Recipe } from './recipe.ts';
import { readSettingsFile } from './recipe-settings.ts';

/** Why files are not a recipe, by a code of `reasons/sentences/recipes.ts`. */
export class NoRecipe extends Error {
  readonly code: 'recipe-no-settings' | 'recipe-several' | 'recipe-no-markup' | 'recipe-language';
  readonly folders: readonly string[];
  constructor(code: NoRecipe['code'], folders: readonly string[] = []) {
    super(code);
    this.code = code;
    this.folders = folders;
  }
}

const settingsName = /(?:^|\/)settings\.ya?ml$/;
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

/**
 * Finds the one recipe among files.
 * @param files texts by their paths
 * @param folder the folder that is meant, where there are several; its beginning may be left out
 * @throws NoRecipe or UnusableSettings
 */
export function recipeOfFiles(files: ReadonlyMap<string, string>, folder = ''): Recipe {
  const wanted = folder
    .split('/')
    .filter((part) => part !== '')
    .join('/');
  const places = [...files.keys()].filter((path) => settingsName.test(path)).map(folderOf);
  const meant = places.filter((place) => wanted === '' || `/${place}`.includes(`/${wanted}/`));
  const [place, ...others] = meant.sort((one, other) => one.length - other.length);
  if (place === undefined) throw new NoRecipe('recipe-no-settings', places);
  if (others.length > 0) throw new NoRecipe('recipe-several', meant);
  return recipeIn(files, place);
}

function recipeIn(files: ReadonlyMap<string, string>, place: string): Recipe {
  const settings = files.get(`${place}settings.yml`) ?? files.get(`${place}settings.yaml`) ?? '';
  const shared = files.get(`${place}shared.liquid`) ?? '';
  const views = Object.fromEntries(
    layouts.flatMap((layout) => {
      const markup = files.get(`${place}${layout}.liquid`);
      return markup === undefined || markup.trim() === '' ? [] : [[layout, `${shared}\n${markup}`]];
    }),
  );
  if (Object.keys(views).length === 0) throw new NoRecipe('recipe-no-markup');
  if (['py', 'rb', 'php'].some((ending) => files.has(`${place}transform.${ending}`)))
    throw new NoRecipe('recipe-language');
  const transform = files.get(`${place}transform.js`);
  return { settings: readSettingsFile(settings), views, ...(transform !== undefined && { transform }) };
}

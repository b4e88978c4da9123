/** The texts of recipes and their fields in the chosen language. */
import type { Schemas } from '../../../client/contract.ts';
import { language } from '../../ground/words.ts';

/** Texts in the language of their author, and in others by tags. */
interface Worded {
  readonly texts: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Returns the tags under which a text in the chosen language may stand. */
const fittingTags = (texts: Readonly<Record<string, unknown>>): readonly string[] => [
  language.value,
  ...Object.keys(texts).filter((tag) => tag.startsWith(`${language.value}-`)),
];

const wordedText = <Name extends string>(worded: Readonly<Record<Name, string>> & Worded, name: Name): string =>
  fittingTags(worded.texts)
    .map((tag) => worded.texts[tag]?.[name] ?? '')
    .find((text) => text !== '') ?? worded[name];

/** Returns a text of a field in the chosen language, where the recipe has it. */
export const fieldText = (field: Schemas['RecipeField'], name: 'name' | 'description' | 'placeholder'): string =>
  wordedText(field, name);

/** Returns a text of a recipe in the chosen language, where it has it. */
export const recipeText = (recipe: Schemas['ListedRecipe'], name: 'name' | 'description'): string =>
  wordedText(recipe, name);

/** Returns the label of a choice in the chosen language, where the recipe has it. */
export const optionLabel = ({ label, labels }: Schemas['RecipeField']['options'][number]): string =>
  fittingTags(labels)
    .map((tag) => labels[tag])
    .find((text) => text) ?? label;

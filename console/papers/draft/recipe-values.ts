/** The values of a recipe's fields in a draft of its paper. */
import type { Schemas } from '../../../client/contract.ts';
import { type Bound, bound } from '../../parts/bound.ts';
import type { PaperDraft } from './paper-draft.ts';

export type RecipeField = Schemas['RecipeField'];
type Values = Readonly<Record<string, unknown>>;

/** Returns the values as they stand on the screen. */
export function valuesOf(draft: PaperDraft): Values {
  const values = draft.get('pluginSettings');
  return typeof values === 'object' && values !== null && !Array.isArray(values) ? (values as Values) : {};
}

/** Returns one value as a text; the recipe's own where nobody typed any. */
export function shownValue(draft: PaperDraft, { key, initial }: RecipeField): string {
  const value = valuesOf(draft)[key] ?? initial;
  return Array.isArray(value) ? value.join(', ') : String(value ?? '');
}

/** Binds one value to a control. */
export const boundValue = (draft: PaperDraft, field: RecipeField): Bound<string> =>
  bound(shownValue(draft, field), (text) => setValue(draft, field.key, text));

/** Sets one value. */
export const setValue = (draft: PaperDraft, key: string, value: unknown): void =>
  draft.set('pluginSettings', { ...valuesOf(draft), [key]: value });

/** Whether a value stands for a secret that the service keeps. */
export const isKeptSecret = (value: string): boolean => value.startsWith('papergate-secret:');

/** Returns the fields that are in sight: others may hide some. */
export function shownFields(draft: PaperDraft, fields: readonly RecipeField[]): readonly RecipeField[] {
  const hidden = new Set(
    fields.flatMap((field) =>
      field.hides.filter(({ when }) => when === shownValue(draft, field)).flatMap((rule) => rule.hidden),
    ),
  );
  return fields.filter(({ key }) => !hidden.has(key));
}

/** Whether every field of the draft's recipe that needs a value has one; false until the fields were read. */
export function isFilledIn(draft: PaperDraft): boolean {
  const fields = draft.recipeFields.value;
  if (fields === undefined) return false;
  return shownFields(draft, fields).every((field) => !field.isRequired || shownValue(draft, field) !== '');
}

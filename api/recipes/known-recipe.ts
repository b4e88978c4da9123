/** A recipe as papers can show it, and where it came from. */
import type { Recipe } from './package/recipe.ts';

/** The ways by which a recipe comes here. */
export const sourceKinds = ['own', 'archive', 'repository', 'catalogue', 'written'] as const;
export type SourceKind = (typeof sourceKinds)[number];

/** A recipe that papers can show, and where it came from. */
export interface KnownRecipe {
  readonly id: string;
  readonly name: string;
  readonly recipe: Recipe;
  readonly source: { readonly kind: SourceKind; readonly from: string; readonly licence: string };
  /** When it was last changed here, epoch milliseconds; null for one that the service brings along. */
  readonly updatedAt: number | null;
  /** Whether it is drawn without a browser: one that the service brings along may be. */
  readonly isTypeset?: boolean;
  /** The digest of its picture, for one that has a picture. */
  readonly picture?: string;
}

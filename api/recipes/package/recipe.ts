/** A recipe, and the layouts that it can have. */
import type { RecipeSettings } from './recipe-settings.ts';

/** The layouts of a recipe: for a whole screen, and for parts of it. */
export const layouts = ['full', 'half_horizontal', 'half_vertical', 'quadrant'] as const;
export type Layout = (typeof layouts)[number];

/** A recipe as its files say it. */
export interface Recipe {
  readonly settings: RecipeSettings;
  /** The markup of each layout that there is, with what is shared in front. */
  readonly views: Readonly<Partial<Record<Layout, string>>>;
  /** A program in JavaScript that changes the data. */
  readonly transform?: string;
}

/** Returns the markup of a layout; one that a recipe lacks is drawn as the whole screen is (RC-4). */
export const viewOf = ({ views }: Recipe, layout: Layout): string =>
  views[layout] ?? views.full ?? Object.values(views)[0] ?? '';

/** Pictures of recipes: a page of markup and data, drawn by the guarded browser like a page of somebody else. */

import { viewSize } from '../../firmware-protocol/panels.ts';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { isoTime } from '../../runtime/clock.ts';
import { readOptimizeOptions } from '../inks/read-optimize-tag.ts';
import type { OpenedSettings } from '../integration/paper-secrets.ts';
import type { AddressLogin } from '../outgoing/address-login.ts';
import { notSetUp } from '../papers/kinds.ts';
import type { PaperRow } from '../papers/store.ts';
import type { KeptData } from '../recipes/data/kept-data.ts';
import { viewOf } from '../recipes/package/recipe-files.ts';
import type { ReadRecipe, RecipeData } from '../recipes/recipe-papers.ts';
import { screenFiles, screenPage } from '../recipes/screen/screen-page.ts';
import type { RecipeThreads } from '../recipes/work/recipe-threads.ts';
import type { Rendering } from '../rendering/rendering.ts';
import type { MissLetters } from './missing-letters.ts';
import type { PaperSheet } from './paper-sheet.ts';
import type { RenderedPicture } from './wanted-picture.ts';

export interface RecipeDrawDeps {
  readonly rendering: Pick<Rendering, 'renderPage' | 'preparePicture'>;
  readonly readRecipe: ReadRecipe;
  readonly recipeThreads: Pick<RecipeThreads, 'work'>;
  readonly loginsOf?: (paper: Pick<PaperRow, 'id' | 'organization_id'>) => Promise<readonly AddressLogin[]>;
  readonly openSettings?: (paper: PaperRow, settings: Readonly<Record<string, unknown>>) => OpenedSettings;
  readonly missed: MissLetters;
}

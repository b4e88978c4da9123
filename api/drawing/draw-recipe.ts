/** Pictures of recipes: a page of markup and data, drawn by the guarded browser as a page of nobody's own host. */

import { viewSize } from '../../firmware-protocol/panels.ts';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { isoTime } from '../../runtime/clock.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import { isTimezone, storedObject } from '../http/field-shapes.ts';
import type { OpenedSettings } from '../integration/paper-secrets.ts';
import type { AddressLogin } from '../outgoing/address-login.ts';
import { pageLanguage } from '../pages/document.ts';
import type { PaperRow } from '../papers/store.ts';
import { viewOf } from '../recipes/package/recipe.ts';
import type { ReadRecipe, RecipeData } from '../recipes/recipe-papers.ts';
import { screenFile, screenPatterns } from '../recipes/screen/screen-files.ts';
import { screenAddress, screenPage } from '../recipes/screen/screen-page.ts';
import type { Rendering } from '../rendering/rendering.ts';
import { type DrawnPages, isDrawnAlike } from './drawn-pages.ts';
import type { MissLetters } from './missing-letters.ts';
import type { PaperSheet } from './paper-sheet.ts';
import { prepareShot } from './prepare-shot.ts';
import type { RenderedPicture } from './wanted-picture.ts';

export interface RecipeDrawDeps {
  readonly rendering: Pick<Rendering, 'renderPage' | 'preparePicture' | 'workOnRecipe'>;
  readonly readRecipe: ReadRecipe;
  readonly loginsOf?: (paper: Pick<PaperRow, 'id' | 'organization_id'>) => Promise<readonly AddressLogin[]>;
  /** Puts a paper's secrets into the values that go to addresses; left out, there are none. */
  readonly openSettings?: (paper: PaperRow, settings: Readonly<Record<string, unknown>>) => OpenedSettings;
  readonly missed: MissLetters;
  /** The pictures that pages became before; left out, each page is drawn. */
  readonly drawnPages?: DrawnPages;
}

/** Draws the page that a recipe makes of its data. Where nothing was ever had to show there is no picture. */
export async function drawRecipe(deps: RecipeDrawDeps, sheet: PaperSheet): Promise<RenderedPicture> {
  const { meta, wanted } = sheet;
  const timeZone = zoneOf(meta);
  const read = await readRecipeOf(deps, sheet, wanted.sharer);
  if (!read.ok) return { ok: false, reason: read.reason };
  const made = await makePage(deps, sheet, read, timeZone);
  if (!made.ok) return { ok: false, reason: made.reason };
  const { page, markup } = made;
  const isKept = isDrawnAlike(`${markup}${typeof meta.css === 'string' ? meta.css : ''}`);
  const madeOf = [page, meta, wanted.panel, wanted.orientation];
  const known = isKept ? deps.drawnPages?.find(madeOf) : undefined;
  const drawn = known ?? (await drawPage(deps, sheet, { page, timeZone }));
  if (!drawn.ok) return drawn;
  if (isKept && known === undefined) deps.drawnPages?.keep(madeOf, drawn);
  return { ...drawn, remarks: [...(drawn.remarks ?? []), ...remarksOfData(read)] };
}

async function drawPage(
  deps: RecipeDrawDeps,
  sheet: PaperSheet,
  { page, timeZone }: { readonly page: string; readonly timeZone: string },
): Promise<RenderedPicture> {
  const { panel, orientation, sharer } = sheet.wanted;
  const { language, css } = sheet.meta;
  const shot = await deps.rendering.renderPage({
    sharer,
    url: screenAddress,
    payload: {},
    ...viewSize(panel, orientation),
    timeZone,
    language: typeof language === 'string' ? language : undefined,
    css: typeof css === 'string' ? css : undefined,
    files: {
      addresses: screenPatterns,
      read: async (address) =>
        address === screenAddress ? { contentType: 'text/html; charset=utf-8', body: page } : screenFile(address),
    },
  });
  return prepareShot(deps, sheet, shot);
}

/** Reads the data of a paper's recipe, with its logins and secrets. */
export async function readRecipeOf(
  deps: Pick<RecipeDrawDeps, 'readRecipe' | 'loginsOf' | 'openSettings'>,
  { paper, meta }: Pick<PaperSheet, 'paper' | 'meta'>,
  sharer: Sharer,
  latest = false,
): ReturnType<ReadRecipe> {
  return deps.readRecipe(
    { id: paper.id, organizationId: paper.organization_id, meta, isDraft: false },
    {
      sharer,
      latest,
      timeZone: zoneOf(meta),
      logins: (await deps.loginsOf?.(paper)) ?? [],
      open: (values) => deps.openSettings?.(paper, values) ?? { settings: values, secrets: [] },
    },
  );
}

/** Polls the sources of a paper's recipe, and returns whether its data are other ones now. */
export async function pollRecipeOf(
  deps: Pick<RecipeDrawDeps, 'readRecipe' | 'loginsOf' | 'openSettings'>,
  paper: PaperRow,
): Promise<boolean> {
  const sheet = { paper, meta: storedObject(paper.meta) };
  const read = await readRecipeOf(deps, sheet, [paper.organization_id, paper.id], true);
  return read.ok && read.kept !== undefined && read.kept.changedAt === read.kept.polledAt;
}

/** Makes the page: the recipe's markup over its data, with the screen around it. */
async function makePage(
  deps: RecipeDrawDeps,
  { meta, wanted, at, layout = 'full' }: PaperSheet,
  read: RecipeData,
  timeZone: string,
) {
  const { panel, orientation, sharer } = wanted;
  const { recipe, name } = read.known;
  const view = viewSize(panel, orientation);
  const language = pageLanguage(meta.language);
  const made = await deps.rendering.workOnRecipe(sharer, {
    do: 'page',
    markup: viewOf(recipe, layout),
    settings: recipe.settings,
    data: read.data,
    values: read.values,
    layout,
    surroundings: {
      now: at,
      timeZone,
      language,
      paperName: typeof meta.title === 'string' && meta.title !== '' ? meta.title : name,
      panel: { width: view.width, height: view.height },
    },
  });
  if (!made.ok) return made;
  const page = screenPage({
    markup: made.done.page,
    layout,
    ...view,
    colours: panel.colours,
    language,
    isDark: recipe.settings.isDark,
    isWithoutPadding: recipe.settings.isWithoutPadding,
  });
  return { ok: true, page, markup: made.done.page } as const;
}

/** Reports which sources did not answer, since when, and what failed with the data. */
function remarksOfData({ kept }: RecipeData): readonly Reason[] {
  const stale = (kept?.answers ?? []).flatMap(({ host, problem, answeredAt }): readonly Reason[] => {
    if (problem === undefined) return [];
    if (answeredAt === undefined) return [reasonOf('source-failed', { host, because: problem })];
    return [reasonOf('source-stale', { host, time: isoTime(answeredAt), because: problem })];
  });
  const failed = kept?.failed;
  return failed === undefined ? stale : [...stale, reasonOf('recipe-transform-failed', { error: failed })];
}

/** Returns the time zone of a paper's meta; UTC where it names none. */
export const zoneOf = ({ timezone }: Readonly<Record<string, unknown>>): string =>
  typeof timezone === 'string' && isTimezone(timezone) ? timezone : 'UTC';

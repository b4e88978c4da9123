/**
 * Pictures of recipes: a page of markup and data. Those that the service brings along are typeset where their markup allows
 * it; all others are drawn by the guarded browser as a page of nobody's own host.
 */

import { viewSize } from '../../firmware-protocol/panels.ts';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { isoTime } from '../../runtime/clock.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import { type DataSource, oldestAnswer } from '../devices/data-sources.ts';
import { isTimezone, storedObject } from '../http/field-shapes.ts';
import type { OpenedSettings } from '../integration/paper-secrets.ts';
import type { AddressLogin } from '../outgoing/address-login.ts';
import { type PageDocument, pageLanguage } from '../pages/document.ts';
import { remarkOfLetters } from '../pages/missing-letters-remark.ts';
import { limitOfDataMs } from '../papers/old-data.ts';
import type { PaperRow } from '../papers/store.ts';
import { noteHosts } from '../recipes/asked-hosts.ts';
import { viewOf } from '../recipes/package/recipe.ts';
import { everyMsOf, type ReadRecipe, type RecipeData, type RecipePaperDeps } from '../recipes/recipe-papers.ts';
import { screenDocument } from '../recipes/screen/screen-document.ts';
import { screenFile, screenPatterns } from '../recipes/screen/screen-files.ts';
import { screenAddress, screenPage } from '../recipes/screen/screen-page.ts';
import { screenShape } from '../recipes/screen/screen-shape.ts';
import type { DataAge } from '../recipes/work/template-data.ts';
import type { Rendering } from '../rendering/rendering.ts';
import { type DrawnPages, isDrawnAlike } from './drawn-pages.ts';
import type { MissLetters } from './missing-letters.ts';
import type { PaperSheet } from './paper-sheet.ts';
import { prepareShot } from './prepare-shot.ts';
import type { RenderedPicture } from './wanted-picture.ts';

export interface RecipeDrawDeps {
  readonly rendering: Pick<Rendering, 'renderPage' | 'renderDocument' | 'preparePicture' | 'workOnRecipe'>;
  readonly readRecipe: ReadRecipe;
  readonly loginsOf?: (paper: Pick<PaperRow, 'id' | 'organization_id'>) => Promise<readonly AddressLogin[]>;
  /** Puts a paper's secrets into the values that go to addresses; left out, there are none. */
  readonly openSettings?: (paper: PaperRow, settings: Readonly<Record<string, unknown>>) => OpenedSettings;
  readonly missed: MissLetters;
  /** The pictures of pages that were drawn before; left out, each page is drawn. */
  readonly drawnPages?: DrawnPages;
}

/** Draws the page that a recipe makes of its data. Fails where its sources never gave any data. */
export async function drawRecipe(deps: RecipeDrawDeps, sheet: PaperSheet): Promise<RenderedPicture> {
  const { meta, wanted } = sheet;
  const timeZone = zoneOf(meta);
  const read = await readRecipeOf(deps, sheet, wanted.sharer);
  if (!read.ok) return { ok: false, reason: read.reason };
  const made = await makeScreen(deps, sheet, read, timeZone);
  if (!made.ok) return { ok: false, reason: made.reason };
  const { screen, elements } = made;
  const isKept = isDrawnAlike(`${screen.markup}${ownCss(sheet) ?? ''}`);
  const madeOf = [screen, elements !== undefined, meta, wanted.panel, wanted.orientation];
  const known = isKept ? deps.drawnPages?.find(madeOf) : undefined;
  const drawn =
    known ??
    (elements === undefined
      ? await drawPage(deps, sheet, { page: screenPage(screen), timeZone })
      : await drawTypeset(deps, sheet, screenDocument(screen, elements, ownCss(sheet))));
  if (!drawn.ok) return drawn;
  if (isKept && known === undefined) deps.drawnPages?.keep(madeOf, drawn);
  return { ...drawn, remarks: [...(drawn.remarks ?? []), ...remarksOfData(read)], sources: sourcesOf(read) };
}

async function drawPage(
  deps: RecipeDrawDeps,
  sheet: PaperSheet,
  { page, timeZone }: { readonly page: string; readonly timeZone: string },
): Promise<RenderedPicture> {
  const { panel, orientation, sharer } = sheet.wanted;
  const { language } = sheet.meta;
  const shot = await deps.rendering.renderPage({
    sharer,
    url: screenAddress,
    payload: {},
    ...viewSize(panel, orientation),
    timeZone,
    language: typeof language === 'string' ? language : undefined,
    css: ownCss(sheet),
    files: {
      addresses: screenPatterns,
      read: async (address) =>
        address === screenAddress ? { contentType: 'text/html; charset=utf-8', body: page } : screenFile(address),
    },
  });
  return prepareShot(deps, sheet, shot);
}

/** Draws a screen without a browser. */
async function drawTypeset(deps: RecipeDrawDeps, sheet: PaperSheet, document: PageDocument): Promise<RenderedPicture> {
  const drawn = await deps.rendering.renderDocument(document, sheet.wanted.sharer);
  if (!drawn.ok) return drawn;
  const remarks = drawn.missing === '' ? [] : [remarkOfLetters(drawn.missing)];
  return prepareShot(deps, sheet, { ...drawn, remarks });
}

/** Returns the CSS that a paper adds to its page. */
const ownCss = ({ meta: { css } }: PaperSheet): string | undefined => (typeof css === 'string' ? css : undefined);

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
      language: pageLanguage(meta.language),
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

/** Notes the hosts that the recipe of a paper asks; of papers of other kinds nothing. */
export async function noteHostsOf(
  { openSettings, ...deps }: Pick<RecipeDrawDeps, 'openSettings'> & RecipePaperDeps,
  paper: PaperRow,
): Promise<void> {
  if (paper.kind !== 'recipe') return;
  const meta = storedObject(paper.meta);
  await noteHosts(
    deps,
    { id: paper.id, organizationId: paper.organization_id, meta, isDraft: false },
    {
      sharer: [paper.organization_id, paper.id],
      timeZone: zoneOf(meta),
      open: (values) => openSettings?.(paper, values) ?? { settings: values, secrets: [] },
    },
  );
}

/** Makes the screen: the recipe's markup over its data, and its elements where it is typeset. */
async function makeScreen(
  deps: RecipeDrawDeps,
  { meta, wanted, at, layout = 'full' }: PaperSheet,
  read: RecipeData,
  timeZone: string,
) {
  const { panel, orientation, sharer } = wanted;
  const { recipe, name, isTypeset = false } = read.known;
  const view = viewSize(panel, orientation);
  const picture = { ...view, layout, colours: panel.colours };
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
      age: ageOf(read, meta, at),
    },
    typesetAt: isTypeset ? screenShape(picture).density : undefined,
  });
  if (!made.ok) return made;
  const { isDark, isWithoutPadding } = recipe.settings;
  const screen = { markup: made.done.page, ...picture, language, isDark, isWithoutPadding };
  return { ok: true, screen, elements: made.done.read } as const;
}

/** Returns the sources of data: the hosts that were asked, or nobody's name for data that were sent here. */
function sourcesOf({ known, kept }: RecipeData): readonly DataSource[] {
  if (kept === undefined) return [];
  if (known.recipe.settings.strategy === 'webhook') return [{ name: '', answeredAt: kept.polledAt }];
  return kept.answers.map(({ host, answeredAt = null, problem }) => ({
    name: host,
    answeredAt,
    ...(problem !== undefined && { problem }),
  }));
}

/** The number of polls that may fail before a page says how old its data are. */
const failedPolls = 3;

/** Says how old data are, and whether the glass is to say so: after some failed polls, or the limit of the paper. */
function ageOf(read: RecipeData, meta: Readonly<Record<string, unknown>>, at: number): DataAge {
  const dataAt = oldestAnswer(sourcesOf(read));
  const { strategy } = read.known.recipe.settings;
  const limitMs = limitOfDataMs(meta);
  const maxMs = strategy === 'polling' ? Math.min(failedPolls * everyMsOf(read.known.recipe), limitMs) : limitMs;
  return { dataAt, isOld: dataAt !== undefined && at - dataAt > maxMs };
}

/** Reports which sources did not answer, since when, and what failed with the data. */
function remarksOfData({ kept, failed }: RecipeData): readonly Reason[] {
  const stale = (kept?.answers ?? []).flatMap(({ host, problem, answeredAt }): readonly Reason[] => {
    if (problem === undefined) return [];
    if (answeredAt === undefined) return [reasonOf('source-failed', { host, because: problem })];
    return [reasonOf('source-stale', { host, time: isoTime(answeredAt), because: problem })];
  });
  return failed === undefined ? stale : [...stale, reasonOf('recipe-transform-failed', { error: failed })];
}

/** Returns the time zone of a paper's meta; UTC where it names none. */
export const zoneOf = ({ timezone }: Readonly<Record<string, unknown>>): string =>
  typeof timezone === 'string' && isTimezone(timezone) ? timezone : 'UTC';

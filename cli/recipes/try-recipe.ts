/** `papergate recipe check` and `papergate recipe try`: a recipe made into pages and pictures on this machine. */

import { writeFile } from 'node:fs/promises';
import { drawRecipe } from '../../api/drawing/draw-recipe.ts';
import { drawPanelFile } from '../../api/inks/renditions.ts';
import { noHomeNetworks } from '../../api/outgoing/home-networks.ts';
import { publicHosts } from '../../api/outgoing/reach-host.ts';
import { systemNetwork } from '../../api/outgoing/system-network.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { papersTables } from '../../api/papers/tables.ts';
import { pollRecipe } from '../../api/recipes/data/read-recipe.ts';
import { isTypeset } from '../../api/recipes/is-typeset.ts';
import { isOwnFolder } from '../../api/recipes/own-recipes.ts';
import { type Layout, layouts, type Recipe, viewOf } from '../../api/recipes/package/recipe.ts';
import { type FieldValues, templateValues } from '../../api/recipes/package/recipe-fields.ts';
import type { RecipeData } from '../../api/recipes/recipe-papers.ts';
import { createRendering, type Rendering } from '../../api/rendering/rendering.ts';
import { panelOfKind, panels } from '../../firmware-protocol/panels.ts';
import { wordsOf } from '../../reasons/words.ts';
import { systemClock } from '../../runtime/clock.ts';
import { newRow } from '../../runtime/database/table.ts';
import { localDate } from '../../runtime/local-time.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { printJson, printLine } from '../ground/print.ts';
import { WrongUsage } from '../ground/usage.ts';
import { type FolderRecipe, readRecipeFolder } from './read-folder.ts';

/** The options of `recipe try`. */
export interface TryOptions {
  readonly panel: string;
  readonly orientation: string;
  readonly field?: readonly string[];
  readonly language: string;
  readonly timeZone: string;
  /** The time that it is on the page, as somebody wrote it; left out, it is now. */
  readonly at?: string;
  readonly live?: boolean;
  readonly out: string;
}

const sharer = ['here', 'recipe'] as const;
const wayOut = openWayOut({ network: systemNetwork({ clock: systemClock }), clock: systemClock });

/** Gives a function the means to draw recipes, a browser among them, and ends them behind it. */
export async function withRecipeRendering<Result>(run: (rendering: Rendering) => Promise<Result>): Promise<Result> {
  const rendering = createRendering({
    clock: systemClock,
    logger: silentLogger,
    rule: publicHosts,
    wayOut,
    browserPath: process.env.PAPERGATE_BROWSER,
    searchPath: process.env.PATH,
  });
  try {
    return await run(rendering);
  } finally {
    await rendering.stop();
  }
}

/** Makes all pages of a recipe from its sample, and prints what is wrong with each. */
export async function checkRecipe(folder: string, { json = false }: { readonly json?: boolean }): Promise<void> {
  const { recipe, sample } = await readRecipeFolder(folder);
  const pages = await withRecipeRendering(async (rendering) =>
    Promise.all(layouts.map((layout) => checkedPage(rendering, recipe, layout, sample ?? recipe.settings.data))),
  );
  if (json) printJson({ name: recipe.settings.name, pages });
  else
    for (const { layout, faults } of pages) printLine(`${layout}: ${faults.length === 0 ? 'ok' : faults.join('; ')}`);
  if (pages.some(({ faults }) => faults.length > 0)) process.exitCode = 1;
}

async function checkedPage(rendering: Rendering, recipe: Recipe, layout: Layout, data: string) {
  const now = Date.now();
  const made = await rendering.workOnRecipe(sharer, {
    do: 'page',
    markup: viewOf(recipe, layout),
    settings: recipe.settings,
    data,
    values: valuesFor(recipe, [], 'UTC'),
    layout,
    surroundings: {
      now,
      timeZone: 'UTC',
      language: 'en',
      paperName: recipe.settings.name,
      panel: { width: 800, height: 480 },
    },
  });
  if (!made.ok) return { layout, faults: [wordsOf(made.reason)] };
  const { page, remarks } = made.done;
  const inline = [...page.matchAll(/Liquid error: [^<\n]*/g)].map(([words]) => words);
  return { layout, faults: [...remarks, ...inline] };
}

/** Draws a recipe for a panel, and writes the picture as people see it. */
export async function tryRecipe(folder: string, options: TryOptions): Promise<void> {
  const { title, picture, remarks } = await withRecipeRendering((rendering) =>
    pictureOfRecipe(rendering, folder, options),
  );
  for (const remark of remarks) printLine(remark);
  await writeFile(options.out, picture);
  printLine(`${options.out}: ${title}`);
}

/** A recipe as a panel shows it. */
interface RecipePicture {
  /** The recipe and the panel, in words. */
  readonly title: string;
  /** PNG. */
  readonly picture: Buffer;
  readonly remarks: readonly string[];
}

/** Draws the recipe in a folder. */
export async function pictureOfRecipe(
  rendering: Rendering,
  folder: string,
  options: Omit<TryOptions, 'out'>,
): Promise<RecipePicture> {
  const found = await readRecipeFolder(folder);
  const panel = panelOfKind(options.panel);
  if (panel === undefined) throw new WrongUsage(`--panel ${options.panel}`, `one of ${Object.keys(panels).join(', ')}`);
  const orientation = options.orientation === 'portrait' ? 'portrait' : 'landscape';
  const data = await dataFor(rendering, { ...found, folder }, options);
  const { settings } = found.recipe;
  const title = settings.texts[options.language]?.name ?? settings.name;
  const meta = { language: options.language, timezone: options.timeZone, title };
  const paper = newRow(papersTables, 'papers', {
    id: 'recipe',
    organization_id: 'here',
    device_id: '',
    kind: 'recipe',
    meta: JSON.stringify(meta),
    secrets: '',
    author: '',
    sequence: 0,
    created_at: 0,
    updated_at: 0,
  });
  const wanted = {
    sharer,
    paperId: paper.id,
    shown: { kind: 'page', id: paper.id },
    edition: 0,
    panel,
    orientation,
    serial: '',
  } as const;
  const drawn = await drawRecipe(
    { rendering, readRecipe: async () => ({ ok: true, ...data }), missed: () => {} },
    { paper, meta, wanted, at: timeOf(options) },
  );
  if (!drawn.ok) throw new WrongUsage(wordsOf(drawn.reason), `papergate recipe check ${folder}`);
  const picture = await drawPanelFile(panel, orientation, drawn.file);
  if (picture === undefined) throw new Error(`a picture for ${panel.name} cannot be drawn`);
  return {
    title: `${title} as ${panel.title} shows it`,
    picture,
    remarks: (drawn.remarks ?? []).map((remark) => wordsOf(remark)),
  };
}

/** A sample tells of its own time: departures of yesterday would all be gone. */
function timeOf({ at }: Pick<TryOptions, 'at'>): number {
  const time = at === undefined ? Date.now() : Date.parse(at);
  if (Number.isNaN(time))
    throw new WrongUsage(`--at ${at}`, 'a time with its zone, for example 2026-06-04T14:05+02:00');
  return time;
}

/** Returns the values of fields: those that were typed, else the recipe's own. */
function valuesFor({ settings }: Recipe, typed: readonly string[], timeZone: string): FieldValues {
  const given = typed.map((text) => {
    const at = text.indexOf('=');
    if (at < 1) throw new WrongUsage(`--field ${text}`, 'a key and a value, for example --field city=Oslo');
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  const unknown = given.find(([key]) => !settings.fields.some((field) => field.key === key));
  if (unknown !== undefined) {
    throw new WrongUsage(`--field ${unknown[0]}`, `one of ${settings.fields.map(({ key }) => key).join(', ')}`);
  }
  return templateValues(settings.fields, Object.fromEntries(given), localDate(Date.now(), timeZone));
}

async function dataFor(
  rendering: Rendering,
  { recipe, sample, folder }: FolderRecipe & { readonly folder: string },
  options: Omit<TryOptions, 'out'>,
): Promise<RecipeData> {
  const values = valuesFor(recipe, options.field ?? [], options.timeZone);
  const kind = isOwnFolder(folder) ? 'own' : 'written';
  const known = {
    id: 'recipe',
    name: recipe.settings.name,
    recipe,
    source: { kind, from: '', licence: '' },
    updatedAt: null,
    isTypeset: isTypeset(kind, recipe),
  } as const;
  if (options.live !== true || recipe.settings.strategy !== 'polling') {
    return { known, values, data: sample ?? recipe.settings.data };
  }
  const polled = await pollRecipe(
    { clock: systemClock, follow: { wayOut, home: noHomeNetworks }, work: rendering.workOnRecipe },
    {
      sharer,
      recipe,
      values,
      hasSecrets: false,
      logins: [],
      timeZone: options.timeZone,
      seen: {},
      kept: undefined,
      hosts: undefined,
    },
  );
  if (!polled.ok) throw new WrongUsage(wordsOf(polled.reason), 'mend polling_url');
  for (const { host, problem } of polled.kept.answers)
    if (problem !== undefined) printLine(`${host}: ${wordsOf(problem)}`);
  return { known, values, data: polled.kept.data ?? '{}', kept: polled.kept };
}

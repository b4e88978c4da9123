/** The work on a recipe that strangers' texts take part in. It is done in a thread that can be ended: `recipe-worker.ts`. */
import type { Clock } from '../../../runtime/clock.ts';
import {
  type AnswerFormat,
  type AnswerPlace,
  readAnswer,
  UnreadableAnswer,
  variablesOf,
} from '../answers/read-answer.ts';
import { renderLiquid } from '../liquid/engine.ts';
import { readData } from '../liquid/read-data.ts';
import { licenceOf } from '../package/licence.ts';
import { BadArchive, readArchive } from '../package/read-archive.ts';
import type { Layout, Recipe } from '../package/recipe.ts';
import type { FieldValues } from '../package/recipe-fields.ts';
import { NoRecipe, recipeOfFiles } from '../package/recipe-files.ts';
import { type RecipeSettings, UnusableSettings } from '../package/recipe-settings.ts';
import type { ReadMarkup } from '../screen/read-markup.ts';
import { type PollRequest, pollRequests } from './poll-requests.ts';
import { type TemplateSurroundings, templateData } from './template-data.ts';
import { runTransform, TransformFailed } from './transform.ts';

/** Asks for the requests that a recipe polls with. */
export interface RequestsJob {
  readonly do: 'requests';
  readonly settings: RecipeSettings;
  readonly values: FieldValues;
  readonly now: number;
  readonly timeZone: string;
}

/** The answer of one address, or its last one as JSON of its variables; null for one that never answered. */
export type GivenAnswer =
  | {
      readonly bytes: Uint8Array;
      readonly contentType: string;
      /** Its answer before, and the format: it stands in for an answer that cannot be used. */
      readonly last?: { readonly read: string; readonly format: AnswerFormat } | undefined;
    }
  | { readonly read: string }
  | null;

/** Asks for the data of a recipe. */
export interface DataJob {
  readonly do: 'data';
  readonly answers: readonly GivenAnswer[];
  readonly place: AnswerPlace;
  readonly transform?: string;
  /** The variables that the program sees besides the data. */
  readonly seen: Readonly<Record<string, unknown>>;
}

/** Asks for a page. */
export interface PageJob {
  readonly do: 'page';
  readonly markup: string;
  readonly settings: Pick<RecipeSettings, 'strategy' | 'isDark' | 'isWithoutPadding'>;
  /** JSON of the data. */
  readonly data: string;
  readonly values: FieldValues;
  readonly layout: Layout;
  readonly surroundings: TemplateSurroundings;
  /** The panel's pixels for each of the recipe, where it is typeset: the elements of its page are wanted then. */
  readonly typesetAt?: number | undefined;
}

/** Asks for the recipe in an archive, or among files. */
export interface ImportJob {
  readonly do: 'import';
  readonly from: { readonly archive: Uint8Array } | { readonly files: Readonly<Record<string, string>> };
  /** The folder that is meant, where there are several; empty for any. */
  readonly folder: string;
}

export type RecipeJob = RequestsJob | DataJob | PageJob | ImportJob;

/** One address's answer: its variables as JSON, and where they are those of before, why. */
export type ReadOutcome =
  | { readonly read: string; readonly format?: AnswerFormat; readonly code?: undefined }
  | {
      readonly code: UnreadableAnswer['code'] | 'answer-is-page' | 'answer-too-long';
      readonly format: AnswerFormat;
      readonly read?: string | undefined;
    }
  | null;

/** The outcome of each kind of work. A sentence is the engine's own, about the recipe. */
export interface RecipeDone {
  readonly requests: { readonly requests: readonly PollRequest[] };
  readonly data: { readonly each: readonly ReadOutcome[]; readonly data: string; readonly failed?: string };
  readonly page: { readonly page: string; readonly remarks: readonly string[]; readonly read?: ReadMarkup };
  readonly import:
    | { readonly recipe: Recipe; readonly licence: string }
    | { readonly refused: ImportRefusal; readonly folders: readonly string[] };
}

/** Why nothing could be imported, by a code of `reasons/sentences/recipes.ts`. */
export type ImportRefusal = BadArchive['code'] | NoRecipe['code'] | UnusableSettings['code'];

/** The clock that bounds programs, and a source of numbers in [0, 1). */
export interface RecipeMachine {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: () => number;
}

/** The largest data of a recipe, as JSON (RC-92). */
const maxDataLength = 1_048_576;

function readOne(given: GivenAnswer, place: AnswerPlace): ReadOutcome {
  if (given === null) return null;
  if ('read' in given) return { read: given.read };
  const { last } = given;
  try {
    const { format, variables } = readAnswer(given, place);
    // A login page, or the page of a hotel's network, answers 200 as well.
    const isPageNow = format === 'page' && last !== undefined && last.format !== 'page';
    if (isPageNow) return { code: 'answer-is-page', format, read: last.read };
    const read = JSON.stringify(variables);
    return read.length > maxDataLength ? { code: 'answer-too-long', format, read: last?.read } : { format, read };
  } catch (error) {
    if (error instanceof UnreadableAnswer) return { code: error.code, format: error.format, read: last?.read };
    throw error;
  }
}

async function dataOf(
  { answers, place, transform, seen }: DataJob,
  { clock }: RecipeMachine,
): Promise<RecipeDone['data']> {
  const each = answers.map((given) => readOne(given, place));
  const read = each.map(
    (outcome): Readonly<Record<string, unknown>> =>
      outcome?.read === undefined ? {} : (readData(outcome.read) as Record<string, unknown>),
  );
  const data = JSON.stringify(variablesOf(read));
  if (data.length > maxDataLength) throw new Error(`its data are longer than ${maxDataLength / 2 ** 20} MB`);
  if (transform === undefined) return { each, data };
  try {
    const changed = await runTransform(transform, JSON.stringify({ ...JSON.parse(data), ...seen }), clock);
    // What it saw besides the data is not part of them, also where it hands all of it back.
    const own = Object.entries(changed).filter(([name]) => !Object.hasOwn(seen, name));
    return { each, data: JSON.stringify(Object.fromEntries(own)) };
  } catch (error) {
    // RC-21: the data stay as they are, and it is reported.
    if (error instanceof TransformFailed) return { each, data, failed: error.message };
    throw error;
  }
}

async function pageOf(
  { markup, settings, data, values, layout, surroundings, typesetAt }: PageJob,
  { random }: RecipeMachine,
): Promise<RecipeDone['page']> {
  const variables = readData(data) as Readonly<Record<string, unknown>>;
  const made = renderLiquid({
    markup,
    data: templateData(settings, variables, { values, layout, surroundings }),
    now: surroundings.now,
    random,
  });
  if (typesetAt === undefined) return made;
  const { readMarkup } = await import('../screen/read-markup.ts');
  return { ...made, read: readMarkup(made.page, typesetAt) };
}

async function importOf({ from, folder }: ImportJob): Promise<RecipeDone['import']> {
  try {
    const files = 'archive' in from ? await readArchive(from.archive) : new Map(Object.entries(from.files));
    return { recipe: recipeOfFiles(files, folder), licence: licenceOf(files) };
  } catch (error) {
    if (error instanceof NoRecipe) return { refused: error.code, folders: error.folders };
    if (error instanceof BadArchive || error instanceof UnusableSettings) return { refused: error.code, folders: [] };
    throw error;
  }
}

/** Does a piece of work. */
export async function doRecipeJob(job: RecipeJob, machine: RecipeMachine): Promise<RecipeDone[RecipeJob['do']]> {
  const { random } = machine;
  if (job.do === 'requests') {
    const { settings, values, now, timeZone } = job;
    return { requests: pollRequests(settings, values, { now, timeZone, random }) };
  }
  if (job.do === 'import') return importOf(job);
  return job.do === 'data' ? dataOf(job, machine) : pageOf(job, machine);
}

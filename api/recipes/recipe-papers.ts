/** The recipe of a paper with its data, and the page that the two make. */

import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import { localDate } from '../../runtime/local-time.ts';
import { copiedRecord } from '../../runtime/plain-record.ts';
import type { AddressLogin } from '../outgoing/address-login.ts';
import { type KeptData, keepData, keptData } from './data/kept-data.ts';
import { askedAs, type PollDeps, type Polled, type Polling, pollRecipe } from './data/read-recipe.ts';
import type { KnownRecipe } from './known-recipe.ts';
import type { Recipe } from './package/recipe.ts';
import { type FieldValues, missingFields, templateValues } from './package/recipe-fields.ts';
import { isSealed } from './paper-form.ts';
import { findRecipe } from './recipe-store.ts';
import { templateRecipe } from './template-recipe.ts';
import { headersOf } from './work/poll-requests.ts';
import { seenByPrograms } from './work/template-data.ts';

/** A paper whose recipe is wanted. */
export interface RecipePaper {
  readonly id: string;
  readonly organizationId: string;
  readonly meta: Readonly<Record<string, unknown>>;
  /** Whether it is a draft, whose data are kept for a moment and in memory alone. */
  readonly isDraft: boolean;
}

/** The circumstances under which it is wanted. */
export interface RecipeWish {
  readonly sharer: Sharer;
  readonly timeZone: string;
  readonly language: string;
  /** Whether its addresses are asked again, however young the data are. */
  readonly latest?: boolean;
  readonly logins: readonly AddressLogin[];
  /** Puts secrets into values, and returns those that there are. */
  readonly open: (values: FieldValues) => { readonly settings: FieldValues; readonly secrets: readonly unknown[] };
  readonly signal?: AbortSignal | undefined;
}

/** A recipe, the values of its fields, and its data. */
export interface RecipeData {
  readonly known: KnownRecipe;
  /** The values for views: without secrets, which go to addresses alone (RC-97). */
  readonly values: FieldValues;
  /** JSON of an object. */
  readonly data: string;
  readonly kept?: KeptData;
  /** Why its program failed, which leaves the data as they were. */
  readonly failed?: string;
}

export type ReadRecipe = (
  paper: RecipePaper,
  wish: RecipeWish,
) => Promise<({ readonly ok: true } & RecipeData) | { readonly ok: false; readonly reason: Reason }>;

export interface RecipePaperDeps extends PollDeps {
  readonly clock: Clock;
  readonly db: Database;
}

const minuteMs = 60_000;
/** The age that data of a draft may have: a preview comes with every letter. */
const draftMs = 2 * minuteMs;
const maxDrafts = 200;

/** Returns what polls papers and keeps their data, those of drafts in memory. */
function dataKeeper(deps: RecipePaperDeps) {
  const { db, clock } = deps;
  const drafts = new BoundedMap<string, KeptData>(maxDrafts);
  const underWay = new Map<string, Promise<Polled>>();

  /** Several panels that show one paper ask its sources once. */
  function pollOnce(name: string, polling: Polling): Promise<Polled> {
    const before = underWay.get(name);
    if (before !== undefined) return before;
    const polled = pollRecipe(deps, polling).finally(() => underWay.delete(name));
    underWay.set(name, polled);
    return polled;
  }

  return async function polledData(
    { id, organizationId, isDraft }: RecipePaper,
    polling: Omit<Polling, 'kept' | 'hosts'>,
    maxAgeMs: number,
  ): Promise<Polled> {
    const asked = askedAs(polling);
    const name = isDraft ? `${organizationId} ${asked}` : id;
    const saved = await keptData(db, id);
    const kept = isDraft ? drafts.get(name) : saved;
    const isSame = kept?.askedAs === asked;
    if (isSame && clock.now() - kept.polledAt < maxAgeMs) return { ok: true, kept };
    const polled = await pollOnce(`${name} ${asked}`, { ...polling, kept, hosts: saved?.hosts });
    if (!polled.ok) return polled;
    if (isDraft) drafts.set(name, polled.kept);
    else await keepData(db, id, { ...polled.kept, dueAt: polled.kept.polledAt + everyMsOf(polling.recipe) });
    return polled;
  };
}

/** Makes the reader of a process. */
export function recipeReader(deps: RecipePaperDeps): ReadRecipe {
  const { db, clock } = deps;
  const polledData = dataKeeper(deps);
  return async (paper, wish) => {
    const known = await recipeOfMeta(db, paper.organizationId, paper.meta);
    if ('code' in known) return { ok: false, reason: known };
    const { settings } = known.recipe;
    const typed = copiedRecord(paper.meta.pluginSettings);
    const missing = missingFields(settings.fields, typed);
    if (missing.length > 0) {
      return {
        ok: false,
        reason: reasonOf('recipe-field-missing', { fields: missing.map(({ name }) => name).join(', ') }),
      };
    }
    const today = localDate(clock.now(), wish.timeZone);
    const opened = wish.open(known.id === '' ? copiedRecord(paper.meta.template) : typed);
    const values = templateValues(settings.fields, withoutSecrets(known, typed), today);
    const seen = {
      trmnl: seenByPrograms(known, { now: clock.now(), values, ...wish, paperName: nameOf(known, paper) }),
    };
    if (settings.strategy !== 'polling') {
      const found = settings.strategy === 'webhook' ? await sentData(db, paper.id) : { data: settings.data };
      return 'code' in found
        ? { ok: false, reason: found }
        : changedByProgram(deps, wish, { known, values, ...found }, seen);
    }
    const polling = {
      sharer: wish.sharer,
      recipe: known.id === '' ? withLogin(known.recipe, opened.settings) : known.recipe,
      values: templateValues(settings.fields, opened.settings, today),
      hasSecrets: opened.secrets.length > 0,
      secrets: known.id === '' ? loginsIn(opened.settings) : opened.secrets,
      logins: wish.logins,
      timeZone: wish.timeZone,
      seen,
      signal: wish.signal,
    };
    const maxAgeMs = wish.latest === true ? 0 : paper.isDraft ? draftMs : everyMsOf(known.recipe);
    const polled = await polledData(paper, polling, maxAgeMs);
    if (!polled.ok) return polled;
    const { kept } = polled;
    if (kept.data === undefined) return { ok: false, reason: whyNoData(kept) };
    return {
      ok: true,
      known,
      values,
      data: kept.data,
      kept,
      ...(kept.failed !== undefined && { failed: kept.failed }),
    };
  };
}

/** The values of headers, and their parts: a source that hands one back says nothing of `Bearer`. */
const loginsIn = ({ headers }: FieldValues): readonly string[] =>
  Object.values(headersOf(typeof headers === 'string' ? headers : '')).flatMap((value) => [value, ...value.split(' ')]);

/** A template's headers are kept like a secret where they hold a login. */
const withLogin = (recipe: Recipe, { headers }: FieldValues): Recipe => ({
  ...recipe,
  settings: { ...recipe.settings, headers: typeof headers === 'string' ? headers : '' },
});

/** The paper's title, or the recipe's name. */
const nameOf = ({ name }: KnownRecipe, { meta: { title } }: RecipePaper): string =>
  typeof title === 'string' && title !== '' ? title : name;

/** Finds the recipe that a paper's meta names, or holds; or why there is none. */
export async function recipeOfMeta(
  db: Database,
  organizationId: string,
  meta: Readonly<Record<string, unknown>>,
): Promise<KnownRecipe | Reason> {
  const { recipe: id } = meta;
  if (typeof id !== 'string' || id === '') return templateRecipe(meta) ?? reasonOf('recipe-not-chosen');
  return (await findRecipe(db, organizationId, id)) ?? reasonOf('recipe-gone');
}

/** Returns the time between two polls, milliseconds. */
export const everyMsOf = ({ settings }: Recipe): number => settings.everyMinutes * minuteMs;

/** Views see neither secrets nor what stands in their place, such as that of an address with a password in it. */
const withoutSecrets = ({ recipe }: KnownRecipe, values: FieldValues): FieldValues => {
  const secrets = recipe.settings.fields.filter(({ input }) => input === 'secret').map(({ key }) => key);
  const sealed = Object.keys(values).filter((key) => isSealed(values[key]));
  return { ...values, ...Object.fromEntries([...secrets, ...sealed].map((key) => [key, ''])) };
};

async function sentData(db: Database, paperId: string): Promise<Pick<RecipeData, 'data' | 'kept'> | Reason> {
  const kept = await keptData(db, paperId);
  return kept?.data === undefined ? reasonOf('recipe-waits-for-data') : { data: kept.data, kept };
}

/** Has the recipe's program change data that no address was asked for (RC-21). */
async function changedByProgram(
  deps: RecipePaperDeps,
  { sharer, timeZone }: RecipeWish,
  found: RecipeData,
  seen: Polling['seen'],
): Promise<{ readonly ok: true } & RecipeData> {
  const { transform } = found.known.recipe;
  if (transform === undefined) return { ok: true, ...found };
  const place = { now: deps.clock.now(), timeZone };
  const made = await deps.work(sharer, { do: 'data', answers: [{ read: found.data }], place, transform, seen });
  if (!made.ok) return { ok: true, ...found, failed: wordsOf(made.reason) };
  const { data, failed } = made.done;
  return { ok: true, ...found, data, ...(failed !== undefined && { failed }) };
}

/** Names the first address that failed: without data of any there is nothing to show. */
function whyNoData({ answers }: KeptData): Reason {
  const [failed] = answers.filter(({ problem }) => problem !== undefined);
  if (failed?.problem === undefined) return reasonOf('recipe-no-address');
  return reasonOf('source-failed', { host: failed.host, because: failed.problem });
}

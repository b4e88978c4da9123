/** Routes of the data of a paper's recipe: what its sources answered and how old that is, and data that are sent here. */

import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { spellOut } from '../../../reasons/words.ts';
import { isoTimeOrNull } from '../../../runtime/clock.ts';
import { isRecord } from '../../../runtime/plain-record.ts';
import { requireMembership } from '../../access/principal.ts';
import { drawAgainOn } from '../../devices/shown-pictures.ts';
import { pollRecipeOf, zoneOf } from '../../drawing/draw-recipe.ts';
import { objectId, storedObject } from '../../http/field-shapes.ts';
import type { RateLimit } from '../../http/limit-rate.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { spelledReasons } from '../../http/spelled-reasons.ts';
import { pageLanguage } from '../../pages/document.ts';
import { transactOnPaper } from '../../papers/lock-paper.ts';
import { paperMeta } from '../../papers/paper-meta.ts';
import { requirePaper } from '../../papers/require-paper.ts';
import { devicesThatShow } from '../../papers/shown-papers.ts';
import { type PaperRow, paperStore } from '../../papers/store.ts';
import { type KeptData, keepData, keptData } from '../../recipes/data/kept-data.ts';
import { mergeSent, mergeStrategies } from '../../recipes/data/merge-sent.ts';
import { type HookDeps, hookOf, paperOfHook } from '../../recipes/data/recipe-hooks.ts';
import { withRecipeForm } from '../../recipes/paper-form.ts';
import { recipeOfMeta } from '../../recipes/recipe-papers.ts';
import { kindsWithSources, sourceShown, sourcesNow, spelledOf } from './paper-sources.ts';
import type { RecipeRouteDeps } from './recipe-routes.ts';

export interface RecipeDataDeps extends RecipeRouteDeps, HookDeps {
  /** The dependencies of drawing, which polling uses too. */
  readonly drawing: Parameters<typeof pollRecipeOf>[0];
  /** The limit on data that are sent to one address. */
  readonly limitHooks: RateLimit;
}

const maxSentBytes = 64 * 1024;
const maxKeptBytes = 256 * 1024;

const dataShown = z
  .object({
    polledAt: z.string().nullable().describe('When its sources were last asked, or data last sent'),
    changedAt: z.string().nullable().describe('When the data were last other ones'),
    sources: z.array(sourceShown),
    data: z.unknown().describe('The data that templates see at their root; null before the first'),
    failed: z.string().nullable().describe('Why the recipe’s program failed'),
    address: z.string().nullable().describe('Where data are sent to, for a recipe that waits for them'),
  })
  .meta({ id: 'RecipeData' });

/** Returns the routes. */
export function recipeDataRoutes(deps: RecipeDataDeps): AnyRoute[] {
  return [readRoute(deps), pollRoute(deps), draftRoute(deps), sendRoute(deps), sentRoute(deps)];
}

/** Requires a paper with sources; its data and its address are for those who may change it. */
async function requireLivePaper(
  { db }: RecipeDataDeps,
  principal: Parameters<typeof requirePaper>[1],
  paperId: string,
  kinds = kindsWithSources,
): Promise<PaperRow> {
  const paper = await requirePaper(db, principal, paperId, 'write');
  if (!kinds.includes(paper.kind)) throw refuse('invalid-request', { message: reasonOf('recipe-not-chosen') });
  return paper;
}

function readRoute(deps: RecipeDataDeps): AnyRoute {
  return route('GET /papers/:paperId/recipe-data', {
    summary:
      'The data of a paper’s recipe, and how old what each source of it, or of the parts of a board, answered is',
    noStore: true,
    output: dataShown,
    async handle({ params, principal, caller }) {
      return showData(deps, await requireLivePaper(deps, principal, params.paperId), caller.origin().base);
    },
  });
}

function pollRoute(deps: RecipeDataDeps): AnyRoute {
  return route('POST /papers/:paperId/recipe-data', {
    summary: 'Ask the sources of a paper’s recipe now',
    audit: { none: 'it changes nothing that was not asked for by its interval' },
    status: 200,
    output: dataShown,
    async handle({ params, principal, caller }) {
      const paper = await requireLivePaper(deps, principal, params.paperId, ['recipe']);
      if (await pollRecipeOf(deps.drawing, paper)) await showChanged(deps, paper);
      return showData(deps, paper, caller.origin().base);
    },
  });
}

function draftRoute({ db, drawing }: RecipeDataDeps): AnyRoute {
  return route('POST /previews/recipe-data', {
    audit: { none: 'it changes nothing' },
    summary: 'The data that a recipe would show, before its paper is saved or made; nothing of it is kept',
    noStore: true,
    body: z.object({
      organization: objectId,
      meta: z.looseObject({}),
      paperId: objectId
        .describe('The paper whose draft it is, for its login; left out, one that is not made yet')
        .optional(),
    }),
    output: z.object({ data: z.unknown(), problems: spelledReasons }),
    async handle({ body: { organization, meta: given, paperId }, principal, caller: { signal } }) {
      requireMembership(principal, organization, 'write');
      const saved = paperId === undefined ? undefined : await requirePaper(db, principal, paperId, 'write');
      if (saved !== undefined && saved.organization_id !== organization) throw refuse('not-found');
      const meta = storedObject(paperMeta('recipe', await withRecipeForm(db, organization, 'recipe', given)));
      const read = await drawing.readRecipe(
        { id: saved?.id ?? '', organizationId: organization, meta, isDraft: true },
        {
          sharer: [organization, principal.accountId],
          timeZone: zoneOf(meta),
          language: pageLanguage(meta.language),
          logins: saved === undefined ? [] : ((await drawing.loginsOf?.(saved)) ?? []),
          open: (values) =>
            saved === undefined || drawing.openSettings === undefined
              ? { settings: values, secrets: [] }
              : drawing.openSettings({ ...saved, meta: JSON.stringify(meta) }, values),
          signal,
        },
      );
      if (!read.ok) return { data: null, problems: [...spellOut(read.reason)] };
      const problems = (read.kept?.answers ?? []).flatMap(({ problem }) => spelledOf(problem));
      return { data: JSON.parse(read.data), problems };
    },
  });
}

async function showData(deps: RecipeDataDeps, paper: PaperRow, base: string): Promise<z.input<typeof dataShown>> {
  const sources = [...(await sourcesNow(deps.db, paper))];
  if (paper.kind !== 'recipe') return { ...showKept(undefined), sources, address: null };
  const known = await recipeOfMeta(deps.db, paper.organization_id, storedObject(paper.meta));
  const { strategy, data: own } = 'code' in known ? {} : known.recipe.settings;
  const kept = await keptData(deps.db, paper.id);
  return {
    ...showKept(kept, strategy === 'static' ? own : undefined),
    sources,
    address: strategy === 'webhook' ? `${base}/hooks/recipes/${await hookOf(deps.db, deps, paper.id)}` : null,
  };
}

/** Shows data; `own` are those that a recipe brings along. */
function showKept(kept: KeptData | undefined, own?: string): Omit<z.input<typeof dataShown>, 'address' | 'sources'> {
  const data = kept?.data ?? own;
  return {
    polledAt: isoTimeOrNull(kept?.polledAt || null),
    changedAt: isoTimeOrNull(kept?.changedAt ?? null),
    data: data === undefined ? null : JSON.parse(data),
    failed: kept?.failed ?? null,
  };
}

const token = z.object({ token: z.string().regex(/^[\w-]{32}$/) });

const sent = z.object({
  merge_variables: z.looseObject({}).describe('The data'),
  merge_strategy: z
    .enum(mergeStrategies)
    .describe('`replace` unless given; `deep_merge` puts them into those that there are, `stream` behind their lists')
    .optional(),
  stream_limit: z.int().min(1).max(1_000).describe('The most items of a list that is streamed').optional(),
});

function sendRoute(deps: RecipeDataDeps): AnyRoute {
  const { db, clock, limitHooks } = deps;
  return route('POST /hooks/recipes/:token', {
    summary: 'Send data to a recipe that waits for them',
    access: 'anyone',
    audit: { none: 'it is the content of a paper, as its sources give it' },
    params: token,
    bodyLimitBytes: maxSentBytes,
    body: sent,
    refuses: ['not-found', 'rate-limited', 'body-too-large'],
    async handle({
      params,
      body: { merge_variables: given, merge_strategy: strategy = 'replace', stream_limit: limit },
    }) {
      const paperId = await requireHook(deps, params.token);
      await limitHooks.count(paperId);
      const paper = await transactOnPaper(db, paperId, async (trx) => {
        const kept = await keptData(trx, paperId);
        const before: unknown = JSON.parse(kept?.data ?? '{}');
        const data = JSON.stringify(mergeSent(isRecord(before) ? before : {}, given, strategy, limit));
        if (data.length > maxKeptBytes)
          throw refuse('body-too-large', { hint: reasonOf('data-too-long', { most: 0.25 }) });
        const now = clock.now();
        const changedAt = data === kept?.data ? (kept.changedAt ?? now) : now;
        await keepData(trx, paperId, { askedAs: '', polledAt: now, answers: [], data, changedAt } satisfies KeptData);
        return changedAt === now ? paperStore(trx).find(paperId) : undefined;
      });
      if (paper !== undefined) await showChanged(deps, paper);
    },
  });
}

function sentRoute(deps: RecipeDataDeps): AnyRoute {
  return route('GET /hooks/recipes/:token', {
    summary: 'The data that were sent to a recipe',
    access: 'anyone',
    noStore: true,
    params: token,
    output: z.object({ merge_variables: z.looseObject({}) }),
    async handle({ params }) {
      const kept = await keptData(deps.db, await requireHook(deps, params.token));
      return { merge_variables: JSON.parse(kept?.data ?? '{}') };
    },
  });
}

async function requireHook({ db }: RecipeDataDeps, secret: string): Promise<string> {
  const paperId = await paperOfHook(db, secret);
  if (paperId === undefined) throw refuse('not-found');
  return paperId;
}

async function showChanged(
  { db, clock, nudge }: RecipeDataDeps,
  paper: Pick<PaperRow, 'id' | 'organization_id'>,
): Promise<void> {
  await drawAgainOn(db, await devicesThatShow(db, paper), clock.now());
  nudge();
}

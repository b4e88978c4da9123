/** Notes the hosts that a recipe asks at the time when its secrets are typed: they go to no others (RC-97). */
import type { Database } from '../../runtime/database/database.ts';
import { localDate } from '../../runtime/local-time.ts';
import { copiedRecord } from '../../runtime/plain-record.ts';
import { keepHosts } from './data/kept-data.ts';
import { hostsOf } from './data/read-recipe.ts';
import { templateValues } from './package/recipe-fields.ts';
import { type RecipePaper, type RecipePaperDeps, type RecipeWish, recipeOfMeta } from './recipe-papers.ts';

/** Notes them where a paper has secrets and no hosts yet. A recipe whose addresses cannot be made may ask none. */
export async function noteHosts(
  { db, clock, work }: RecipePaperDeps,
  paper: RecipePaper,
  { sharer, timeZone, open }: Pick<RecipeWish, 'sharer' | 'timeZone' | 'open'>,
): Promise<void> {
  const known = await recipeOfMeta(db, paper.organizationId, paper.meta);
  if ('code' in known || known.id === '' || (await hasHosts(db, paper.id))) return;
  const { settings } = known.recipe;
  const opened = open(copiedRecord(paper.meta.pluginSettings));
  if (settings.strategy !== 'polling' || opened.secrets.length === 0) return;
  const now = clock.now();
  const values = templateValues(settings.fields, opened.settings, localDate(now, timeZone));
  const made = await work(sharer, { do: 'requests', settings, values, now, timeZone });
  await keepHosts(db, paper.id, made.ok ? hostsOf(made.done.requests) : []);
}

const hasHosts = async (db: Database, paperId: string): Promise<boolean> =>
  (await db('recipe_data').where({ paper_id: paperId }).whereNotNull('hosts').first('paper_id')) !== undefined;

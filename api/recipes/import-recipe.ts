/** Takes recipes in: from an archive, from files that somebody typed, or from an address that a person names. */

import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import { type FollowDeps, followRedirects } from '../outgoing/follow-redirects.ts';
import { noHomeNetworks } from '../outgoing/home-networks.ts';
import type { SourceKind } from './known-recipe.ts';
import type { Recipe } from './package/recipe.ts';
import type { ImportJob, ImportRefusal } from './work/recipe-jobs.ts';
import type { RecipeThreads } from './work/recipe-threads.ts';

export interface ImportDeps {
  readonly work: RecipeThreads['work'];
  readonly follow: FollowDeps;
}

/** A recipe that was taken in, and the licence that was found next to it; empty for none. */
export interface Imported {
  readonly recipe: Recipe;
  readonly licence: string;
}

/** The largest archive: that of a repository with many recipes. */
export const maxArchiveBytes = 20 * 2 ** 20;
const downloadMs = 30_000;

/** An archive that an address stands for. */
export interface ArchiveAddress {
  readonly kind: Extract<SourceKind, 'repository' | 'catalogue' | 'archive'>;
  readonly url: URL;
  readonly folder: string;
}

/**
 * Reads the address of a recipe: a repository or a folder of one at GitHub, a recipe of TRMNL's catalogue by its page or its
 * number, or any archive.
 * @returns undefined for what is not an address
 */
export function archiveAddress(written: string): ArchiveAddress | undefined {
  const text = written.trim();
  if (/^\d{1,9}$/.test(text)) return catalogueArchive(text);
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'https:') return undefined;
  const catalogued = /^(?:www\.)?(?:use)?trmnl\.com$/.test(url.hostname)
    ? /^\/recipes\/(\d{1,9})/.exec(url.pathname)
    : null;
  if (catalogued !== null) return catalogueArchive(catalogued[1] ?? '');
  return url.hostname === 'github.com' ? repositoryArchive(url) : { kind: 'archive', url, folder: '' };
}

const catalogueArchive = (id: string): ArchiveAddress => ({
  kind: 'catalogue',
  url: new URL(`https://trmnl.com/api/plugin_settings/${id}/archive`),
  folder: '',
});

/** `/owner/name`, or `/owner/name/tree/branch/folder`. The archive of a branch is at the host of archives. */
function repositoryArchive({ pathname }: URL): ArchiveAddress | undefined {
  const [owner, name, form, branch, ...folder] = pathname.split('/').filter((part) => part !== '');
  if (owner === undefined || name === undefined || (form !== undefined && form !== 'tree' && form !== 'blob'))
    return undefined;
  const repository = `${owner}/${name.replace(/\.git$/, '')}`;
  const url = new URL(`https://codeload.github.com/${repository}/zip/${branch ?? 'HEAD'}`);
  return { kind: 'repository', url, folder: folder.join('/').replace(/\/?settings\.ya?ml$/, '') };
}

/**
 * Takes in the recipe that an address stands for.
 * @throws Refusal `invalid-request` with what is wrong with it
 */
export async function importFrom(deps: ImportDeps, sharer: Sharer, { url, folder }: ArchiveAddress): Promise<Imported> {
  const answer = await followRedirects(
    // A public recipe lies at no address of the house.
    { ...deps.follow, home: noHomeNetworks },
    {
      sharer,
      url,
      headers: { accept: 'application/zip, */*;q=0.5' },
      readLimitBytes: maxArchiveBytes,
      bodyTimeoutMs: downloadMs,
    },
  );
  if (answer.kind === 'problem') throw refused(reasonOf('source-failed', { host: url.host, because: answer.problem }));
  if (answer.status !== 200) {
    const because = reasonOf('answer-status', { status: answer.status });
    throw refused(reasonOf('source-failed', { host: url.host, because }));
  }
  return importRecipe(deps, sharer, { from: { archive: answer.body }, folder });
}

/**
 * Takes in the recipe of an archive, or of files.
 * @throws Refusal `invalid-request` with what is wrong with it
 */
export async function importRecipe(
  { work }: Pick<ImportDeps, 'work'>,
  sharer: Sharer,
  job: Omit<ImportJob, 'do'>,
): Promise<Imported> {
  const outcome = await work(sharer, { do: 'import', ...job });
  if (!outcome.ok) throw refused(outcome.reason);
  if ('refused' in outcome.done) throw refused(whyRefused(outcome.done.refused, outcome.done.folders));
  return outcome.done;
}

const refused = (message: Reason) => refuse('invalid-request', { message });

function whyRefused(code: ImportRefusal, folders: readonly string[]): Reason {
  const named = folders.slice(0, 10).join(', ');
  if (code === 'recipe-several') return reasonOf(code, { folders: named });
  return code === 'recipe-no-settings'
    ? reasonOf(code, { where: named === '' ? '' : ` there, but in ${named}` })
    : reasonOf(code);
}

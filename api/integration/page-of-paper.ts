/** Finds the page that draws a paper: its integration's renderer, and the one loopback origin it may be loaded from. */

import { type Because, reasonOf } from '../../reasons/reason.ts';
import type { Database } from '../../runtime/database/database.ts';
import { notSetUp } from '../papers/kinds.ts';
import type { FetchManifest } from './fetch-manifest.ts';
import { hasManifest, integrationOf, manifestOf, readPaper, type SavedPaper } from './saved-paper.ts';
import { allowsLoopback, readAbsoluteUrl, resolveRenderPage, type UrlRules } from './saved-urls.ts';

/**
 * The address of the page, or the reason for a person why there is none. `configUrl` names the saved integration whose
 * own renderer the page is, and which may get the content that it pushed.
 */
export type PaperPage =
  | { readonly url: string; readonly configUrl?: string; readonly loopbackOrigin?: string; readonly manifest: unknown }
  | { readonly problem: Because };

/**
 * Finds the render page of a paper, and the manifest that names it, which is fetched when none is saved. Pushed
 * content goes only to the renderer of the integration that pushed it (PAGE-21); any other page may lie elsewhere than its
 * manifest. The page guard admits a loopback origin only when it is named here.
 */
export async function pageOfPaper(
  { db, rules, fetchManifest }: { db: Database; rules: UrlRules; fetchManifest: FetchManifest },
  paperId: string,
): Promise<PaperPage> {
  const paper = await readPaper(db, paperId);
  if (paper === undefined) return { problem: reasonOf('paper-deleted') };
  if ((paper.meta.pluginConfigUrl ?? '') === '') return { problem: notSetUp.plugin };
  const pusher = await integrationOfContent(db, paper, rules);
  // A paper that was saved again without its manifest keeps the renderer that its connection was made for.
  if (pusher !== undefined && !hasManifest(paper)) {
    return withOrigin({ url: pusher.render_url, configUrl: pusher.config_url, manifest: undefined }, rules);
  }
  const found = await manifestOf(fetchManifest, paper);
  if (!found.ok) return { problem: found.problem };
  const { manifest } = found;
  const saved = integrationOf(paper, rules, manifest);
  if (saved.ok) return withOrigin({ url: saved.renderUrl, configUrl: saved.configUrl, manifest }, rules);
  if (pusher !== undefined) return { problem: saved.why };
  const page = resolveRenderPage({ configUrl: paper.meta.pluginConfigUrl, manifest }, rules);
  return page.ok ? withOrigin({ url: page.renderUrl, manifest }, rules) : { problem: page.why };
}

function withOrigin(page: Exclude<PaperPage, { problem: Because }>, rules: UrlRules): PaperPage {
  return allowsLoopback(rules) ? { ...page, loopbackOrigin: new URL(page.url).origin } : page;
}

/** Returns the URLs that the paper's content was pushed under, if the paper still names that integration. */
async function integrationOfContent(
  db: Database,
  paper: SavedPaper,
  rules: UrlRules,
): Promise<{ readonly config_url: string; readonly render_url: string } | undefined> {
  const config = readAbsoluteUrl(paper.meta.pluginConfigUrl, rules);
  if (!config.ok) return undefined;
  return await db('paper_contents')
    .join('content_requests', 'content_requests.id', 'paper_contents.request_id')
    .join('connections', 'connections.id', 'content_requests.connection_id')
    .where('paper_contents.paper_id', paper.id)
    .where('connections.config_url', config.url.href)
    .first('connections.config_url', 'connections.render_url');
}

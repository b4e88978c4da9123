/** The page that draws a paper: its integration's renderer, and the one loopback origin it may be loaded from. */
import type { Database } from '../../gateway/runtime/database.ts';
import { Refusal } from '../../gateway/runtime/refusals.ts';
import type { FetchManifest } from './fetch-manifest.ts';
import { hasManifest, integrationOf, manifestOf, readPaper } from './saved-paper.ts';
import { allowsLoopback, resolveRenderPage, type UrlRules } from './saved-urls.ts';

/** Where the page is, or why there is none, for a person. */
export type PaperPage =
  | { readonly url: string; readonly loopbackOrigin?: string; readonly manifest: unknown }
  | { readonly problem: string };

/**
 * Finds the render page of a paper, and the manifest that names it: fetched when none is saved. Pushed content goes
 * only to an integration that was saved for it (P-21); any other page may lie elsewhere than its manifest. The page guard
 * admits a loopback origin only when it is named here.
 */
export async function pageOfPaper(
  { db, rules, fetchManifest }: { db: Database; rules: UrlRules; fetchManifest: FetchManifest },
  paperId: string,
): Promise<PaperPage> {
  const paper = await readPaper(db, paperId);
  if (paper === undefined) return { problem: 'the paper was deleted' };
  // A paper saved anew without its manifest keeps the renderer that its connection was made for.
  const connected = await renderUrlOfContent(db, paperId);
  if (connected !== undefined && !hasManifest(paper)) return withOrigin(connected, undefined, rules);
  const found = await manifestOf(fetchManifest, paper).catch((error: unknown) => {
    if (error instanceof Refusal) return error;
    throw error;
  });
  if (found instanceof Refusal) return { problem: found.hint ?? found.message };
  const { manifest } = found;
  const saved = integrationOf(paper, rules, manifest);
  if (saved.ok) return withOrigin(saved.renderUrl, manifest, rules);
  if (connected !== undefined) return { problem: saved.refusal.hint ?? saved.refusal.message };
  const page = resolveRenderPage({ configUrl: paper.meta.pluginConfigUrl, manifest }, rules);
  return page.ok ? withOrigin(page.renderUrl, manifest, rules) : { problem: page.why };
}

function withOrigin(url: string, manifest: unknown, rules: UrlRules): PaperPage {
  const page = { url, manifest };
  return allowsLoopback(rules) ? { ...page, loopbackOrigin: new URL(url).origin } : page;
}

async function renderUrlOfContent(db: Database, paperId: string): Promise<string | undefined> {
  const row: { render_url: string } | undefined = await db('paper_contents')
    .join('content_requests', 'content_requests.id', 'paper_contents.request_id')
    .join('connections', 'connections.id', 'content_requests.connection_id')
    .where({ 'paper_contents.paper_id': paperId })
    .first('connections.render_url');
  return row?.render_url;
}

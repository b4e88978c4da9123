/** The page that draws a paper: its integration's renderer, and the one loopback origin it may be loaded from. */
import type { Database } from '../../gateway/runtime/database.ts';
import { hasManifest, integrationOf, readPaper } from './saved-paper.ts';
import { allowsLoopback, type UrlRules } from './saved-urls.ts';

/** Where the page is, or why there is none, for a person. */
export type PaperPage = { readonly url: string; readonly loopbackOrigin?: string } | { readonly problem: string };

/** Finds the render page of a paper. The page guard admits a loopback origin only when it is named here. */
export async function pageOfPaper(db: Database, rules: UrlRules, paperId: string): Promise<PaperPage> {
  const paper = await readPaper(db, paperId);
  if (paper === undefined) return { problem: 'the paper was deleted' };
  // A paper saved anew without its manifest keeps the renderer that its connection was made for.
  const connected = hasManifest(paper) ? undefined : await renderUrlOfContent(db, paperId);
  if (connected !== undefined) return withOrigin(connected, rules);
  const saved = integrationOf(paper, rules, undefined);
  if (!saved.ok) return { problem: saved.refusal.hint ?? saved.refusal.message };
  return withOrigin(saved.renderUrl, rules);
}

function withOrigin(url: string, rules: UrlRules): PaperPage {
  return allowsLoopback(rules) ? { url, loopbackOrigin: new URL(url).origin } : { url };
}

async function renderUrlOfContent(db: Database, paperId: string): Promise<string | undefined> {
  const row: { render_url: string } | undefined = await db('paper_contents')
    .join('content_requests', 'content_requests.id', 'paper_contents.request_id')
    .join('connections', 'connections.id', 'content_requests.connection_id')
    .where({ 'paper_contents.paper_id': paperId })
    .first('connections.render_url');
  return row?.render_url;
}

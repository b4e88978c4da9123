/** Pictures of pages that somebody else wrote: an integration's render page, or a website. */
import { viewSize } from '../../firmware-protocol/panels.ts';
import type { Database } from '../../gateway/runtime/database.ts';
import { hasCalendars } from '../calendar/feed-list.ts';
import type { ReadCalendars } from '../calendar/read-calendars.ts';
import { readWebsiteUrl } from '../callbacks/plain-url.ts';
import { contentFor, readIntegrationContent } from '../integration/integration-content.ts';
import type { PaperPage } from '../integration/page-of-paper.ts';
import { mergeOptimize, readOptimizeWishes } from '../rendering/read-optimize-tag.ts';
import type { RenderedPage } from '../rendering/render-page.ts';
import type { Rendering } from '../rendering/rendering.ts';
import type { RenderedPicture } from './line-edges.ts';
import { withNativeSettings } from './native-settings.ts';
import { pagePayload } from './page-payload.ts';
import type { PaperSheet } from './paper-sheet.ts';

/** What drawing pages is handed. */
export interface PageEdges {
  readonly db: Database;
  readonly rendering: Pick<Rendering, 'renderPage' | 'preparePicture'>;
  readonly signImage: (imageKey: string, requestId: string) => string;
  /** The render page of a plugin paper. */
  readonly pageOf: (paperId: string) => Promise<PaperPage>;
  readonly readCalendars: ReadCalendars;
}

/** Draws an integration's page, with its settings and whatever was pushed to it. */
export async function drawPlugin(edges: PageEdges, sheet: PaperSheet): Promise<RenderedPicture> {
  const { paper, wanted } = sheet;
  const stored = await readIntegrationContent(edges.db, paper.id, edges.signImage);
  // A picture that is announced as one revision shows no other; slides are announced by their own.
  if (stored !== undefined && paper.id === wanted.paperId && stored.content.revision !== wanted.revision) {
    return { ok: false, reason: 'newer content came while this was waiting' };
  }
  const where = await edges.pageOf(paper.id);
  if ('problem' in where) return { ok: false, reason: where.problem };
  const content = contentFor(where.configUrl, stored);
  const meta = withNativeSettings({ ...sheet.meta, pluginManifest: where.manifest });
  const calendars = hasCalendars(paper.kind, meta) ? await edges.readCalendars({ meta, at: sheet.at }) : undefined;
  const { panel, orientation, serial } = wanted;
  const shot = await edges.rendering.renderPage({
    url: where.url,
    payload: pagePayload({
      ...{ paper, meta, orientation, content },
      frame: { kind: panel.name, serial },
      calendarData: calendars?.calendarData,
    }),
    ...viewSize(panel, orientation),
    timeZone: timeZoneOf(meta),
    language: typeof meta.language === 'string' ? meta.language : undefined,
    css: cssOf(meta),
    allowedOrigin: where.loopbackOrigin,
    pictureUrl: content?.imageUrl,
  });
  return prepareShot(edges, { ...sheet, meta }, shot);
}

/** Draws a website as a visitor without an account sees it. */
export async function drawWebsite(edges: PageEdges, sheet: PaperSheet): Promise<RenderedPicture> {
  const { meta, wanted } = sheet;
  const url = readWebsiteUrl(meta.url);
  if (typeof url === 'string') return { ok: false, reason: `meta.url: ${url}` };
  const shot = await edges.rendering.renderPage({
    url: url.href,
    ...viewSize(wanted.panel, wanted.orientation),
    timeZone: timeZoneOf(meta),
    language: typeof meta.language === 'string' ? meta.language : undefined,
    css: cssOf(meta),
  });
  return prepareShot(edges, sheet, shot);
}

async function prepareShot(
  edges: PageEdges,
  { meta, wanted: { panel, orientation } }: PaperSheet,
  shot: RenderedPage,
): Promise<RenderedPicture> {
  if (!shot.ok) return { ok: false, reason: shot.reason };
  const optimize = mergeOptimize(shot.optimize, readOptimizeWishes(meta.optimize));
  const picture = await edges.rendering.preparePicture(shot.png, {
    ...{ panel, orientation, fit: 'contain', optimize },
    rgb: shot.rgb,
  });
  return { ok: true, file: picture.file };
}

function cssOf({ css }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof css === 'string' ? css : undefined;
}

/** The manifest's time zone, unless the paper has one of its own. */
function timeZoneOf(meta: Readonly<Record<string, unknown>>): string | undefined {
  const manifest = meta.pluginManifest;
  const declared = typeof manifest === 'object' && manifest !== null && 'timezone' in manifest ? manifest.timezone : '';
  const zone = meta.timezone ?? declared;
  return typeof zone === 'string' && zone !== '' ? zone : undefined;
}

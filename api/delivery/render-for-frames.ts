/** Makes the picture of a paper's present content for one panel: an uploaded picture, or a page's screenshot. */
import { viewSize } from '../../firmware-protocol/panels.ts';
import type { Database } from '../../gateway/runtime/database.ts';
import type { DurableFolder } from '../../gateway/runtime/durable-folder.ts';
import { readIntegrationContent } from '../integration/integration-content.ts';
import { prepareUploaded, type UploadedKeys } from '../papers/prepare-uploaded.ts';
import { mergeOptimize, readOptimizeWishes } from '../rendering/read-optimize-tag.ts';
import type { Rendering } from '../rendering/rendering.ts';
import type { LineEdges, RenderedPicture, WantedPicture } from './line-edges.ts';
import { pagePayload } from './page-payload.ts';

/** What rendering for frames is handed. */
export interface RenderEdges {
  readonly db: Database;
  readonly files: DurableFolder;
  readonly rendering: Pick<Rendering, 'renderPage' | 'preparePicture'>;
  readonly signImage: (imageKey: string, requestId: string) => string;
  /** The render URL of a plugin paper, and its own loopback origin when the development option admits one. */
  readonly pageOf: (paperId: string) => Promise<{ url: string; loopbackOrigin?: string } | { problem: string }>;
}

interface PaperRow extends UploadedKeys {
  id: string;
  kind: string;
  organization_id: string;
  meta: string;
  created_at: number;
  updated_at: number;
  image_updated_at: number | null;
}

/** The line's renderer. Failures are reasons a person understands, never exceptions of a page. */
export function renderForFrames(edges: RenderEdges): LineEdges['render'] {
  const { db, files, rendering } = edges;

  async function uploaded(paper: PaperRow, wanted: WantedPicture): Promise<RenderedPicture> {
    const picture = await prepareUploaded({ files, rendering }, paper, wanted.panel, wanted.orientation);
    return picture === undefined ? { ok: false, reason: 'the paper has no picture' } : { ok: true, file: picture.file };
  }

  async function page(paper: PaperRow, wanted: WantedPicture): Promise<RenderedPicture> {
    const content = await readIntegrationContent(db, paper.id, edges.signImage);
    if (content !== undefined && content.revision !== wanted.revision) {
      return { ok: false, reason: 'newer content came while this was waiting' };
    }
    const where = await edges.pageOf(paper.id);
    if ('problem' in where) return { ok: false, reason: where.problem };
    const meta: Record<string, unknown> = JSON.parse(paper.meta);
    const { panel, orientation, serial } = wanted;
    const shot = await rendering.renderPage({
      url: where.url,
      payload: pagePayload({
        paper,
        meta,
        frame: { kind: panel.name, serial },
        orientation,
        content,
      }),
      ...viewSize(panel, orientation),
      timeZone: timeZoneOf(meta),
      language: typeof meta.language === 'string' ? meta.language : undefined,
      css: typeof meta.css === 'string' ? meta.css : undefined,
      allowedOrigin: where.loopbackOrigin,
      pictureUrl: content?.imageUrl,
    });
    if (!shot.ok) return { ok: false, reason: shot.reason };
    const optimize = mergeOptimize(shot.optimize, readOptimizeWishes(meta.optimize));
    const picture = await rendering.preparePicture(shot.png, { panel, orientation, fit: 'contain', optimize });
    return { ok: true, file: picture.file };
  }

  return async (wanted) => {
    const paper = await db<PaperRow>('papers').where({ id: wanted.paperId }).first();
    if (paper === undefined) return { ok: false, reason: 'the paper was deleted' };
    if (paper.kind === 'image' || paper.kind === 'printer') return uploaded(paper, wanted);
    if (paper.kind === 'plugin') return page(paper, wanted);
    return { ok: false, reason: `papers of kind ${paper.kind} are not rendered` };
  };
}

/** The manifest's time zone, unless the paper has one of its own. */
function timeZoneOf(meta: Record<string, unknown>): string | undefined {
  const manifest = meta.pluginManifest;
  const declared = typeof manifest === 'object' && manifest !== null && 'timezone' in manifest ? manifest.timezone : '';
  const zone = meta.timezone ?? declared;
  return typeof zone === 'string' && zone !== '' ? zone : undefined;
}

/** The photograph of a page, made into the picture of a panel. */

import type { Reason } from '../../reasons/reason.ts';
import { mergeOptimize, readOptimizeOptions } from '../inks/read-optimize-tag.ts';
import type { RenderedPage } from '../rendering/render-page.ts';
import type { Rendering } from '../rendering/rendering.ts';
import type { MissLetters } from './missing-letters.ts';
import type { PaperSheet } from './paper-sheet.ts';
import type { RenderedPicture } from './wanted-picture.ts';

interface ShotDeps {
  readonly rendering: Pick<Rendering, 'preparePicture'>;
  readonly missed: MissLetters;
}

/** A typeset page is made of inks by their names; nothing is dithered, and edges stay sharp. */
const madeOfInks = { enabled: true, method: 'named' } as const;

/** A page that was drawn by a browser, or typeset: the latter has pixels alone, and no wishes of its own. */
export type PageShot =
  | RenderedPage
  | { readonly ok: true; readonly rgb: Uint8Array; readonly missing: string; readonly remarks: readonly Reason[] };

/** Prepares a photograph; the page's own wishes for its dithering come after those of the paper. */
export async function prepareShot(
  deps: ShotDeps,
  { paper, meta, wanted: { panel, orientation, sharer } }: PaperSheet,
  shot: PageShot,
): Promise<RenderedPicture> {
  if (!shot.ok) return { ok: false, reason: shot.reason };
  if (shot.missing !== undefined && shot.missing !== '') deps.missed({ paperId: paper.id }, shot.missing);
  const wished = 'png' in shot ? shot.optimize : madeOfInks;
  const optimize = mergeOptimize(wished, readOptimizeOptions(meta.optimize));
  const picture = await deps.rendering.preparePicture('png' in shot ? shot.png : shot.rgb, {
    sharer,
    panel,
    orientation,
    fit: 'contain',
    optimize,
    rgb: shot.rgb,
  });
  return { ok: true, file: picture.file, remarks: shot.remarks };
}

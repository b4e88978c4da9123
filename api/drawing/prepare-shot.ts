/** The photograph of a page, made into the picture of a panel. */

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

/** Prepares a photograph; the page's own wishes for its dithering come after those of the paper. */
export async function prepareShot(
  deps: ShotDeps,
  { paper, meta, wanted: { panel, orientation, sharer } }: PaperSheet,
  shot: RenderedPage,
): Promise<RenderedPicture> {
  if (!shot.ok) return { ok: false, reason: shot.reason };
  if (shot.missing !== undefined) deps.missed({ paperId: paper.id }, shot.missing);
  const optimize = mergeOptimize(shot.optimize, readOptimizeOptions(meta.optimize));
  const picture = await deps.rendering.preparePicture(shot.png, {
    sharer,
    panel,
    orientation,
    fit: 'contain',
    optimize,
    rgb: shot.rgb,
  });
  return { ok: true, file: picture.file, remarks: shot.remarks };
}

/** Makes the picture of a paper's present content for one panel, by the paper's kind. */
import type { DurableFolder } from '../../gateway/runtime/durable-folder.ts';
import { playlistPaperAt, playlistPapers } from '../calendar/choose-entry.ts';
import { storedObject } from '../http/field-shapes.ts';
import { selectedPapers, slideOf } from '../papers/choose-slide.ts';
import { composedKinds, whyNotRendered } from '../papers/kinds.ts';
import { prepareUploaded } from '../papers/prepare-uploaded.ts';
import type { PaperRow } from '../papers/store.ts';
import { drawCalendar, drawNotice, drawTestCard, drawText, type OwnEdges } from './draw-own.ts';
import { drawPlugin, drawWebsite, type PageEdges } from './draw-page.ts';
import type { LineEdges, RenderedPicture } from './line-edges.ts';
import { missingLetters } from './missing-letters.ts';
import type { PaperSheet } from './paper-sheet.ts';

/** What rendering for frames is handed. */
export type RenderEdges = PageEdges & OwnEdges & Pick<LineEdges, 'clock'> & { readonly files: DurableFolder };

/** The same before letters are watched: what is missing goes to the log. */
type FrameEdges = Omit<RenderEdges, 'missed'> & Pick<LineEdges, 'logger'>;

type Draw = (edges: RenderEdges, sheet: PaperSheet) => Promise<RenderedPicture>;

/** One row a kind. */
const draws: Readonly<Record<string, Draw>> = {
  image: drawUploaded,
  printer: drawUploaded,
  website: drawWebsite,
  plugin: drawPlugin,
  calendar: drawCalendar,
  text: drawText,
  testcard: drawTestCard,
  slides: drawSlide,
  playlist: drawEntry,
};

/** The line's renderer. Failures are reasons a person understands, never exceptions of a page. */
export function renderForFrames(given: FrameEdges): LineEdges['render'] {
  const edges: RenderEdges = { ...given, missed: missingLetters(given.logger) };
  return async (wanted) => {
    if (wanted.notice !== undefined) return drawNotice(edges, wanted, wanted.notice);
    const paper = await edges.db<PaperRow>('papers').where({ id: wanted.paperId }).first();
    if (paper === undefined) return { ok: false, reason: 'the paper was deleted' };
    return draw(edges, { paper, meta: storedObject(paper.meta), wanted, at: wanted.at ?? edges.clock.now() });
  };
}

function draw(edges: RenderEdges, sheet: PaperSheet): Promise<RenderedPicture> {
  const { kind } = sheet.paper;
  const drawing = Object.hasOwn(draws, kind) ? draws[kind] : undefined;
  if (drawing === undefined) throw new Error(whyNotRendered(kind) ?? `nothing draws papers of kind ${kind}`);
  return drawing(edges, sheet);
}

async function drawUploaded({ files, rendering }: RenderEdges, sheet: PaperSheet): Promise<RenderedPicture> {
  const { panel, orientation } = sheet.wanted;
  const picture = await prepareUploaded({ files, rendering }, sheet.paper, panel, orientation);
  return picture === undefined ? { ok: false, reason: 'the paper has no picture' } : { ok: true, file: picture.file };
}

async function drawSlide(edges: RenderEdges, sheet: PaperSheet): Promise<RenderedPicture> {
  const named = selectedPapers(sheet.meta);
  const found = await showablePapers(edges, sheet, named);
  const ids = named.filter((id) => found.has(id));
  const { id: seed } = sheet.paper;
  const chosen = ids.length === 0 ? undefined : slideOf(ids, sheet.meta, seed, sheet.wanted.turn ?? 0);
  return drawChosen(edges, sheet, found.get(chosen ?? ''), 'meta.selectedPapers names no paper that could be shown');
}

async function drawEntry(edges: RenderEdges, sheet: PaperSheet): Promise<RenderedPicture> {
  const found = await showablePapers(edges, sheet, playlistPapers(sheet.meta));
  const chosen = playlistPaperAt(sheet.meta, sheet.at, (id) => found.has(id));
  const nothing = 'no entry of meta.playlistEntries has begun with a paper that could be shown';
  return drawChosen(edges, sheet, found.get(chosen ?? ''), nothing);
}

/** C-50: papers of the same organization, and none that is made of others itself. */
async function showablePapers(
  { db }: RenderEdges,
  { paper }: PaperSheet,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PaperRow>> {
  const rows = await db<PaperRow>('papers')
    .whereIn('id', [...ids])
    .where({ organization_id: paper.organization_id })
    .whereNotIn('kind', composedKinds);
  return new Map(rows.filter(({ kind }) => whyNotRendered(kind) === undefined).map((row) => [row.id, row]));
}

async function drawChosen(
  edges: RenderEdges,
  sheet: PaperSheet,
  paper: PaperRow | undefined,
  nothing: string,
): Promise<RenderedPicture> {
  if (paper === undefined) return { ok: false, reason: nothing };
  const drawn = await draw(edges, { ...sheet, paper, meta: storedObject(paper.meta) });
  return drawn.ok ? drawn : { ok: false, reason: `paper ${paper.id}: ${drawn.reason}` };
}

/** Makes the picture of a paper's present content for one panel, by the paper's kind. */

import { viewSize } from '../../firmware-protocol/panels.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { ReasonedError } from '../../reasons/reasoned-error.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { DurableFolder } from '../../runtime/disk/durable-folder.ts';
import type { Logger } from '../../runtime/logger.ts';
import { remarksOf } from '../files/picture-notes.ts';
import { storedObject } from '../http/field-shapes.ts';
import type { AddressLogin } from '../outgoing/address-login.ts';
import { remarkOfLetters } from '../pages/missing-letters-remark.ts';
import { awaitsUpload, isPaperKind, notSetUp, type PaperKind, unknownKind } from '../papers/kinds.ts';
import type { PaperRow } from '../papers/store.ts';
import { draftAlbumPicture } from './album-draft.ts';
import { albumPicture } from './album-picture.ts';
import { drawBoard } from './draw-board.ts';
import { drawEntry, drawSlide } from './draw-composed.ts';
import {
  drawCalendar,
  drawEmptyAlbum,
  drawNotice,
  drawTestCard,
  drawText,
  drawUnusedPrinter,
  type OwnDeps,
} from './draw-own.ts';
import { drawPlugin, drawWebsite, type PageDeps } from './draw-page.ts';
import { drawRecipe, type RecipeDrawDeps } from './draw-recipe.ts';
import { drawRemote, type RemoteDrawDeps } from './draw-remote.ts';
import { missingLetters } from './missing-letters.ts';
import type { PaperSheet } from './paper-sheet.ts';
import { prepareUploaded, type Uploaded } from './prepare-uploaded.ts';
import type { RenderedPicture, WantedPicture } from './wanted-picture.ts';

export type RenderDeps = PageDeps &
  OwnDeps &
  RecipeDrawDeps &
  RemoteDrawDeps & { readonly clock: Clock; readonly files: DurableFolder };

/** The dependencies before characters are watched: missing ones go to the log. */
type FrameDeps = Omit<RenderDeps, 'missed'> & { readonly logger: Logger };

type Draw = (deps: RenderDeps, sheet: PaperSheet) => Promise<RenderedPicture>;

/** The function that draws each kind of `papers/kinds.ts`. */
const draws: Readonly<Record<PaperKind, Draw>> = {
  image: drawUploaded,
  printer: drawPrinted,
  website: drawWebsite,
  plugin: drawPlugin,
  recipe: drawRecipe,
  remote: (deps, sheet) => drawRemote(deps, sheet, (picture, wanted) => drawStored(deps, picture, wanted)),
  calendar: drawCalendar,
  text: drawText,
  testcard: drawTestCard,
  slides: (deps, sheet) => drawSlide(deps, sheet, draw),
  album: drawAlbum,
  playlist: (deps, sheet) => drawEntry(deps, sheet, draw),
  board: (deps, sheet) => drawBoard(deps, sheet, { draw, drawNotice }),
};

/** Makes the wanted picture of a paper. */
export type DrawPaper = (wanted: WantedPicture) => Promise<RenderedPicture>;

/** Opens the line's renderer. Failures are reasons a person understands, never exceptions of a page. */
export function renderForFrames(given: FrameDeps): DrawPaper {
  const deps: RenderDeps = { ...given, missed: missingLetters(given.logger) };
  return async (wanted) => {
    if (wanted.notice !== undefined) return drawNotice(deps, wanted, wanted.notice);
    if (wanted.image !== undefined) return drawStored(deps, wanted.image, wanted);
    const paper = await deps.db<PaperRow>('papers').where({ id: wanted.paperId }).first();
    if (paper === undefined) return { ok: false, reason: reasonOf('paper-deleted') };
    return draw(deps, { paper, meta: storedObject(paper.meta), wanted, at: wanted.at ?? deps.clock.now() });
  };
}

/** Draws a paper as somebody types it; logins that are given stand in for those of a saved paper. */
export type DrawDraft = (sheet: PaperSheet, logins: readonly AddressLogin[] | undefined) => Promise<RenderedPicture>;

/** Opens the renderer of drafts. Feeds are asked again, and characters that no font has are the preview's to show. */
export function renderDrafts(given: Omit<FrameDeps, 'logger'>): DrawDraft {
  return (sheet, logins) =>
    draw(
      {
        ...given,
        missed: () => {},
        isDraft: true,
        readCalendars: (options) => given.readCalendars({ ...options, logins, latest: true }),
        readRecipe: (paper, wish) => given.readRecipe({ ...paper, isDraft: true }, wish),
        ...(logins !== undefined && { loginsOf: async () => logins }),
      },
      sheet,
    );
}

function draw(deps: RenderDeps, sheet: PaperSheet): Promise<RenderedPicture> {
  const { kind } = sheet.paper;
  if (!isPaperKind(kind)) throw new ReasonedError(unknownKind(kind));
  return draws[kind](deps, sheet);
}

function drawUploaded(deps: RenderDeps, { paper, wanted }: PaperSheet): Promise<RenderedPicture> {
  return drawStored(deps, paper, wanted);
}

function drawPrinted(deps: RenderDeps, sheet: PaperSheet): Promise<RenderedPicture> {
  return awaitsUpload(sheet.paper) ? drawUnusedPrinter(deps, sheet) : drawUploaded(deps, sheet);
}

async function drawStored(
  { db, files, rendering }: RenderDeps,
  uploaded: Uploaded,
  wanted: WantedPicture,
): Promise<RenderedPicture> {
  const picture = await prepareUploaded({ files, rendering }, uploaded, wanted);
  if (picture !== undefined) {
    const { file, missing = '' } = picture;
    const ofWords = missing === '' ? [] : [remarkOfLetters(missing)];
    return { ok: true, file, remarks: [...(await remarksOf(db, uploaded.picture_key)), ...ofWords] };
  }
  if (uploaded.picture_key === null) return { ok: false, reason: notSetUp.image };
  return { ok: false, reason: reasonOf('picture-lost') };
}

async function drawAlbum(deps: RenderDeps, sheet: PaperSheet): Promise<RenderedPicture> {
  const { paper, wanted } = sheet;
  const isPart = wanted.paperId !== paper.id;
  const chosen =
    deps.isDraft === true && !isPart
      ? await draftAlbumPicture(deps, paper, viewSize(wanted.panel, wanted.orientation))
      : await albumPicture(deps, paper, { position: wanted.position ?? 0, isPart, seenAt: wanted.at });
  if (chosen === undefined)
    return wanted.isShown === true ? drawEmptyAlbum(deps, sheet) : { ok: false, reason: notSetUp.album };
  const { picture, row, passed } = chosen;
  const drawn = await drawStored(deps, picture, wanted);
  return drawn.ok ? { ...drawn, sentPicture: row.id, ...(passed > 0 && { passed }) } : drawn;
}

/** Pictures of boards: each part is drawn by itself, on a small panel of the same inks, and put into its place. */

import { packPicture, unpackPicture } from '../../firmware-protocol/framebuffer.ts';
import { type Panel, viewSize } from '../../firmware-protocol/panels.ts';
import { type Because, type Reason, reasonOf } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { DataSource } from '../devices/data-sources.ts';
import { storedObject } from '../http/field-shapes.ts';
import { boardParts, type FilledPart } from '../papers/board-parts.ts';
import { notSetUp } from '../papers/kinds.ts';
import { reasonOfChosen } from '../papers/not-set-up.ts';
import { paperTitle } from '../papers/paper-title.ts';
import type { PaperRow } from '../papers/store.ts';
import { serviceText, wordedLanguage } from '../words/service-words.ts';
import { showablePapers } from './draw-composed.ts';
import type { PaperSheet } from './paper-sheet.ts';
import type { Notice, RenderedPicture, WantedPicture } from './wanted-picture.ts';

/** Draws papers and notices that stand in parts. */
export interface DrawParts<Deps> {
  readonly draw: (deps: Deps, sheet: PaperSheet) => Promise<RenderedPicture>;
  readonly drawNotice: (deps: Deps, wanted: WantedPicture, notice: Notice) => Promise<RenderedPicture>;
}

/** The space between parts, in pixels of a screen of 480 rows. */
const gapPx = 4;

/** A part in pixels as a person sees it. */
interface PartBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A part that was drawn: its palette indices, and what is to be known of it. */
interface DrawnPart {
  readonly place: PartBox;
  readonly indices: Uint8Array;
  readonly problem?: Because | undefined;
  readonly remarks: readonly Reason[];
  readonly sources: readonly DataSource[];
}

/** Draws a board. A part that fails shows the reason in its place. Fails where all parts do. */
export async function drawBoard<Deps extends { readonly db: Database }>(
  deps: Deps,
  sheet: PaperSheet,
  how: DrawParts<Deps>,
): Promise<RenderedPicture> {
  const { panel, orientation } = sheet.wanted;
  const parts = boardParts(sheet.meta).filter(({ paperId }) => paperId !== undefined);
  if (parts.length === 0) return { ok: false, reason: notSetUp.board };
  const view = viewSize(panel, orientation);
  const named = parts.map(({ paperId = '' }) => paperId);
  const found = await showablePapers(deps.db, sheet.paper.organization_id, named);
  const drawn: DrawnPart[] = [];
  // One after the other: a board is one picture, and takes no more of the browser than others.
  for (const part of parts) drawn.push(await drawPart(deps, sheet, { part, place: placeOf(part, view), found }, how));
  const problems = drawn.flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
  if (problems.length === parts.length) return { ok: false, reason: reasonOf('no-part', { because: problems }) };
  const whole = new Uint8Array(view.width * view.height).fill(whiteOf(panel));
  for (const { place, indices } of drawn) putInto(whole, view.width, place, indices);
  const failed = problems.map((because) => reasonOf('part-failed', { because }));
  const remarks = [...failed, ...drawn.flatMap((part) => part.remarks)];
  const sources = drawn.flatMap((part) => part.sources);
  return { ok: true, file: packPicture(panel, orientation, whole), sources, ...(remarks.length > 0 && { remarks }) };
}

const whiteOf = ({ colours }: Panel): number =>
  Math.max(
    0,
    colours.findIndex(({ name }) => name === 'white'),
  );

/** Returns the pixels of a part. Widths are even: two pixels share a byte. */
function placeOf(
  { x, y, width, height }: FilledPart,
  view: { readonly width: number; readonly height: number },
): PartBox {
  const gap = Math.round((gapPx * Math.min(view.width, view.height)) / 480 / 2);
  const [from, to] = [Math.round(x * view.width), Math.round((x + width) * view.width)];
  const [above, below] = [Math.round(y * view.height), Math.round((y + height) * view.height)];
  const inner = {
    x: from + (x > 0 ? gap : 0),
    y: above + (y > 0 ? gap : 0),
    right: to - (x + width < 0.999 ? gap : 0),
    bottom: below - (y + height < 0.999 ? gap : 0),
  };
  const pixels = inner.right - inner.x;
  return { x: inner.x, y: inner.y, width: pixels - (pixels % 2), height: inner.bottom - inner.y };
}

/** Returns a panel of the same inks in the size of a part, stored as it is seen. */
function panelOfPart({ maxFileBytes: _limit, usual: _usual, ...panel }: Panel, { width, height }: PartBox): Panel {
  return { ...panel, width, height, packing: 'nibble', rotation: { portrait: 0, landscape: 0 } };
}

interface PartToDraw {
  readonly part: FilledPart;
  readonly place: PartBox;
  /** The papers that may be shown. */
  readonly found: ReadonlySet<string>;
}

async function drawPart<Deps extends { readonly db: Database }>(
  deps: Deps,
  sheet: PaperSheet,
  { part, place, found }: PartToDraw,
  how: DrawParts<Deps>,
): Promise<DrawnPart> {
  const panel = panelOfPart(sheet.wanted.panel, place);
  const wanted: WantedPicture = {
    ...sheet.wanted,
    panel,
    orientation: place.width >= place.height ? 'landscape' : 'portrait',
  };
  const { paperId: id = '' } = part;
  const paper = found.has(id) ? await deps.db<PaperRow>('papers').where({ id }).first() : undefined;
  const drawn: RenderedPicture =
    paper === undefined
      ? { ok: false, reason: reasonOfChosen({ id, title: '' }, reasonOf('paper-deleted')) }
      : await how.draw(deps, { ...sheet, paper, meta: storedObject(paper.meta), wanted, layout: part.layout });
  if (drawn.ok) {
    const sources = (drawn.sources ?? []).map((source) => ({ ...source, paperId: id }));
    return { place, indices: indicesOf(panel, drawn.file), remarks: drawn.remarks ?? [], sources };
  }
  const title = paper === undefined ? '' : paperTitle(paper);
  const problem = paper === undefined ? drawn.reason : reasonOfChosen({ id, title }, drawn.reason);
  const notice = await how.drawNotice(deps, wanted, noticeOfPart(title, drawn.reason, sheet.meta.language));
  const indices = notice.ok
    ? indicesOf(panel, notice.file)
    : new Uint8Array(place.width * place.height).fill(whiteOf(panel));
  return { place, indices, problem, remarks: [], sources: [] };
}

function noticeOfPart(title: string, because: Because, given: unknown): Notice {
  const language = wordedLanguage(given);
  const text = language === 'en' ? wordsOf(because) : serviceText(language, 'glass.failed');
  return { title: title === '' ? serviceText(language, 'glass.nothing') : title, text, language };
}

/** Reads what was drawn on the panel of a part. */
function indicesOf(panel: Panel, file: Uint8Array): Uint8Array {
  const indices = unpackPicture(panel, file);
  if (!(indices instanceof Uint8Array)) throw new Error(`a part of a board cannot be read: ${indices.problem}`);
  return indices;
}

function putInto(whole: Uint8Array, width: number, place: PartBox, indices: Uint8Array): void {
  for (let row = 0; row < place.height; row++) {
    const line = indices.subarray(row * place.width, (row + 1) * place.width);
    whole.set(line, (place.y + row) * width + place.x);
  }
}

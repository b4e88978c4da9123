/** Pictures of our own pages: calendars, texts, and notices. */

import { viewSize } from '../../firmware-protocol/panels.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { calendarNames, calendarView } from '../calendar/feed-list.ts';
import { calendarRemarks, type ReadCalendars } from '../calendar/read-calendars.ts';
import { calendarPage } from '../pages/calendar-page.ts';
import { type PageDocument, type PageFrame, pageLanguage } from '../pages/document.ts';
import { remarkOfLetters } from '../pages/missing-letters-remark.ts';
import { testCard } from '../pages/test-card.ts';
import { noticePage, textPage } from '../pages/text-page.ts';
import { calendarLetters } from '../pages/words.ts';
import { notSetUp } from '../papers/kinds.ts';
import type { Rendering } from '../rendering/rendering.ts';
import { serviceText, wordedLanguage } from '../words/service-words.ts';
import { calendarSources } from './calendar-sources.ts';
import type { MissLetters } from './missing-letters.ts';
import type { PaperSheet } from './paper-sheet.ts';
import type { Notice, RenderedPicture, WantedPicture } from './wanted-picture.ts';

export interface OwnDeps {
  readonly rendering: Pick<Rendering, 'renderDocument' | 'preparePicture'>;
  readonly readCalendars: ReadCalendars;
  /** Takes note of characters that no font here has. */
  readonly missed: MissLetters;
}

/** Draws a calendar from the feeds that could be read. When no feed can be read at all there is no picture. */
export async function drawCalendar(deps: OwnDeps, { paper, meta, wanted, at }: PaperSheet): Promise<RenderedPicture> {
  const read = await deps.readCalendars({ sharer: [paper.organization_id, 'picture', paper.id], meta, at });
  const { calendarAuth, calendarData, problems = {} } = read;
  if (calendarAuth.status === 'none') return { ok: false, reason: notSetUp.calendar };
  if (calendarAuth.status === 'failed' && calendarData.events.length === 0) {
    // An entry whose address was not typed yet is as good as none.
    const isNamed = Object.values(problems).some(({ code }) => code !== 'address-missing');
    if (!isNamed) return { ok: false, reason: notSetUp.calendar };
    const names = calendarNames(meta);
    const each = Object.entries(problems).map(([key, because]) =>
      reasonOf('of-calendar', { calendar: names.get(key) ?? key, because }),
    );
    return { ok: false, reason: reasonOf('no-calendar-read', { because: each }) };
  }
  const { timeZone, dayRange } = calendarView(meta);
  const facts = { title: textOf(meta.title), at, timeZone, dayRange, read };
  const frame = frameOf(wanted, meta);
  // R-24: English month names are better than missing-glyph boxes.
  const isWritten = (missing: string): boolean => {
    const letters = calendarLetters(frame.language);
    return !Array.from(missing).some((letter) => letters.has(letter));
  };
  const inEnglish = () => calendarPage({ ...frame, language: 'en-GB' }, facts);
  const drawn = await drawDocument(deps, calendarPage(frame, facts), wanted, (missing) =>
    isWritten(missing) ? undefined : inEnglish(),
  );
  if (!drawn.ok) return drawn;
  const remarks = [...(drawn.remarks ?? []), ...(calendarRemarks(read, meta) ?? [])];
  return { ...drawn, remarks, sources: calendarSources(read, meta) };
}

/** Draws a paper's text, with its title and footer. */
export async function drawText(deps: OwnDeps, { meta, wanted }: PaperSheet): Promise<RenderedPicture> {
  const text = textOf(meta.text);
  if (text === undefined) return { ok: false, reason: notSetUp.text };
  const facts = { title: textOf(meta.title), text, footer: textOf(meta.footer) };
  return drawDocument(deps, textPage(frameOf(wanted, meta), facts), wanted);
}

/** Draws the page that a printer's paper shows before anything was printed. */
export const drawUnusedPrinter = (deps: OwnDeps, sheet: PaperSheet): Promise<RenderedPicture> =>
  drawUnused(deps, sheet, ['glass.printer', 'glass.printerReady']);

/** Draws the page that an album shows before anybody sent a picture. */
export const drawEmptyAlbum = (deps: OwnDeps, sheet: PaperSheet): Promise<RenderedPicture> =>
  drawUnused(deps, sheet, ['glass.album', 'glass.albumEmpty']);

function drawUnused(
  deps: OwnDeps,
  { meta, wanted }: PaperSheet,
  [name, text]: readonly ['glass.printer', 'glass.printerReady'] | readonly ['glass.album', 'glass.albumEmpty'],
): Promise<RenderedPicture> {
  const language = wordedLanguage(meta.language);
  const title = textOf(meta.title) ?? textOf(meta.name) ?? serviceText(language, name);
  const facts = { title, text: serviceText(language, text), footer: undefined };
  return drawDocument(deps, textPage(frameOf(wanted, meta), facts), wanted);
}

/** Draws the card that is photographed to measure a panel. */
export function drawTestCard(deps: OwnDeps, { meta, wanted }: PaperSheet): Promise<RenderedPicture> {
  const { panel, orientation } = wanted;
  const rotation = panel.rotation[orientation];
  const hangs = `${orientation}, ${rotation === 0 ? 'stored as seen' : `stored turned ${rotation}° clockwise`}`;
  return drawDocument(deps, testCard(frameOf(wanted, meta), { panel, hangs }), wanted);
}

/** Draws the reason why there is no picture, for a frame that was never offered one. */
export function drawNotice(deps: OwnDeps, wanted: WantedPicture, notice: Notice): Promise<RenderedPicture> {
  return drawDocument(deps, noticePage(frameOf(wanted, { language: notice.language }), notice), wanted);
}

function frameOf({ panel, orientation }: WantedPicture, { language }: Readonly<Record<string, unknown>>): PageFrame {
  return { ...viewSize(panel, orientation), language: pageLanguage(language), colours: panel.colours };
}

/**
 * Draws a document of ours.
 * @param without gives another page in place of one with characters that no font here has
 */
async function drawDocument(
  { rendering, missed }: OwnDeps,
  document: PageDocument,
  { panel, orientation, paperId, sharer }: WantedPicture,
  without: (missing: string) => PageDocument | undefined = () => undefined,
): Promise<RenderedPicture> {
  let drawn = await rendering.renderDocument(document, sharer);
  if (!drawn.ok) return drawn;
  if (drawn.missing !== '') {
    missed({ paperId }, drawn.missing);
    const other = without(drawn.missing);
    if (other !== undefined) drawn = await rendering.renderDocument(other, sharer);
    if (!drawn.ok) return drawn;
  }
  const remarks = drawn.missing === '' ? [] : [remarkOfLetters(drawn.missing)];
  // The page is made of inks by their names; nothing is dithered, and edges stay sharp.
  const optimize = { enabled: true, method: 'named' } as const;
  const options = { sharer, panel, orientation, fit: 'contain', optimize, rgb: drawn.rgb } as const;
  return { ok: true, file: (await rendering.preparePicture(drawn.rgb, options)).file, remarks };
}

/** Reads text for people; undefined for anything else and for nothing but spaces. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

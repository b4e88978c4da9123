/** Pictures of our own pages: calendars, texts, and notices. */
import { viewSize } from '../../firmware-protocol/panels.ts';
import { calendarView } from '../calendar/feed-list.ts';
import type { ReadCalendars } from '../calendar/read-calendars.ts';
import { calendarPage } from '../pages/calendar-page.ts';
import { type PageDocument, type PageFrame, pageLanguage } from '../pages/document.ts';
import { testCard } from '../pages/test-card.ts';
import { noticePage, textPage } from '../pages/text-page.ts';
import type { Rendering } from '../rendering/rendering.ts';
import type { RenderedPicture, WantedPicture } from './line-edges.ts';
import type { PaperSheet } from './paper-sheet.ts';

/** What drawing our own pages is handed. */
export interface OwnEdges {
  readonly rendering: Pick<Rendering, 'renderDocument' | 'preparePicture'>;
  readonly readCalendars: ReadCalendars;
}

/** Draws a calendar. One whose feeds cannot be read at all is no picture; what could be read of others is shown. */
export async function drawCalendar(edges: OwnEdges, { meta, wanted, at }: PaperSheet): Promise<RenderedPicture> {
  const read = await edges.readCalendars({ meta, at });
  const { calendarAuth, calendarData } = read;
  if (calendarAuth.status === 'none') return { ok: false, reason: 'meta.calendars names no calendar' };
  if (calendarAuth.status === 'failed' && calendarData.events.length === 0) {
    const said = Object.entries(calendarAuth.calendars).map(([key, problem]) => `${key}: ${problem}`);
    return { ok: false, reason: `no calendar could be read (${said.join('; ')})` };
  }
  const { timeZone, dayRange } = calendarView(meta);
  const facts = { title: textOf(meta.title), at, timeZone, dayRange, read };
  return drawDocument(edges, calendarPage(frameOf(wanted, meta), facts), wanted);
}

/** Draws a text. */
export async function drawText(edges: OwnEdges, { meta, wanted }: PaperSheet): Promise<RenderedPicture> {
  const text = textOf(meta.text);
  if (text === undefined) return { ok: false, reason: 'meta.text is empty' };
  const facts = { title: textOf(meta.title), text, footer: textOf(meta.footer) };
  return drawDocument(edges, textPage(frameOf(wanted, meta), facts), wanted);
}

/** Draws the card that is photographed to measure a panel. */
export function drawTestCard(edges: OwnEdges, { meta, wanted }: PaperSheet): Promise<RenderedPicture> {
  const { panel, orientation } = wanted;
  const turn = panel.turn[orientation];
  const hangs = `${orientation}, ${turn === 0 ? 'stored as seen' : `stored turned ${turn}° clockwise`}`;
  return drawDocument(edges, testCard(frameOf(wanted, meta), { panel, hangs }), wanted);
}

/** Draws why there is no picture, for a frame that was never offered one. */
export function drawNotice(
  edges: OwnEdges,
  wanted: WantedPicture,
  notice: { readonly title: string; readonly text: string },
): Promise<RenderedPicture> {
  return drawDocument(edges, noticePage(frameOf(wanted, {}), notice), wanted);
}

function frameOf({ panel, orientation }: WantedPicture, { language }: Readonly<Record<string, unknown>>): PageFrame {
  return { ...viewSize(panel, orientation), language: pageLanguage(language) };
}

async function drawDocument(
  { rendering }: OwnEdges,
  document: PageDocument,
  { panel, orientation }: WantedPicture,
): Promise<RenderedPicture> {
  const drawn = await rendering.renderDocument(document);
  if (!drawn.ok) return drawn;
  // Black letters on white: every pixel takes its nearest ink, so that edges stay sharp.
  const wish = { panel, orientation, fit: 'contain', optimize: { enabled: false } } as const;
  return { ok: true, file: (await rendering.preparePicture(drawn.png, wish)).file };
}

/** Text for people, undefined for anything else and for nothing but spaces. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

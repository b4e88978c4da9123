/** One process that draws pages, seen from the service. It draws the texts of strangers, so its answers are not trusted. */
import { z } from 'zod';
import type { MessageBounds } from '../../runtime/child-process/framed-messages.ts';
import { startWorkingProcess, type WorkingProcess } from '../../runtime/child-process/working-process.ts';
import { fontVariables } from '../../runtime/font-folders.ts';
import type { PageDocument } from '../pages/document.ts';
import type { TypesetPage } from './typeset-page.ts';

const bytesOfPixel = 3;
/** The most pixels of a page. */
const maxPixels = 40_000_000;
const bounds: MessageBounds = { headBytes: 65_536, bytes: bytesOfPixel * maxPixels };

const outcomes = z.strictObject({ missing: z.string().max(12_000) });

/** Reads a drawn page; undefined for one that the drawer of this release never sends for that document. */
function readDrawn(outcome: unknown, rgb: Buffer, { width, height }: PageDocument): TypesetPage | undefined {
  const { data } = outcomes.safeParse(outcome);
  return data !== undefined && rgb.length === width * height * bytesOfPixel ? { rgb, ...data } : undefined;
}

/** A process that draws pages. */
export type DrawingProcess = WorkingProcess<PageDocument, TypesetPage>;

const drawer = new URL('./page-drawer.ts', import.meta.url);

/**
 * Starts a process. It keeps this one alive only while it draws.
 * @param told hears why it ended, unless `end` was called
 * @param program the program, as its source; that of this release unless given
 */
export function startDrawingProcess(told: (reason: string) => void, program: URL = drawer): DrawingProcess {
  return startWorkingProcess({ program, variables: fontVariables, bounds, readOutcome: readDrawn, told });
}

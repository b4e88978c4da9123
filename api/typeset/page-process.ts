/**
 * Draws pages outside of the service's own process: a page that hangs or crashes ends nothing else, and the memory of fonts
 * is given back when nobody has asked for a page for a while.
 */
import { type Because, reasonOf } from '../../reasons/reason.ts';
import { calmReport } from '../../runtime/child-process/calm-report.ts';
import { keptProcess, processSet } from '../../runtime/child-process/kept-process.ts';
import { ProcessGone } from '../../runtime/child-process/working-process.ts';
import type { Clock } from '../../runtime/clock.ts';
import { fairShares, type Sharer } from '../../runtime/fair-shares.ts';
import { limitTime, timedOut } from '../../runtime/limit-time.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { PageDocument } from '../pages/document.ts';
import { type DrawingProcess, startDrawingProcess } from './drawing-process.ts';
import type { TypesetPage } from './typeset-page.ts';

/** A drawn page, or why there is none. */
export type DrawnPage = ({ readonly ok: true } & TypesetPage) | { readonly ok: false; readonly reason: Because };

/** Draws pages in another process. */
export interface PageProcesses {
  /** Draws a page when the sharer's turn comes. Expected failures are values. */
  draw(document: PageDocument, sharer: Sharer): Promise<DrawnPage>;
  /** Ends what runs; later calls return a failure. */
  stop(): void;
}

/** The time for one page, without that in which the process starts. */
const drawMs = 10_000;
/** The time in which a process has to be ready: small machines take seconds. */
const startMs = 30_000;
/** The time for which a process is kept for the next page. */
const idleMs = 20_000;

/** Starts a process; `told` is called with the reason if it ends by itself. */
export type StartDrawingProcess = (told: (reason: string) => void) => DrawingProcess;

/** Makes the processes' front. No process runs before the first page, and one page is drawn at a time. */
export function pageProcesses(
  clock: Clock,
  logger: Pick<Logger, 'warn'>,
  start: StartDrawingProcess = startDrawingProcess,
): PageProcesses {
  const report = calmReport(clock, logger, 'the process that draws pages ended; another one takes its place');
  const processes = processSet(() => start(report));
  const kept = keptProcess(clock, processes, idleMs);
  const places = fairShares({ atOnce: 1 });
  /** Processes that have drawn a page: what ends one of them may be left of that. */
  const used = new WeakSet<DrawingProcess>();

  /** @throws ProcessGone */
  async function inTime(one: DrawingProcess, document: PageDocument): Promise<DrawnPage> {
    if ((await limitTime(clock, startMs, one.begun())) === timedOut) {
      report(`it was not ready within ${startMs / 1_000} s`);
      one.end();
      throw new ProcessGone(false);
    }
    const page = await limitTime(clock, drawMs, one.ask(document));
    if (page !== timedOut) {
      used.add(one);
      return { ok: true, ...page };
    }
    report(`a page took more than ${drawMs / 1_000} s`);
    one.end();
    return { ok: false, reason: reasonOf('page-too-slow', { seconds: drawMs / 1_000 }) };
  }

  /** Draws a page, and once more in a new process if the one before it may have been ended by an earlier page. */
  async function drawNow(document: PageDocument): Promise<DrawnPage> {
    for (;;) {
      let wasUsed = false;
      try {
        return await kept.use((one) => {
          wasUsed = used.has(one);
          return inTime(one, document);
        });
      } catch (error) {
        const isAgain = error instanceof ProcessGone && wasUsed && !processes.isStopped();
        if (!isAgain) return { ok: false, reason: reasonOf('page-drawer-ended') };
      }
    }
  }

  return {
    draw: (document, sharer) => places.run(sharer, () => drawNow(document)),
    stop() {
      kept.stop();
      processes.stop();
    },
  };
}

/** The line, as one table: from accepted content to the callback that says it is on the glass. */
import { assignFrames, recheckRequests } from './assign-frames.ts';
import { closeWindows } from './close-window.ts';
import { confirmSync } from './confirm-sync.ts';
import type { LineEdges } from './line-edges.ts';
import { markDuePictures } from './mark-due-pictures.ts';
import { offerToFrames } from './offer-to-frame.ts';
import { showPapers } from './show-papers.ts';

/** How often the line looks without having been told anything. The nudge is the speed, this is the safety net. */
const sweepMs = 30_000;

/** The running line. */
export interface DeliveryLine {
  start(): void;
  /** Something changed: look now. `reported` names a frame that said something, `assignments` rechecks every request. */
  nudge(changed?: { reported?: string; assignments?: true }): void;
  /** Resolves when nothing is under way and the last nudge was worked off. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** Composes the line. Steps never call each other; they meet in the database, so that each may run again. */
export function deliveryLine(edges: LineEdges): DeliveryLine {
  const { clock, logger } = edges;
  const reported = new Set<string>();
  const offering = offerToFrames(edges, () => nudge());
  const showing = showPapers(edges, () => nudge());
  let pass: Promise<void> | undefined;
  let again = false;
  let assignments = false;
  let everything = false;
  let running = false;

  const recheckStep = ['recheck requests', () => recheckRequests(edges)] as const;

  /** One row a step: what it is called, and what it does when there is something to do. */
  const steps: readonly (readonly [name: string, run: (reported: readonly string[]) => Promise<void>])[] = [
    // accepted -> active, deliveries created, frames that left -> `inactive`
    ['assign frames', () => assignFrames(edges)],
    // pending -> rendered, offered: `prepared`; the fourth failure: `failed`
    ['offer to frames', () => offering.begin()],
    // prepared -> `synced`, when the evidence is complete
    ['confirm sync', (serials) => confirmSync(edges, serials)],
    // 48 hours are over -> closed; what is still open: `unconfirmed`
    ['close windows', () => closeWindows(edges)],
    // pictures that change by themselves: due again before their frames wake, and by schedule
    ['render again', () => markDuePictures(edges)],
    // uploaded pictures and plain pages, which owe no receipts
    ['show papers', () => showing.begin()],
    // the callbacks that all of these wrote
    ['announce', async () => edges.announced()],
  ];

  /** What a frame says moves nothing but its own deliveries: a fleet that wakes must not make the line look at all others. */
  const afterReport = steps.filter(([name]) => name === 'confirm sync' || name === 'announce');

  async function runPass(): Promise<void> {
    const serials = [...reported];
    reported.clear();
    const due = everything ? steps : afterReport;
    const recheck = assignments;
    assignments = false;
    everything = false;
    for (const [name, run] of recheck ? [recheckStep, ...due] : due) {
      try {
        await run(serials);
      } catch (error) {
        // A fault ends this step only; what it left undone is still due.
        logger.error({ step: name, error }, 'a step of the delivery line failed');
      }
    }
  }

  function nudge(changed: { reported?: string; assignments?: true } = {}): void {
    if (changed.reported !== undefined) reported.add(changed.reported);
    if (changed.assignments === true) assignments = true;
    if (changed.reported === undefined || changed.assignments === true) everything = true;
    if (!running) return;
    again = true;
    if (pass !== undefined) return;
    pass = (async () => {
      while (again && running) {
        again = false;
        await runPass();
      }
      pass = undefined;
    })();
  }

  function sweep(): void {
    if (!running) return;
    nudge();
    clock.after(sweepMs, sweep);
  }

  return {
    start() {
      running = true;
      sweep();
    },
    nudge,
    async idle() {
      do {
        await pass;
        await offering.idle();
        await showing.idle();
      } while (pass !== undefined);
    },
    async stop() {
      running = false;
      // Said before anything is awaited: renders that are cut off from now on are not counted (INV-74).
      const stopped = offering.stop();
      await pass;
      await stopped;
      await showing.idle();
    },
  };
}

/** The line, as one table: from accepted content to the callback that reports it on the glass. */
import type { Timer } from '../../runtime/clock.ts';
import { createSignal } from '../../runtime/signal.ts';
import { planFrames } from '../planned-changes/plan-frames.ts';
import { assignFrames, recheckRequests } from './assign-frames.ts';
import { closeWindows } from './close-window.ts';
import { confirmSync } from './confirm-sync.ts';
import type { LineDeps } from './line-deps.ts';
import { markDuePictures } from './mark-due-pictures.ts';
import { type OfferStep, offerContent } from './offer-content.ts';
import { type Changed, type PassScope, passLoop } from './pass-loop.ts';
import { pollRecipes } from './poll-recipes.ts';
import { remakePictures } from './remake-pictures.ts';
import { shareLine } from './share-line.ts';
import { showPapers } from './show-papers.ts';

/** Time after which the line looks without having been asked to. The nudge is the speed, this is the safety net. */
const sweepMs = 30_000;
/** The same among nodes, where one of them sweeps for all (INV-48): what a dead node would have looked at waits for it. */
const sharedSweepMs = 10_000;

/** The running line. */
export interface DeliveryLine {
  start(): void;
  /** Notifies the line that something changed, so that it looks now. */
  nudge(changed?: Changed): void;
  /** Resolves when nothing is under way and the last nudge was worked off. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** The steps whose work goes on after the pass that began it. */
interface Works {
  readonly offering: OfferStep;
  readonly showing: ReturnType<typeof showPapers>;
  readonly polling: ReturnType<typeof pollRecipes>;
  readonly remaking: ReturnType<typeof remakePictures>;
  readonly timing: () => Promise<void>;
  readonly planning: () => Promise<void>;
}

/** A step of the line: its name, and its work when there is something to do. */
type Step = readonly [name: string, run: (reported: readonly string[]) => Promise<void>];

/** The line, one row a step. */
function stepsOf(deps: LineDeps, { offering, showing, polling, remaking, timing, planning }: Works): readonly Step[] {
  return [
    // pictures whose time begins or is over
    ['show timed', timing],
    // accepted -> active, deliveries created, frames that left -> `inactive`
    ['assign frames', () => assignFrames(deps)],
    // pending -> rendered, offered: `prepared`; the fourth failure: `failed`
    ['offer to frames', () => offering.begin()],
    // prepared -> `synced`, when the evidence is complete
    ['confirm sync', (serials) => confirmSync(deps, serials)],
    // 48 hours are over -> closed; what is still open: `unconfirmed`
    ['close windows', () => closeWindows(deps)],
    // when the pictures of frames change next, and pictures of frames that are awake at that time
    ['plan frames', planning],
    // pictures that change by themselves: due again before their frames wake, and by schedule
    ['render again', () => markDuePictures(deps)],
    // recipes whose sources are to be asked; other data make their pictures due
    ['poll recipes', () => polling.begin()],
    // uploaded pictures and plain pages, which owe no receipts
    ['show papers', () => showing.begin()],
    // offers whose files were lost on the disk, under a new version
    ['remake pictures', () => remaking.begin()],
    // the callbacks that all of these wrote
    ['send callbacks', async () => deps.callbacksOwed()],
  ];
}

/** Returns the steps that go on when a work has ended: only those that waited for it. A fleet's works end one by one. */
function stepsAfterEnd({ offering, showing }: Works): readonly Step[] {
  return [
    ['offer to frames', () => offering.goOn()],
    ['show papers', () => showing.goOn()],
  ];
}

/** Has the line look again when a step is due next, where that is before its sweep. */
function timedStep({ clock }: LineDeps, run: () => Promise<number | null>, nudge: () => void): () => Promise<void> {
  let timer: Timer | undefined;
  return async () => {
    timer?.cancel();
    timer = undefined;
    const next = await run();
    const waitMs = (next ?? Infinity) - clock.now();
    if (waitMs > 0 && waitMs < sweepMs) timer = clock.after(waitMs, nudge);
  };
}

/** Composes the line. Steps never call each other; they meet in the database, so that each may run again. */
export function deliveryLine(deps: LineDeps): DeliveryLine {
  const changes = createSignal<Changed>();
  const nudge = (): void => changes.emit({});
  const again = { ended: (): void => changes.emit({ ended: true }), dueAgain: nudge };
  const shared = shareLine(deps, (changed = {}) => changes.emit(changed));
  const works: Works = {
    offering: offerContent(deps, again),
    showing: showPapers({ ...deps, isLeft: shared.isLeft }, again),
    polling: pollRecipes(deps, nudge),
    remaking: remakePictures(deps),
    timing: timedStep(deps, deps.showTimed, nudge),
    planning: timedStep(deps, () => planFrames(deps), nudge),
  };
  const steps = { all: stepsOf(deps, works), afterEnd: stepsAfterEnd(works) };
  const passes = passLoop(deps.logger, async (scope) => {
    await runPass(deps, steps, scope);
    if (scope.everything) shared.tell(works.offering.isFull() || works.showing.isFull());
  });
  changes.listen(passes.nudge);

  function sweep(): void {
    if (!passes.isRunning()) return;
    if (shared.sweepsHere()) passes.nudge();
    deps.clock.after(deps.cluster.id === null ? sweepMs : sharedSweepMs, sweep);
  }

  return {
    start() {
      passes.start();
      shared.start();
      sweep();
    },
    nudge: passes.nudge,
    async idle() {
      do {
        await passes.underWay();
        await works.offering.idle();
        await works.showing.idle();
        await works.polling.idle();
        await works.remaking.idle();
      } while (passes.underWay() !== undefined);
    },
    async stop() {
      passes.stop();
      // The step is notified before anything is awaited: renders that are cut off from now on are not counted (INV-74).
      const stopped = works.offering.stop();
      await shared.stop();
      await passes.underWay();
      await stopped;
      await works.showing.idle();
      await works.polling.idle();
      await works.remaking.idle();
    },
  };
}

/** A frame's report moves only that frame's deliveries: a fleet that wakes must not make it look at all others. */
const afterReport: readonly string[] = ['confirm sync', 'send callbacks'];
/** The steps for a finding of another node, which anybody may do: none of these looks for work by the clock. */
const forOthers: readonly string[] = ['offer to frames', 'show papers', 'remake pictures', 'send callbacks'];

async function runPass(
  deps: LineDeps,
  { all, afterEnd }: { readonly all: readonly Step[]; readonly afterEnd: readonly Step[] },
  { reported, assignments, shared, ended, everything }: PassScope,
): Promise<void> {
  const recheck: Step = ['recheck requests', () => recheckRequests(deps)];
  const named = [...(reported.length > 0 ? afterReport : []), ...(shared ? forOthers : [])];
  const due = everything ? all : [...all.filter(([name]) => named.includes(name)), ...(ended ? afterEnd : [])];
  for (const [name, run] of assignments ? [recheck, ...due] : due) {
    try {
      await run(reported);
    } catch (error) {
      // A fault ends this step only; the work that it left undone is still due.
      deps.logger.error({ step: name, error }, 'a step of the delivery line failed');
    }
  }
}

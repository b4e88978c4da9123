/**
 * The service without its network listeners: gateway, delivery line, outbox and the routes that feed them, over
 * handed-in dependencies.
 */
import { createGateway, type GatewayDeps } from '../../../gateway/gateway.ts';
import { picturesBeingMade } from '../../../gateway/pictures/being-made.ts';
import { reasonOf } from '../../../reasons/reason.ts';
import { inBackground } from '../../../runtime/in-background.ts';
import { createSignal, type Signal } from '../../../runtime/signal.ts';
import { createOutbox } from '../../callbacks/drain-outbox.ts';
import { ChangesHub } from '../../changes/changes-hub.ts';
import { type DeadlineDrainDeps, drainDeadlineNotices } from '../../deadlines/drain-deadline-notices.ts';
import { type DeadlineWatch, watchDeadlines } from '../../deadlines/watch-deadlines.ts';
import { type DeliveryLine, deliveryLine } from '../../delivery/delivery-line.ts';
import type { Changed } from '../../delivery/pass-loop.ts';
import type { AdoptDeps } from '../../devices/adopt-asking.ts';
import { adoptInWindow } from '../../devices/adoption-window.ts';
import { followFrame } from '../../devices/device-of-frame.ts';
import { signInsPerMinute } from '../../directory/directory-deps.ts';
import { renderForFrames } from '../../drawing/draw-paper.ts';
import { pollRecipeOf } from '../../drawing/draw-recipe.ts';
import type { ProgressDeps } from '../../explanations/picture-progress.ts';
import { keepOpen } from '../../filled-albums/keep-open.ts';
import { albumFiller, type FillerDeps } from '../../filled-albums/run-filler.ts';
import { sourceOpener } from '../../filled-albums/source-kinds.ts';
import { rateLimit } from '../../http/limit-rate.ts';
import { authorizeWork } from '../../integration/authorize.ts';
import { picturePost } from '../../picture-post/run-post.ts';
import { keepingEventTimes } from '../../planned-changes/event-times.ts';
import { timedShower } from '../../timed-pictures/show-timed.ts';
import type { SealingDeps } from '../../uploads/store-picture.ts';
import type { CoreDeps } from './core-deps.ts';
import { coreRoutes, openCorePictures } from './core-routes.ts';

/** Clients ask for a paper's image once, right after a change; most pictures are drawn by then (C-56). */
const drawPatienceMs = 10_000;

/** Data that are sent to one recipe. */
const hooksPerMinute = 10;

export type Core = Awaited<ReturnType<typeof createCore>>;

/** Puts the core together; nothing runs before `gateway.start` and `line.start`. */
export async function createCore(given: CoreDeps) {
  const deps = { ...given, readCalendars: keepingEventTimes(given, given.readCalendars) };
  const { db, clock, random, keys, logger, rendering, send, cluster } = deps;
  const { settings: rules, normalizeImage } = deps.integration;
  const common = { db, clock, random, logger, meter: deps.meter };
  const pictures = openCorePictures(deps);
  const { files, images, drawing } = pictures;
  const outbox = createOutbox({ ...common, cluster, send, sealKey: keys.seal, rules, at: deps.at });

  const fromFrames = createSignal<Changed>();
  const asleep = createSignal<string>();
  const { isBeingMade, whileMaking } = picturesBeingMade();
  const gateway = await createGateway({
    ...deps.frames,
    ...common,
    ...newsOfFrames(fromFrames),
    slept: asleep.emit,
    isBeingMade,
    ...devicesOfFrames({ clock, random }),
    cluster,
  });

  const frames = { ...gateway, status: gateway.facts };
  const line = deliveryLine({
    ...common,
    cluster,
    gateway,
    whileMaking,
    pageIsSeen: deps.pageIsSeen,
    connected: gateway.connected,
    showTimed: timedShower({ ...common, files, rendering, normalizeImage, frames }),
    render: renderForFrames({ ...drawing, logger }),
    pollRecipe: (paper) => pollRecipeOf(drawing, paper),
    authorized: async (trx, connectionId, generation) =>
      (await authorizeWork(trx, { connectionId, generation }, rules)).ok,
    callbacksOwed: () => inBackground(logger, 'read the outbox', () => outbox.drain()),
  });
  const deadlines = watchDeadlines({
    ...common,
    traitsOf: gateway.traitsOf,
    single: cluster.single,
    drain: drainDeadlineNotices({ ...common, ...(deps.notices ?? noNotices), publicUrl: deps.publicUrl }),
    assigned: () => line.nudge({ assignments: true }),
  });
  asleep.listen((reported) => deadlines.nudge({ reported }));
  fromFrames.listen((changed) => {
    line.nudge(changed);
    deadlines.nudge(changed.reported === undefined ? {} : { reported: changed.reported });
  });

  const albums = albumsOfCore(deps, { files, nudgeLine: line.nudge });
  const { post, offered } = postOfCore(deps, { files, frames, nudgeLine: line.nudge });

  const changes = new ChangesHub({ db, clock, logger, cluster });
  const { routes, jobs, readPicture } = coreRoutes({
    ...deps,
    pictures,
    frames,
    single: cluster.single,
    changes,
    deadlines,
    ...albums,
    post: offered,
    ...nudges({ line, deadlines }, deps.simulated),
    limitHooks: rateLimit(hooksPerMinute, cluster.counters('hooks')),
    limitGuests: rateLimit(signInsPerMinute, cluster.counters('guests')),
    drawPatienceMs,
  });
  return { gateway, line, deadlines, outbox, images, routes, jobs, filler: albums.filler, post, changes, readPicture };
}

/** Returns what opens the sources of albums, and the worker that fills them. */
function albumsOfCore(deps: CoreDeps, { files, nudgeLine }: Pick<FillerDeps, 'files' | 'nudgeLine'>) {
  const { db, clock, random, logger, keys, cluster, follow } = deps;
  const { dataFolder } = deps.frames;
  const sources = sourceOpener({ follow, clock, dataFolder, foldersFor: deps.pictureFoldersFor ?? (() => []) });
  const open = keepOpen({ db, clock, sealKey: keys.seal, sources });
  const { normalizeImage } = deps.integration;
  const common = { db, clock, random, logger, files, normalizeImage, open, nudgeLine };
  const filler = albumFiller({ ...common, single: cluster.single });
  return { sources, filler, nudgeFiller: filler.nudge };
}

/** Returns what takes in pictures by mail and message, and what its routes know of it. */
function postOfCore(
  deps: CoreDeps,
  {
    files,
    frames,
    nudgeLine,
  }: Pick<SealingDeps, 'files'> &
    Pick<FillerDeps, 'nudgeLine'> & { readonly frames: SealingDeps['frames'] & ProgressDeps['frames'] },
) {
  const { db, clock, random, logger, keys, cluster, rendering, post: setUp = {} } = deps;
  const { normalizeImage } = deps.integration;
  const sealing = { db, clock, random, files, rendering, frames, normalizeImage, sealKey: keys.seal };
  const post = picturePost({ db, clock, random, logger, sealing, nudgeLine, cluster, frames, setUp });
  const offered = { mailbox: setUp.mailbox?.address, hasBot: setUp.bot !== undefined, nudge: post.nudge };
  return { post, offered };
}

/** Nobody is notified where the operator set nothing up: notices say so. */
const noNotices: Pick<DeadlineDrainDeps, 'send' | 'sendMail'> = {
  send: async () => ({ ok: false, problem: reasonOf('mail-not-set-up') }),
  sendMail: undefined,
};

/** Returns what looks after new content, and what looks everywhere after a change of devices and papers. */
function nudges(
  { line, deadlines }: { line: Pick<DeliveryLine, 'nudge'>; deadlines: Pick<DeadlineWatch, 'nudge'> },
  simulated: CoreDeps['simulated'],
): { readonly nudge: () => void; readonly nudgeAll: () => void } {
  return {
    nudge() {
      line.nudge();
      deadlines.nudge();
    },
    nudgeAll() {
      line.nudge({ assignments: true });
      deadlines.nudge();
      simulated?.nudge();
    },
  };
}

/** Returns the listeners through which news of frames wakes the line. */
function newsOfFrames({ emit }: Signal<Changed>): Pick<GatewayDeps, 'reported' | 'pictureLost'> {
  return { reported: (serial) => emit({ reported: serial }), pictureLost: () => emit({}) };
}

/** Returns the functions that change a device when its frame reports. */
function devicesOfFrames(deps: AdoptDeps): Pick<GatewayDeps, 'kindNamed' | 'asksForKey'> {
  return { kindNamed: followFrame, asksForKey: (trx, asking) => adoptInWindow(trx, deps, asking) };
}

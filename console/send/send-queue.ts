/** Sends what is on its way, one picture after the other; what the network takes away goes on when it is back. */
import { effect } from '@preact/signals';
import { fleet, fleetState, rereadDevice } from '../ground/fleet.ts';
import { isLive } from '../ground/live.ts';
import { havePapersCome } from '../ground/picture-papers.ts';
import { asProblem } from '../ground/resource.ts';
import { t } from '../ground/words.ts';
import { type Draft, drafts, newKey, removeDraft, type Slideshow } from '../parts/drafts/drafts.ts';
import { isGoneElsewhere } from '../parts/drafts/keep-drafts.ts';
import { isTimed } from '../parts/drafts/show-times.ts';
import { say } from '../parts/messages.tsx';
import { readTimed } from '../parts/timed-list.tsx';
import { type Delivered, deliver, deliverToShow } from './deliver.ts';
import { type Errand, errandId, errandsLeft, giveBack, isDelivered, orderAlbum } from './errands.ts';
import type { Plan } from './plan.ts';
import { changeSending, forgetSending, noteSending, sendings } from './sendings.ts';
import { albumOf, showAlbum } from './slideshow.ts';
import { type Target, targets } from './targets.ts';
import { undoSendings } from './undo.ts';

let isRunning = false;
let retry: ReturnType<typeof setTimeout> | undefined;
let current: { readonly id: string; readonly asking: AbortController } | undefined;
/** The pictures of this run, for what is said at its end. */
let sentNow: string[] = [];
const retryMs = 15_000;

/** Starts sending: from here on it goes on by itself, also after a reload. */
export function startSending(
  { pictures, shows }: Plan,
  every: Slideshow['every'],
  titleOf: (target: Target) => string,
): void {
  const slideshows = shows.map(({ target, drafts: of }) => ({
    drafts: of,
    show: { id: newKey(), place: target.id, title: titleOf(target), every },
  }));
  for (const { draft, targets: alone } of pictures) {
    const mine = slideshows.filter(({ drafts: of }) => of.includes(draft)).map(({ show }) => show);
    draft.going.value = { places: [...alone.map(({ id }) => id), ...mine.map(({ place }) => place)], slideshows: mine };
  }
  queueAll();
  void sendAll();
}

/** Whether frames and papers are known: a place that is not among them is gone. */
const areKnown = (): boolean => fleetState.value.isLoaded && havePapersCome.value;

/** Sends all that is on its way. One window of the browser does it at a time. */
export async function sendAll(): Promise<void> {
  if (isRunning || !areKnown() || errandsLeft().length === 0) return;
  isRunning = true;
  clearTimeout(retry);
  try {
    queueAll();
    if (navigator.locks === undefined) await run();
    else
      await navigator.locks.request('papergate-sending', { ifAvailable: true }, (lock) => (lock ? run() : undefined));
  } finally {
    isRunning = false;
  }
  if (errandsLeft().length > 0) retry = setTimeout(() => void sendAll(), retryMs);
  else tellSent();
}

async function run(): Promise<void> {
  for (;;) {
    const [errand] = errandsLeft();
    if (errand === undefined) return;
    if (await isGoneElsewhere(errand.draft)) continue;
    if ((await doErrand(errand)) === 'offline') return;
  }
}

/** The list has the newest first: of several, the first stands on top. */
function queueAll(): void {
  for (const errand of [...errandsLeft()].reverse()) queue(errand);
}

function queue(errand: Errand): void {
  const target = targets.peek().find(({ id }) => id === errand.place);
  const id = errandId(errand);
  if (target === undefined || sendings.peek().some((one) => one.id === id && one.state !== 'failed')) return;
  const before = new Map(target.frames.map((device) => [device, fleet.peek().get(device)?.glass?.uploadId ?? null]));
  noteSending({
    id,
    name: errand.draft.name,
    view: '',
    target,
    state: 'queued',
    progress: undefined,
    problem: undefined,
    isSame: false,
    told: errand.draft.told,
    at: Date.now(),
    before,
    undo: undefined,
    isLater: false,
  });
}

async function doErrand(errand: Errand): Promise<'done' | 'offline'> {
  const { draft, place, show } = errand;
  const id = errandId(errand);
  const target = targets.peek().find((one) => one.id === place);
  if (target === undefined) {
    giveBack(errand);
    say(t('send.placeGone'), { isProblem: true });
    return 'done';
  }
  const asking = new AbortController();
  current = { id, asking };
  changeSending(id, { state: 'sending', problem: undefined });
  const watch = {
    note: (progress: { sent: number; total: number }) => changeSending(id, { progress }),
    signal: asking.signal,
  };
  try {
    const sent =
      show === undefined
        ? deliver(draft, target, watch)
        : deliverToShow(draft, target, await albumOf(show, target), watch);
    noteDelivered(errand, await sent.catch((error: unknown) => takenBefore(errand, error)));
    if (show !== undefined) await showWhenWhole(errand, show, target);
    else arrived(errand);
    return 'done';
  } catch (error) {
    return failed(errand, error, asking.signal.aborted);
  } finally {
    current = undefined;
  }
}

/** It was sent before, drawn a little otherwise by this browser: the service has it. */
function takenBefore({ draft }: Errand, error: unknown): Delivered {
  if (asProblem(error).code !== 'message-id-used') throw error;
  return { view: '', isSame: false, told: draft.told, undo: undefined };
}

function noteDelivered({ draft, place }: Errand, { view, isSame, told, undo }: Delivered): void {
  const isKept = isTimed(draft.times.peek());
  const id = errandId({ draft, place });
  const state = isKept ? 'timed' : 'sent';
  const sent = { state, progress: undefined, view, isSame, undo, at: Date.now() } as const;
  changeSending(id, told.remark === undefined ? sent : { ...sent, told });
  if (isKept) void readTimed().catch(() => undefined);
  // What came last to an album is shown next.
  if (undo?.kind === 'album') {
    for (const one of sendings.peek()) {
      const isOlder = one.id !== id && one.undo?.kind === 'album' && one.undo.paperId === undo.paperId;
      if (isOlder) changeSending(one.id, { isLater: true });
    }
  }
}

/** A picture is at its place: what is left of its way is written down, and nothing of it is kept at the end. */
function arrived({ draft, place }: Errand): void {
  const going = draft.going.peek();
  const places = going?.places.filter((one) => one !== place) ?? [];
  sentNow.push(errandId({ draft, place }));
  for (const device of targets.peek().find(({ id }) => id === place)?.frames ?? []) void rereadDevice(device);
  if (places.length === 0) removeDraft(draft.key);
  else if (going !== undefined) draft.going.value = { ...going, places };
}

/** The frame shows the album once its last picture has come. */
async function showWhenWhole(errand: Errand, show: Slideshow, target: Target): Promise<void> {
  const mine = errandsLeft().filter((one) => one.show?.id === show.id);
  const isLast = mine.every((one) => errandId(one) === errandId(errand) || isDelivered(one));
  if (!isLast) {
    // It keeps its place until all are there: a reload sends it again under its name, and it comes once.
    putLast(errand.draft);
    return;
  }
  const albumId = await albumOf(show, target);
  await orderAlbum(albumId, mine);
  const undone = await showAlbum(albumId, target);
  for (const one of mine) {
    const isLater = one.draft.addedAt > Math.min(...mine.map(({ draft }) => draft.addedAt));
    changeSending(errandId(one), { undo: { kind: 'slideshow', ...undone }, isLater });
    arrived(one);
  }
}

/** What is left of the others comes first. */
function putLast(draft: Draft): void {
  drafts.value = [...drafts.peek().filter((one) => one !== draft), draft];
}

/** What keeps a picture only for now: no network, or a service that asks for patience. */
const isForNow = (status: number): boolean => [0, 429, 502, 503, 504].includes(status);

function failed(errand: Errand, error: unknown, isCancelled: boolean): 'done' | 'offline' {
  const id = errandId(errand);
  const problem = asProblem(error);
  if (isCancelled) return 'done';
  if (problem.code !== 'unknown' && isForNow(problem.status)) {
    for (const one of errandsLeft()) {
      if (!isDelivered(one)) changeSending(errandId(one), { state: 'offline', progress: undefined, problem });
    }
    return 'offline';
  }
  changeSending(id, { state: 'failed', progress: undefined, problem });
  giveBack(errand);
  say(t('send.failed', { count: 1 }), { isProblem: true });
  return 'done';
}

/** Calls off a picture that has not been sent yet; it is worked on again. */
export function cancelSending(id: string): void {
  const errand = errandsLeft().find((one) => errandId(one) === id);
  if (current?.id === id) current.asking.abort(new Error('called off'));
  forgetSending(id);
  if (errand !== undefined) giveBack(errand);
}

/** Says what was sent, with a way back. */
function tellSent(): void {
  const ids = sentNow;
  sentNow = [];
  const all = sendings.peek().filter(({ id }) => ids.includes(id));
  if (all.length === 0) return;
  const count = new Set(all.map(({ id }) => id.split(' ')[0])).size;
  const areKept = all.every(({ state }) => state === 'timed');
  const canUndo = all.some(({ undo }) => undo !== undefined);
  say(t(areKept ? 'send.kept' : 'send.done', { count }), canUndo ? { undo: () => undoSendings(ids) } : {});
}

let isFollowing = false;

/** Goes on by itself from now on: when the network is back, when the service is, and when the frames are known. */
export function followNetwork(): void {
  if (isFollowing) return;
  isFollowing = true;
  addEventListener('online', () => void sendAll());
  effect(() => {
    const isReady = areKnown() && drafts.value.some(({ going }) => going.value !== undefined);
    // Every tab hears of the stream: it is there again with the service.
    if (isReady && (isLive.value || navigator.onLine)) queueMicrotask(() => void sendAll());
  });
}

/** Sends what is in the outbox, one picture after the other; what the network takes away goes on when it is back. */
import { effect } from '@preact/signals';
import { Problem } from '../ground/call-api.ts';
import { fleetState, rereadDevice } from '../ground/fleet.ts';
import { isLive } from '../ground/live.ts';
import { havePapersCome, readPicturePapers } from '../ground/picture-papers.ts';
import { asProblem } from '../ground/resource.ts';
import { organizationId } from '../ground/session.ts';
import { t } from '../ground/words.ts';
import { newKey } from '../parts/drafts/drafts.ts';
import { bringDraft } from '../parts/drafts/keep-drafts.ts';
import type { Outcome } from '../parts/drafts/outbox.ts';
import { isTimed } from '../parts/drafts/show-times.ts';
import { workOutbox } from '../parts/drafts/work-outbox.ts';
import { say } from '../parts/messages.tsx';
import { readTimed } from '../parts/timed-list.tsx';
import { type Delivered, deliver, deliverToShow, isServiceThere, type Shipment, type Watch } from './deliver.ts';
import { asKept, boundOutbox, hasWork, onOutboxChange, progressOf, type Sending, sendings } from './sendings.ts';
import { albumOf, showAlbum } from './slideshow.ts';
import { type Target, targets } from './targets.ts';
import { takeBack, undoSendings } from './undo.ts';

/** Nothing is looked for more often. */
const soonMs = 500;
const me = newKey();
let isRunning = false;
let retry: ReturnType<typeof setTimeout> | undefined;
let current: { readonly id: string; readonly asking: AbortController } | undefined;
/** The pictures of this run, for the message at its end. */
let sentNow: string[] = [];

/** Whether frames and papers are known: a place that is not among them is gone. */
const areKnown = (): boolean => fleetState.value.isLoaded && havePapersCome.value;

/** Sends all that is on its way. One tab of the browser does it at a time, and another one goes on when it is closed. */
export async function sendAll(): Promise<void> {
  if (isRunning || !areKnown() || !hasWork.peek()) return;
  isRunning = true;
  clearTimeout(retry);
  let until: number | undefined;
  try {
    const lock = `papergate-sending ${organizationId.peek()}`;
    until =
      navigator.locks === undefined ? await work(false) : await navigator.locks.request(lock, async () => work(true));
  } finally {
    isRunning = false;
  }
  if (until === undefined) tellSent();
  // What was added as this ended is not forgotten.
  if (hasWork.peek()) retry = setTimeout(() => void sendAll(), Math.max(soonMs, (until ?? 0) - Date.now()));
}

function work(isAlone: boolean): Promise<number | undefined> {
  const organization = organizationId.peek();
  return workOutbox<Sending>({
    me,
    isAlone,
    now: Date.now,
    isOver: () => organization !== organizationId.peek(),
    change: boundOutbox(),
    isThere: isServiceThere,
    send,
    show,
    takeBack: async ({ undo }) => (undo === undefined ? undefined : takeBack(undo)),
    every(ms, run) {
      const timer = setInterval(run, ms);
      return () => clearInterval(timer);
    },
  });
}

async function send(row: Sending): Promise<Outcome<Sending>> {
  const target = targetOf(row);
  const draft = await bringDraft(row.draft, true).catch(() => undefined);
  if (draft === undefined) return refusedWith('picture-gone');
  if (target === undefined) {
    say(t('send.placeGone'), { isProblem: true });
    return refusedWith('not-found');
  }
  const asking = new AbortController();
  current = { id: row.id, asking };
  const watch: Watch = {
    signal: asking.signal,
    note: (progress) => {
      progressOf.value = { id: row.id, ...progress };
    },
  };
  const shipment: Shipment = { draft, messageId: row.messageId, uploadBefore: row.before.upload };
  try {
    const sent =
      row.show === undefined
        ? deliver(shipment, target, watch)
        : deliverToShow(shipment, target, await albumOf(row.show, target), watch);
    const delivered = await sent.catch((error: unknown) => takenBefore(row, error));
    return noteDelivered(row, delivered, isTimed(draft.times.peek()));
  } catch (error) {
    return asking.signal.aborted ? { kind: 'left' } : failed(row, error);
  } finally {
    current = undefined;
    progressOf.value = undefined;
  }
}

const targetOf = ({ place }: Sending): Target | undefined => targets.peek().find(({ id }) => id === place);

/** It was sent before, drawn a little otherwise by this browser: the service has it. */
function takenBefore({ told, view, undo, sentId }: Sending, error: unknown): Delivered {
  if (asProblem(error).code !== 'message-id-used') throw error;
  return { view, told, undo, sentId };
}

function noteDelivered(row: Sending, { view, told, undo, sentId }: Delivered, isKept: boolean): Outcome<Sending> {
  if (isKept) void readTimed().catch(() => undefined);
  if (row.show === undefined) arrived([row]);
  const values = { view, undo, sentId, problem: undefined, at: Date.now(), ...(told.remark !== undefined && { told }) };
  return { kind: 'done', isTimed: isKept, values: () => values };
}

function arrived(rows: readonly Sending[]): void {
  sentNow.push(...rows.map(({ id }) => id));
  for (const { target } of rows) for (const device of target.frames) void rereadDevice(device);
}

/** The frame shows the album once its last picture has come. */
async function show(rows: readonly Sending[]): Promise<Outcome<Sending>> {
  const [first] = rows;
  const target = first && targetOf(first);
  if (first?.show === undefined || target === undefined) return refusedWith('not-found');
  const joins = first.show.albumId !== undefined;
  try {
    const { deviceId } = target;
    const albumId = await showAlbum(rows, first.show, target);
    arrived(rows);
    void readPicturePapers().catch(() => undefined);
    const values = ({ undo, before, at }: Sending): Partial<Sending> => ({
      problem: undefined,
      at: Math.max(at, Date.now()),
      undo: {
        kind: 'slideshow',
        deviceId,
        albumId,
        pictureId: undo?.kind === 'album' ? undo.pictureId : undefined,
        joins,
        paperBefore: before.paper === albumId ? null : before.paper,
        uploadBefore: before.upload,
      },
    });
    return { kind: 'done', values };
  } catch (error) {
    return failed(first, error);
  }
}

/** Returns whether a failure keeps a picture only for now: no network, no session, or a service that asks for patience. */
const isForNow = (status: number): boolean => [0, 401, 429, 502, 503, 504].includes(status);

function failed({ id }: Sending, error: unknown): Outcome<Sending> {
  const problem = asProblem(error);
  const values = { problem: asKept(problem) };
  if (problem.code !== 'unknown' && isForNow(problem.status)) {
    return { kind: 'later', values, pauseMs: (problem.retryAfterSeconds ?? 0) * 1_000 };
  }
  sentNow = sentNow.filter((one) => one !== id);
  say(t('send.failed', { count: 1 }), { isProblem: true });
  return { kind: 'refused', values };
}

const refusedWith = (code: string): Outcome<Sending> => ({
  kind: 'refused',
  values: { problem: asKept(new Problem(404, { code })) },
});

/** Says what was sent, with a way back. */
function tellSent(): void {
  const ids = sentNow;
  sentNow = [];
  const all = sendings.peek().filter(({ id }) => ids.includes(id));
  if (all.length === 0) return;
  const count = new Set(all.map(({ draft }) => draft)).size;
  const areKept = all.every(({ state }) => state === 'timed');
  const canUndo = all.some(({ undo }) => undo !== undefined);
  say(t(areKept ? 'send.kept' : 'send.done', { count }), canUndo ? { undo: () => undoSendings(ids) } : {});
}

/** Ends the upload of a picture that was called off, unless the service has all of it: then it is taken back. */
function endCalledOff(rows: readonly Sending[]): void {
  if (current === undefined || rows.some(({ id }) => id === current?.id)) return;
  const progress = progressOf.peek();
  const isWhole = progress?.id === current.id && progress.sent >= progress.total;
  if (!isWhole) current.asking.abort(new Error('called off'));
}

let isFollowing = false;

/** Goes on by itself from now on: when the network is back, when the service is, and when the frames are known. */
export function followNetwork(): void {
  if (isFollowing) return;
  isFollowing = true;
  addEventListener('online', () => void sendAll());
  onOutboxChange(() => void sendAll());
  effect(() => endCalledOff(sendings.value));
  effect(() => {
    const isReady = areKnown() && hasWork.value;
    // Every tab hears of the stream: it is there again with the service.
    if (isReady && (isLive.value || navigator.onLine)) queueMicrotask(() => void sendAll());
  });
}

/** Puts pictures into the outbox, and takes them out of it again. */
import { fleet } from '../ground/fleet.ts';
import { type Draft, newKey } from '../parts/drafts/drafts.ts';
import { bringDraft, keepNow } from '../parts/drafts/keep-drafts.ts';
import { smallView } from '../parts/drafts/small-view.ts';
import { newestUpload } from './newest-upload.ts';
import type { Plan, PlannedShow } from './plan.ts';
import { sendAll } from './send-queue.ts';
import { addSendings, forgetSending, type Sending, type Slideshow, sendings, tryAgain } from './sendings.ts';
import { dropAlbum } from './slideshow.ts';
import type { Target } from './targets.ts';
import { takeBack } from './undo.ts';

type NewRow = Omit<Sending, 'owner'>;

/** Starts sending: from here on it goes on by itself, also after a reload. */
export async function startSending(
  { pictures, shows }: Plan,
  slideshowOf: (show: PlannedShow) => Omit<Slideshow, 'id'>,
): Promise<void> {
  const [queuedAt, made] = [Date.now(), new Map(shows.map((one) => [one, { id: newKey(), ...slideshowOf(one) }]))];
  const rows: NewRow[] = [];
  const put = (draft: Draft, target: Target, show?: Slideshow): void => {
    rows.push(newRow(draft, target, { show, queuedAt, order: queuedAt + rows.length / 1_000 }));
  };
  for (const { draft, targets: alone } of pictures) {
    for (const target of alone) put(draft, target);
    for (const one of shows) if (one.drafts.includes(draft)) put(draft, one.target, made.get(one));
  }
  // Its crop and its words are kept before the outbox knows of it: the page may be gone in a moment.
  for (const { draft } of pictures) await keepNow(draft);
  await addSendings(rows);
  void sendAll();
}

function newRow(draft: Draft, target: Target, queued: Pick<Sending, 'show' | 'queuedAt' | 'order'>): NewRow {
  const { deviceId } = target;
  return {
    ...queued,
    id: `${draft.key} ${target.id}`,
    draft: draft.key,
    place: target.id,
    name: draft.name,
    caption: draft.caption.peek().trim(),
    target,
    showId: queued.show?.id,
    messageId: newKey(),
    view: smallView(draft),
    state: 'queued',
    hasArrived: false,
    tries: 0,
    notBefore: 0,
    lease: undefined,
    problem: undefined,
    told: draft.told,
    at: queued.queuedAt,
    sentId: undefined,
    before: { paper: fleet.peek().get(deviceId)?.paper?.id ?? null, upload: newestUpload(deviceId) },
    undo: undefined,
  };
}

/** Calls off a picture that is not on its frame yet; it is worked on again. */
export async function cancelSending(row: Sending): Promise<void> {
  await forgetSending(row.id);
  const draft = await bringDraft(row.draft, false);
  if (draft !== undefined) draft.targets.value = [...new Set([...draft.targets.peek(), row.place])];
  const { show, target } = row;
  const isLast = show !== undefined && sendings.peek().every(({ showId }) => showId !== show.id);
  if (isLast && show.albumId === undefined) await dropAlbum(show, target.deviceId);
  else if (row.undo !== undefined) await takeBack(row.undo);
}

/** Tries once more what used up its tries. */
export async function sendAgain({ id }: Sending): Promise<void> {
  await tryAgain(id);
  void sendAll();
}

/** Hands one picture to the service, for one place. */
import { callApi } from '../ground/call-api.ts';
import { type Progress, uploadApi } from '../ground/upload.ts';
import { fileOf, type RemarkShown } from '../parts/drafts/ask-readable.ts';
import { boundCrop } from '../parts/drafts/crop.ts';
import { cropFor, type Draft } from '../parts/drafts/drafts.ts';
import { pictureOf } from '../parts/drafts/draw-picture.ts';
import { isTimed, timeFields } from '../parts/drafts/show-times.ts';
import { askPreviews, bytesOfPreview, OtherSize } from './ask-preview.ts';
import type { Undo } from './sendings.ts';
import { type Target, targets } from './targets.ts';

/** A picture that the service accepted. */
export interface Delivered {
  readonly view: string;
  readonly told: RemarkShown;
  /** The id under which the service reports its progress on a glass. */
  readonly sentId: string | undefined;
  readonly undo: Undo | undefined;
}

/** How a delivery is watched, and called off. */
export interface Watch {
  readonly note: (progress: Progress) => void;
  readonly signal: AbortSignal;
}

/** The picture to send, and the name of its sending however often it is tried. */
export interface Shipment {
  readonly draft: Draft;
  readonly messageId: string;
  /** The frame's offer before, to which it goes back. */
  readonly uploadBefore: string | null;
}

/** Sends one picture; the preview goes with an own image, so that the glass shows exactly what was seen. */
export async function deliver(shipment: Shipment, given: Target, watch: Watch): Promise<Delivered> {
  const { draft, messageId, uploadBefore: uploadId } = shipment;
  const { target, picture, view } = await prepared(draft, given, watch.signal);
  if (target.paper?.isAlbum === true) return toAlbum(shipment, { albumId: target.paper.id, picture, view }, watch);
  const times = timeFields(draft.times.peek());
  const file = fileOf(picture, draft.name);
  const { note, signal } = watch;
  if (target.paper !== null) {
    const paperId = target.paper.id;
    const settings = JSON.stringify({ optimize: { enabled: true, intent: draft.intent.peek() } });
    const told = await uploadApi('POST /papers/uploadSingleImage/{paperId}', note, {
      path: { paperId },
      query: { messageId },
      form: { ...times, picture: [file], settings },
      signal,
    });
    const ofNow: Undo | undefined = told.skippedUpload
      ? undefined
      : { kind: 'paper', paperId, attemptId: told.uploadAttemptId };
    const { uploadAttemptId: sentId, timed } = told;
    return { view, told, sentId, undo: timed ? ofTimed(timed.id) : ofNow };
  }
  const told = await uploadApi('POST /devices/uploadSingleImage/{deviceId}', note, {
    path: { deviceId: target.deviceId },
    query: { messageId },
    form: { ...times, picture: [file], pictureDevice: fileOf(bytesOfPreview(view), 'ready.png') },
    signal,
  });
  const isSame = told.iotUpload?.skippedUpload === true;
  const { uuid } = told.deviceMeta;
  const ofNow: Undo | undefined =
    isSame || uploadId === null ? undefined : { kind: 'device', deviceId: target.deviceId, uuid, uploadId };
  const sentId = told.iotUpload?.uploadAttemptId;
  return { view, told, sentId, undo: isTimed(draft.times.peek()) && told.timed ? ofTimed(told.timed.id) : ofNow };
}

const ofTimed = (timedId: string): Undo => ({ kind: 'timed', timedId });

interface ForAlbum {
  readonly albumId: string;
  readonly picture: Blob;
  readonly view: string;
}

async function toAlbum(
  { draft, messageId }: Shipment,
  { albumId, picture, view }: ForAlbum,
  { note, signal }: Watch,
): Promise<Delivered> {
  const told = await uploadApi('POST /papers/{paperId}/pictures/', note, {
    path: { paperId: albumId },
    query: { messageId },
    form: {
      picture: fileOf(picture, draft.name),
      caption: draft.caption.peek().trim(),
      intent: draft.intent.peek(),
    },
    signal,
  });
  return { view, told, sentId: told.id, undo: { kind: 'album', paperId: albumId, pictureId: told.id } };
}

/** Sends a picture of a slideshow to the album behind it. */
export async function deliverToShow(
  shipment: Shipment,
  target: Target,
  albumId: string,
  watch: Watch,
): Promise<Delivered> {
  const { picture, view } = await prepared(shipment.draft, target, watch.signal);
  return toAlbum(shipment, { albumId, picture, view }, watch);
}

/** Makes the picture and its preview; a second time where the device's own images turn out to have another size. */
async function prepared(
  draft: Draft,
  target: Target,
  signal: AbortSignal,
  isAgain = false,
): Promise<{ target: Target; picture: Blob; view: string }> {
  const intent = draft.intent.peek();
  const panel = target.size;
  const crop = boundCrop(draft.size, panel, cropFor(draft, panel));
  const looks = { crop, caption: draft.caption.peek(), captionAt: draft.captionAt.peek() };
  const picture = await pictureOf(draft, { panel, ...looks, signal });
  try {
    const view = (await askPreviews(target, picture, [intent], signal))[intent] ?? '';
    return { target, picture, view };
  } catch (error) {
    const corrected = targets.peek().find(({ id }) => id === target.id);
    if (!(error instanceof OtherSize) || corrected === undefined || isAgain) throw error;
    return prepared(draft, corrected, signal, true);
  }
}

/** Asks whether the service is there. */
export const isServiceThere = (): Promise<boolean> =>
  callApi('GET /sessions/current').then(
    () => true,
    () => false,
  );

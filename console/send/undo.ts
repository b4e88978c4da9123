/** Takes back what was sent: what was there before comes to the wall again. */
import { callApi } from '../ground/call-api.ts';
import { fleet, rereadDevice } from '../ground/fleet.ts';
import { t } from '../ground/words.ts';
import { readTimed } from '../parts/timed-list.tsx';
import { changeSending, type Sending, sendings, type Undo, type UndoSlideshow } from './sendings.ts';
import { evidenceOf } from './sent-evidence.ts';

/** Takes one thing back at the service. */
export async function takeBack(undo: Undo): Promise<void> {
  if (undo.kind === 'paper') {
    const { paperId, attemptId } = undo;
    await callApi('DELETE /papers/{paperId}/uploads/{attemptId}', { path: { paperId, attemptId } });
  } else if (undo.kind === 'device') {
    const { deviceId, uuid, uploadId } = undo;
    await callApi('POST /devices/{deviceId}/show-again', { path: { deviceId }, body: { uploadId, insteadOf: uuid } });
  } else if (undo.kind === 'album') {
    const { paperId, pictureId } = undo;
    await callApi('DELETE /papers/{paperId}/pictures/{pictureId}', { path: { paperId, pictureId } });
  } else if (undo.kind === 'timed') {
    await callApi('DELETE /timed-pictures/{timedId}', { path: { timedId: undo.timedId } });
    await readTimed();
  } else await takeSlideshowBack(undo);
}

async function takeSlideshowBack(undo: UndoSlideshow): Promise<void> {
  const { deviceId, albumId, pictureId, joins, paperBefore, uploadBefore } = undo;
  const path = { deviceId };
  if (fleet.peek().get(deviceId)?.paper?.id === albumId) {
    await callApi('POST /devices/{deviceId}', { path, body: { paper: paperBefore } });
    // An image of the frame's own is nobody's paper: it is shown again by its name in the frame's log.
    if (paperBefore === null && uploadBefore !== null)
      await callApi('POST /devices/{deviceId}/show-again', { path, body: { uploadId: uploadBefore } });
    await rereadDevice(deviceId);
  }
  if (!joins) await callApi('DELETE /papers/{paperId}', { path: { paperId: albumId } });
  else if (pictureId !== undefined)
    await callApi('DELETE /papers/{paperId}/pictures/{pictureId}', { path: { paperId: albumId, pictureId } });
}

const nameOf = ({ target }: Sending): string => target.name || t('frame.noName');

/**
 * Takes pictures back, the newest first. Pictures that take turns go together.
 * @returns a sentence about what the wall shows next
 */
export async function undoSendings(ids: readonly string[]): Promise<string> {
  const all = sendings.peek().filter(({ id, undo }) => ids.includes(id) && undo !== undefined);
  const wereSeen = all.filter((sending) =>
    sending.target.frames.some((device) => evidenceOf(sending, device)?.state === 'on-glass'),
  );
  const done = new Set<string>();
  for (const sending of all) {
    const { undo } = sending;
    if (undo === undefined) continue;
    const what = undo.kind === 'slideshow' && !undo.joins ? undo.albumId : sending.id;
    if (!done.has(what)) await takeBack(undo);
    done.add(what);
    await changeSending(sending.id, { state: 'undone', undo: undefined });
    for (const device of sending.target.frames) void rereadDevice(device);
  }
  const [seen] = wereSeen;
  return seen === undefined ? t('send.undone') : t('send.undoneLate', { name: nameOf(seen) });
}

/** The ids of the pictures that are taken back together with one. */
export function undoneWith({ id, undo, showId }: Sending): readonly string[] {
  if (undo?.kind !== 'slideshow') return [id];
  return sendings
    .peek()
    .filter((one) => one.undo?.kind === 'slideshow' && one.showId === showId)
    .map((one) => one.id);
}

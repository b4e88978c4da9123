/** The album behind pictures that take turns on a frame: made once, shown when all are in it, removed when nothing came. */
import { type BodyOf, callApi, Problem } from '../ground/call-api.ts';
import { fleet, rereadDevice } from '../ground/fleet.ts';
import { organizationId } from '../ground/session.ts';
import { languageForFrames } from '../ground/words.ts';
import type { Sending, Slideshow } from './sendings.ts';
import type { Target } from './targets.ts';

/** The albums by the ids of their slideshows, as far as this page has seen them. */
const made = new Map<string, string>();

/** Finds the album of a slideshow: an answer that was lost on its way leaves one that this page does not know. */
async function findAlbum({ id, albumId }: Slideshow, deviceId: string): Promise<string | undefined> {
  const known = albumId ?? made.get(id);
  if (known !== undefined) return known;
  const { results } = await callApi('GET /papers/', { query: { deviceId, sortBy: 'createdAt:desc', limit: 100 } });
  return results.find(({ devicePaperId }) => devicePaperId === id)?.id;
}

/** Returns the album of a slideshow, which is made where there is none yet. */
export async function albumOf(show: Slideshow, { deviceId, orientation }: Target): Promise<string> {
  const found = await findAlbum(show, deviceId);
  if (found !== undefined) return remember(show, found);
  const body: BodyOf<'POST /papers/'> = {
    organization: organizationId.peek(),
    deviceId,
    kind: 'album',
    devicePaperId: show.id,
    meta: {
      title: show.title,
      // Without one of its own it hangs as the settings of the frame say: so the pictures were cut.
      ...(orientation !== undefined && { orientation }),
      ...(show.every !== 'wake' && { every: show.every }),
      language: languageForFrames(),
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    },
  };
  return remember(show, (await callApi('POST /papers/', { body })).id);
}

function remember({ id }: Slideshow, albumId: string): string {
  made.set(id, albumId);
  return albumId;
}

const pictureIn = ({ undo }: Sending): readonly string[] =>
  undo?.kind === 'album' || (undo?.kind === 'slideshow' && undo.pictureId !== undefined) ? [undo.pictureId ?? ''] : [];

/** Puts the pictures in front in the order in which they were chosen, not the last one first, and has the frame show all. */
export async function showAlbum(rows: readonly Sending[], show: Slideshow, target: Target): Promise<string> {
  const paperId = await albumOf(show, target);
  const first = [...rows].sort((one, other) => one.order - other.order).flatMap(pictureIn);
  const others = (await callApi('GET /papers/{paperId}/pictures/', { path: { paperId } })).map(({ id }) => id);
  const pictures = [...first, ...others.filter((id) => !first.includes(id))];
  await callApi('POST /papers/{paperId}/pictures/order', { path: { paperId }, body: { pictures } });
  const { deviceId } = target;
  await callApi('POST /devices/{deviceId}', { path: { deviceId }, body: { paper: paperId } });
  await rereadDevice(deviceId);
  return paperId;
}

/** Removes the album of a slideshow of which nothing is sent any longer; one that others had begun stays. */
export async function dropAlbum(show: Slideshow, deviceId: string): Promise<void> {
  if (show.albumId !== undefined) return;
  const albumId = await findAlbum(show, deviceId);
  if (albumId === undefined) return;
  made.delete(show.id);
  // The first paper of a frame is selected by itself.
  if (fleet.peek().get(deviceId)?.paper?.id === albumId)
    await callApi('POST /devices/{deviceId}', { path: { deviceId }, body: { paper: null } });
  await callApi('DELETE /papers/{paperId}', { path: { paperId: albumId } }).catch((error: unknown) => {
    if (!(error instanceof Problem && error.status === 404)) throw error;
  });
}

/** The album behind pictures that take turns on a frame: made once, shown when all are in it, removed when nothing came. */
import { type BodyOf, callApi, Problem } from '../ground/call-api.ts';
import { fleet, rereadDevice } from '../ground/fleet.ts';
import { organizationId } from '../ground/session.ts';
import { languageForFrames } from '../ground/words.ts';
import type { Slideshow } from '../parts/drafts/drafts.ts';
import { newestUpload } from './deliver.ts';
import type { UndoSlideshow } from './sendings.ts';
import type { Target } from './targets.ts';

/** The albums by the ids of their slideshows, as far as this page has seen them. */
const made = new Map<string, string>();

/** Finds the album of a slideshow: an answer that was lost on its way leaves one that this page does not know. */
async function findAlbum({ id, place }: Slideshow): Promise<string | undefined> {
  const known = made.get(id);
  if (known !== undefined) return known;
  const deviceId = place.replace(/^frame:/, '');
  const { results } = await callApi('GET /papers/', { query: { deviceId, sortBy: 'createdAt:desc', limit: 100 } });
  return results.find(({ devicePaperId }) => devicePaperId === id)?.id;
}

/** Returns the album of a slideshow, which is made where there is none yet. */
export async function albumOf(show: Slideshow, { deviceId, orientation }: Target): Promise<string> {
  const found = await findAlbum(show);
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

/** Has the frame show the album, and returns what it had before. */
export async function showAlbum(albumId: string, { deviceId }: Target): Promise<UndoSlideshow> {
  const selected = fleet.peek().get(deviceId)?.paper?.id ?? null;
  const paperBefore = selected === albumId ? null : selected;
  const uploadBefore = newestUpload(deviceId);
  await callApi('POST /devices/{deviceId}', { path: { deviceId }, body: { paper: albumId } });
  await rereadDevice(deviceId);
  return { deviceId, albumId, paperBefore, uploadBefore };
}

/** Removes the album of a slideshow of which nothing is sent any more. */
export async function dropAlbum(show: Slideshow): Promise<void> {
  const albumId = await findAlbum(show);
  if (albumId === undefined) return;
  made.delete(show.id);
  // The first paper of a frame is selected by itself.
  const deviceId = show.place.replace(/^frame:/, '');
  if (fleet.peek().get(deviceId)?.paper?.id === albumId)
    await callApi('POST /devices/{deviceId}', { path: { deviceId }, body: { paper: null } });
  await callApi('DELETE /papers/{paperId}', { path: { paperId: albumId } }).catch((error: unknown) => {
    if (!(error instanceof Problem && error.status === 404)) throw error;
  });
}

/** The picture of a place: the newest one of a frame or paper, the first ones of an album. */
import { type ApiPath, callApi, pathOf } from '../ground/call-api.ts';
import { fleet } from '../ground/fleet.ts';
import { picturePapers } from '../ground/picture-papers.ts';
import { useResource } from '../ground/resource.ts';
import { uploadPicture } from '../parts/frame-words.ts';
import { ApiPicture } from '../parts/picture.tsx';
import type { Target } from './targets.ts';

interface PlaceProps {
  readonly target: Target;
}

/** Draws it; an album that no frame shows is known by its pictures. */
export const PlacePicture = ({ target }: PlaceProps) => {
  if (target.id.startsWith('paper:') && target.paper?.isAlbum === true)
    return <FirstPictures target={target} albumId={target.paper.id} />;
  const path = pictureOfPlace(target);
  return path === null ? <span class="picture" /> : <ApiPicture path={path} alt="" size={target.size} />;
};

/** Returns the picture that comes to the wall next, else the one that is there. */
function pictureOfPlace({ id, deviceId, paper }: Target): ApiPath | null {
  if (id.startsWith('paper:')) {
    const listed = picturePapers.value.find((one) => one.id === paper?.id);
    const isThere = listed?.imageUpdatedAt !== undefined && paper !== null;
    return isThere ? pathOf('GET /papers/{paperId}', { paperId: paper.id }, { kind: 'thumbnail.jpg' }) : null;
  }
  const device = fleet.value.get(deviceId);
  const uploadId = device?.due?.uploadId ?? device?.glass?.uploadId;
  return uploadId == null ? null : uploadPicture(deviceId, uploadId);
}

/** So many thumbnails distinguish two albums. */
const maxShown = 4;

const FirstPictures = ({ target: { size }, albumId }: PlaceProps & { readonly albumId: string }) => {
  const path = { paperId: albumId };
  const pictures = useResource(
    (signal) => callApi('GET /papers/{paperId}/pictures/', { path, signal }),
    [albumId, picturePapers.value],
  );
  const shown = (pictures.value ?? []).slice(0, maxShown);
  if (shown.length === 0) return <span class="picture" />;
  return (
    <span class={shown.length > 1 ? 'first-pictures several-pictures' : 'first-pictures'}>
      {shown.map(({ id }) => (
        <ApiPicture
          key={id}
          path={pathOf('GET /papers/{paperId}/pictures/{pictureId}', { ...path, pictureId: id })}
          alt=""
          size={size}
        />
      ))}
    </span>
  );
};

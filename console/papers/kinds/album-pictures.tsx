/** The pictures of an album: who sent each, how far it is, their order, and taking one out. */
import { useSignal } from '@preact/signals';
import { type AnswerOf, callApi, pathOf } from '../../ground/call-api.ts';
import { framesShowing, type Paper, sizeOf } from '../../ground/paper-book.ts';
import { useResource } from '../../ground/resource.ts';
import { hrefOf } from '../../ground/router.ts';
import { clockTime, fullTime } from '../../ground/times.ts';
import { usePaperVersion } from '../../ground/versions.ts';
import { t, tCode } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import { confirmed } from '../../parts/forms/confirm.tsx';
import { act } from '../../parts/messages.tsx';
import { ApiPicture } from '../../parts/picture.tsx';
import { OrderedList } from '../draft/ordered-list.tsx';

type AlbumPicture = AnswerOf<'GET /papers/{paperId}/pictures/'>[number];

/** Says how far a picture is, in one line. */
export function pictureLine({ state, since }: Pick<AlbumPicture, 'state' | 'since'>): string {
  return t(`sent.${state}`, { time: since === null ? '' : clockTime(since) });
}

/** More than this many are shown when somebody asks for them. */
const fewPictures = 20;

/** Draws the pictures. The list follows the paper and the frames that show it. */
export const AlbumPictures = ({ paper }: { readonly paper: Paper }) => {
  const { id, updatedAt, imageUpdatedAt } = paper;
  const glasses = framesShowing(id).map(({ glass, due }) => `${glass?.uploadId} ${glass?.level} ${due?.uploadId}`);
  const path = { paperId: id };
  const version = usePaperVersion(id);
  const read = useResource<readonly AlbumPicture[]>(
    (signal) => callApi('GET /papers/{paperId}/pictures/', { path, signal }),
    [id, updatedAt, imageUpdatedAt, glasses.join(), version],
  );
  const isWhole = useSignal(false);
  const all = read.value ?? [];
  const shown = isWhole.value ? all : all.slice(0, fewPictures);
  const arrange = async (next: readonly AlbumPicture[]): Promise<void> => {
    const pictures = [...next, ...all.slice(shown.length)];
    const put = async (some: readonly AlbumPicture[]): Promise<void> => {
      read.put(some);
      await callApi('POST /papers/{paperId}/pictures/order', { path, body: { pictures: some.map((one) => one.id) } });
    };
    const back = (): Promise<void> => put(all);
    if (!(await act(() => put(pictures), t('album.ordered'), back))) await read.reload();
  };
  const remove = async (picture: AlbumPicture): Promise<void> => {
    const title = t('album.removeTitle', { name: picture.sender.name });
    if (!(await confirmed({ title, text: t('album.removeText'), yes: t('album.remove') }))) return;
    const call = () =>
      callApi('DELETE /papers/{paperId}/pictures/{pictureId}', { path: { ...path, pictureId: picture.id } });
    await act(call, t('album.removed'));
    await read.reload();
  };
  return (
    <Card id="album-pictures" title={t('album.pictures')} class="album" of={read}>
      <p>
        {read.value !== undefined && (all.length === 0 ? t('album.empty') : t('album.count', { count: all.length }))}{' '}
        <a href={hrefOf('send')}>{t('papers.sendPicture')}</a>
      </p>
      {all.length > 0 && (
        <OrderedList
          items={shown}
          label={t('album.pictures')}
          keyOf={(picture) => picture.id}
          nameOf={nameOfPicture}
          draw={(picture) => <PictureRow paper={paper} picture={picture} />}
          change={(next) => void arrange(next)}
          remove={(picture) => void remove(picture)}
        />
      )}
      {shown.length < all.length && (
        <button
          type="button"
          onClick={() => {
            isWhole.value = true;
          }}
        >
          {t('album.all', { count: all.length })}
        </button>
      )}
    </Card>
  );
};

const nameOfPicture = ({ caption, sender, sentAt }: AlbumPicture): string =>
  caption === '' ? t('album.pictureOf', { name: sender.name, time: clockTime(sentAt) }) : caption;

const PictureRow = ({ paper, picture }: { readonly paper: Paper; readonly picture: AlbumPicture }) => {
  const { id, caption, sender, sentAt, state } = picture;
  return (
    <div class="album-picture">
      <ApiPicture
        path={pathOf('GET /papers/{paperId}/pictures/{pictureId}', { paperId: paper.id, pictureId: id })}
        alt={nameOfPicture(picture)}
        size={sizeOf(paper)}
      />
      <div>
        <p>
          <strong dir="auto">{sender.name}</strong>{' '}
          <span class="note" title={fullTime(sentAt)}>
            {tCode('album.by', sender.way, { time: clockTime(sentAt) })}
          </span>
        </p>
        {caption !== '' && <p dir="auto">{caption}</p>}
        <p class={state === 'on-glass' ? 'line done' : 'line'}>{pictureLine(picture)}</p>
      </div>
    </div>
  );
};

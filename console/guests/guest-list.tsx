/** The pictures of a guest, and how far each is, up to the proof on the glass. */

import { useSignal } from '@preact/signals';
import { type AnswerOf, pathOf } from '../ground/call-api.ts';
import { clockTime, fullTime } from '../ground/times.ts';
import { t } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { Icon } from '../parts/icon.tsx';
import { ApiPicture } from '../parts/picture.tsx';
import { sentLine } from '../parts/sent-words.ts';
import { guest, guestHeaders, guestPictures } from './guest-link.ts';

type GuestPicture = AnswerOf<'GET /guest/pictures/'>[number];

/** Draws the list; before the first picture it says what will stand here. */
export const GuestList = () => (
  <Card id="guest-sent" title={t('guest.sent')}>
    {guestPictures.value.length === 0 ? (
      <p class="note">{t('guest.nothingSent')}</p>
    ) : (
      <ul class="guest-list" aria-live="polite">
        {guestPictures.value.map((picture) => (
          <GuestRow key={picture.id} picture={picture} />
        ))}
      </ul>
    )}
  </Card>
);

const GuestRow = ({ picture }: { readonly picture: GuestPicture }) => {
  const { id, caption, sentAt, state } = picture;
  const isOpen = useSignal(false);
  const { width, height } = guest.value?.panel ?? { width: 800, height: 480 };
  const name = caption === '' ? t('guest.pictureOf', { time: clockTime(sentAt) }) : caption;
  const isDone = state === 'on-glass';
  // Nothing is drawn for a panel before a frame was given the picture.
  const hasResult = guest.value?.showsResult === true && state !== 'accepted' && state !== 'replaced';
  return (
    <li>
      <div class="thumb">
        <ApiPicture
          path={pathOf('GET /guest/pictures/{pictureId}', { pictureId: id })}
          alt={name}
          size={[width, height]}
          headers={guestHeaders()}
        />
      </div>
      <div class="about">
        <p class="name" dir="auto">
          {name}
        </p>
        <p class="note" title={fullTime(sentAt)}>
          {t('guest.sentAt', { time: clockTime(sentAt) })}
        </p>
        <p class={isDone ? 'line done' : 'line'}>
          {isDone && <Icon name="check" />}
          <span>{sentLine(picture)}</span>
        </p>
        {hasResult && (
          <button
            type="button"
            class="plain"
            aria-expanded={isOpen.value}
            onClick={() => {
              isOpen.value = !isOpen.value;
            }}
          >
            {isOpen.value ? t('guest.hideResult') : t('guest.showResult')}
          </button>
        )}
      </div>
      {hasResult && isOpen.value && (
        <figure class="result">
          <ApiPicture
            path={pathOf('GET /guest/pictures/{pictureId}', { pictureId: id }, { kind: '.png' })}
            alt={t('guest.result', { name })}
            size={[width, height]}
            headers={guestHeaders()}
          />
          <figcaption class="note">{t('guest.resultHint')}</figcaption>
        </figure>
      )}
    </li>
  );
};

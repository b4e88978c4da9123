/** The settings of an album: what is shown after the picture that came last. */
import type { ComponentType } from 'preact';
import { t } from '../ground/words.ts';
import type { PaperDraft } from './paper-draft.ts';

const orders = ['turn', 'random', 'newest'] as const;
type AlbumOrder = (typeof orders)[number];

/** Draws the choice of the order. */
export const AlbumFields: ComponentType<{ readonly draft: PaperDraft }> = ({ draft }) => {
  const stored = draft.text('order');
  const order: AlbumOrder = stored === 'random' || stored === 'newest' ? stored : 'turn';
  return (
    <fieldset class="part album-orders">
      <legend>{t('album.order')}</legend>
      {orders.map((name) => (
        <label key={name} class="check">
          <input
            type="radio"
            name="album-order"
            checked={order === name}
            onChange={() => draft.set('order', name === 'turn' ? undefined : name)}
          />
          <span>{t(`album.order.${name}`)}</span>
        </label>
      ))}
    </fieldset>
  );
};

/** The settings of an album: what is shown after the picture that came last, and for how long. */
import { t } from '../../ground/words.ts';
import { bound } from '../../parts/bound.ts';
import { ChoiceField } from '../../parts/forms/choice-field.tsx';
import type { PaperDraft } from '../draft/paper-draft.ts';
import { sourcesOf } from '../sources/sources-book.ts';
import { CaptionsField, FilledFields } from './filled-fields.tsx';

const ownOrders = ['turn', 'random', 'newest'] as const;
/** The orders of an album that is filled from elsewhere, where the day of the capture is known. */
const filledOrders = ['random', 'turn', 'captured', 'onThisDay', 'newest'] as const;
type AlbumOrder = (typeof filledOrders)[number];

const hours = [1, 2, 3, 6, 12] as const;

/** Returns the pace of a choice: a day, a number of hours, or nothing for every wake. */
const paceOf = (choice: string): unknown => (choice === 'wake' ? undefined : choice === 'day' ? 'day' : Number(choice));

/** Draws how often the picture changes. A pace that was set elsewhere is among the choices. */
const PaceField = ({ draft }: { readonly draft: PaperDraft }) => {
  const stored = draft.text('every');
  const pace = bound(stored === '' ? 'wake' : stored, (choice) => draft.set('every', paceOf(choice)));
  const own = Number(stored);
  const counts = [...hours.filter((count) => count !== own), ...(own > 0 ? [own] : [])].sort((a, b) => a - b);
  return (
    <ChoiceField
      label={t('album.every')}
      value={pace}
      choices={[
        ['wake', t('album.every.wake')],
        ...counts.map((count) => [String(count), t('album.every.hours', { count })] as const),
        ['day', t('album.every.day')],
      ]}
    />
  );
};

/** Draws the choice of the order and, where others follow, of the pace; of a filled album also what it shows. */
export const AlbumFields = ({ draft }: { readonly draft: PaperDraft }) => {
  const stored = draft.text('order');
  const isFilled = (sourcesOf(draft.base.value.id)?.length ?? 0) > 0;
  const orders: readonly AlbumOrder[] = isFilled ? filledOrders : ownOrders;
  const order = orders.find((name) => name === stored) ?? 'turn';
  return (
    <>
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
      {order !== 'newest' && <PaceField draft={draft} />}
      {isFilled && <FilledFields draft={draft} />}
      <CaptionsField draft={draft} />
    </>
  );
};

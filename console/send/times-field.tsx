/** When a picture is shown: now, at a time, until a time, in the viewer's zone. */
import { useId } from 'preact/hooks';
import { now } from '../ground/times.ts';
import { t } from '../ground/words.ts';
import { type Draft, setFromHere } from '../parts/drafts/drafts.ts';
import { isTimed, localField, type ShowTimes, timesTrouble } from '../parts/drafts/show-times.ts';

const hourMs = 3_600_000;

/** The next whole hour from a moment on. */
const wholeHour = (from: number): string => localField(new Date(Math.ceil(from / hourMs) * hourMs));

/** Draws the fields. */
export const TimesField = ({ draft }: { readonly draft: Draft }) => {
  const id = useId();
  const { begins, from, ends, until } = draft.times.value;
  const trouble = timesTrouble(draft.times.value, now.value);
  const set = (change: Partial<ShowTimes>): void => {
    setFromHere(draft, 'times', { ...draft.times.value, ...change });
  };
  return (
    <details class="when" open={isTimed(draft.times.value)}>
      <summary>{t('send.when')}</summary>
      <fieldset>
        <legend class="visually-hidden">{t('send.when')}</legend>
        <label class="check">
          <input type="radio" name={id} checked={begins === 'now'} onChange={() => set({ begins: 'now' })} />
          <span>{t('send.now')}</span>
        </label>
        <label class="check">
          <input
            type="radio"
            name={id}
            checked={begins === 'at'}
            onChange={() => set({ begins: 'at', from: from || wholeHour(Date.now()) })}
          />
          <span>{t('send.at')}</span>
        </label>
        {begins === 'at' && (
          <input
            type="datetime-local"
            aria-label={t('send.from')}
            value={from}
            onInput={(event) => set({ from: event.currentTarget.value })}
          />
        )}
        <label class="check">
          <input
            type="checkbox"
            checked={ends}
            onChange={() =>
              set({ ends: !ends, until: until || wholeHour((new Date(from).getTime() || Date.now()) + hourMs) })
            }
          />
          <span>{t('send.until')}</span>
        </label>
        {ends && (
          <input
            type="datetime-local"
            aria-label={t('send.untilTime')}
            value={until}
            onInput={(event) => set({ until: event.currentTarget.value })}
          />
        )}
        {ends && <p class="note">{t('send.untilHint')}</p>}
        <p class="warn" role="status">
          {trouble === undefined ? '' : t(`send.times.${trouble}`)}
        </p>
      </fieldset>
    </details>
  );
};

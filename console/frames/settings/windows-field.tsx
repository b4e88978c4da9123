/** The part of the form with the update windows. */
import type { Signal } from '@preact/signals';
import { language, t } from '../../ground/words.ts';
import { bound } from '../../parts/bound.ts';
import { CheckField } from '../../parts/forms/choice-field.tsx';
import { type FormSchedule, type FormWindow, weekdays } from './update-windows.ts';

const firstWindow: FormWindow = { from: '07:00', to: '22:00', days: weekdays };

/** Draws whether the frame keeps windows, and which. */
export const WindowsField = ({ schedule }: { readonly schedule: Signal<FormSchedule> }) => {
  const { enabled, windows, others, timezone } = schedule.value;
  const put = (change: Partial<FormSchedule>): void => {
    schedule.value = { ...schedule.value, ...change };
  };
  const change = (at: number, given: Partial<FormWindow>): void =>
    put({ windows: windows.map((one, index) => (index === at ? { ...one, ...given } : one)) });
  return (
    <fieldset class="windows">
      <legend class="visually-hidden">{t('windows.title')}</legend>
      <CheckField
        label={t('windows.only')}
        value={bound(enabled, (isOn) =>
          put({ enabled: isOn, ...(isOn && windows.length + others.length === 0 && { windows: [firstWindow] }) }),
        )}
      />
      {enabled && (
        <>
          {windows.map((window, at) => (
            <OneWindow
              key={at}
              window={window}
              place={at + 1}
              change={(given) => change(at, given)}
              remove={() => put({ windows: windows.filter((_, index) => index !== at) })}
            />
          ))}
          {others.length > 0 && <p class="note">{t('windows.others', { count: others.length })}</p>}
          {windows.length + others.length === 0 && <p class="warn">{t('windows.none')}</p>}
          <button type="button" onClick={() => put({ windows: [...windows, firstWindow] })}>
            {t('windows.add')}
          </button>
          <p class="note">{t('windows.zone', { zone: timezone })}</p>
        </>
      )}
    </fieldset>
  );
};

const OneWindow = ({
  window: { from, to, days },
  place,
  change,
  remove,
}: {
  readonly window: FormWindow;
  readonly place: number;
  readonly change: (given: Partial<FormWindow>) => void;
  readonly remove: () => void;
}) => (
  <fieldset class="window">
    <legend>{t('windows.one', { place })}</legend>
    <div class="times">
      <label>
        <span>{t('windows.from')}</span>
        <input type="time" required value={from} onInput={(event) => change({ from: event.currentTarget.value })} />
      </label>
      <label>
        <span>{t('windows.to')}</span>
        <input type="time" required value={to} onInput={(event) => change({ to: event.currentTarget.value })} />
      </label>
      <button type="button" aria-label={t('windows.removeNamed', { place })} onClick={remove}>
        {t('windows.remove')}
      </button>
    </div>
    <div class="choice">
      {weekdays.map((day, index) => (
        <label key={day}>
          <input
            type="checkbox"
            checked={days.includes(day)}
            disabled={days.length === 1 && days.includes(day)}
            onChange={(event) => {
              const isOn = event.currentTarget.checked;
              change({ days: weekdays.filter((one) => (one === day ? isOn : days.includes(one))) });
            }}
          />
          <span>{nameOfDay(index)}</span>
        </label>
      ))}
    </div>
  </fieldset>
);

/** The short name of a weekday; the first of January 2024 was a Monday. */
const nameOfDay = (index: number): string =>
  new Intl.DateTimeFormat(language.value, { weekday: 'short', timeZone: 'UTC' }).format(Date.UTC(2024, 0, 1 + index));

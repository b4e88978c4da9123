/** The settings that many frames are given at once. What is left alone stays as each of them has it. */
import { type Signal, useSignal } from '@preact/signals';
import { t } from '../../ground/words.ts';
import { CheckField, ChoiceField } from '../../parts/forms/choice-field.tsx';
import type { MetaFields } from './change-meta.ts';
import { SleepField } from './sleep-field.tsx';
import { type FormSchedule, readSchedule, writeSchedule } from './update-windows.ts';
import { WakesField } from './wakes-field.tsx';
import { WindowsField } from './windows-field.tsx';

/** The choices of a form; an empty text leaves a field alone. */
export interface CommonSettings {
  readonly sleep: Signal<string>;
  readonly wakes: Signal<string>;
  readonly orientation: Signal<string>;
  readonly setsWindows: Signal<boolean>;
  readonly schedule: Signal<FormSchedule>;
}

/** The choice that takes the bound away. */
const unbound = 'none';

/** The fields of meta that the form writes. */
const fieldNames = ['sleepTime', 'maxWakesPerDay', 'orientation', 'updateSchedule'] as const;

/** Returns the choices of a form that opens, from fields that are given already; fields of other names are left out. */
export function useCommonSettings(given: MetaFields = {}): CommonSettings {
  const textOf = (name: (typeof fieldNames)[number]): string => String(given[name] ?? '');
  return {
    sleep: useSignal(textOf('sleepTime')),
    wakes: useSignal(given.maxWakesPerDay === null ? unbound : textOf('maxWakesPerDay')),
    orientation: useSignal(textOf('orientation')),
    setsWindows: useSignal(given.updateSchedule !== undefined),
    schedule: useSignal(readSchedule(given.updateSchedule)),
  };
}

/** Returns the fields of meta that were chosen; null takes one away. */
export const writeCommonSettings = (draft: CommonSettings): MetaFields => ({
  ...(draft.sleep.value !== '' && { sleepTime: draft.sleep.value }),
  ...(draft.wakes.value !== '' && { maxWakesPerDay: draft.wakes.value === unbound ? null : draft.wakes.value }),
  ...(draft.orientation.value !== '' && { orientation: draft.orientation.value }),
  ...(draft.setsWindows.value && {
    updateSchedule: draft.schedule.value.enabled ? writeSchedule(draft.schedule.value) : null,
  }),
});

/** Returns fields of meta without those that the form writes. */
export const withoutCommonSettings = (given: MetaFields): MetaFields =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !fieldNames.some((one) => one === name)));

/** Draws the fields. */
export const CommonSettingsFields = ({ draft }: { readonly draft: CommonSettings }) => (
  <>
    <SleepField sleep={draft.sleep} none={t('several.asIs')} />
    <WakesField
      wakes={draft.wakes}
      first={[
        ['', t('several.asIs')],
        [unbound, t('settings.wakesNone')],
      ]}
    />
    <ChoiceField
      label={t('settings.orientation')}
      value={draft.orientation}
      choices={[
        ['', t('several.asIs')],
        ['portrait', t('settings.portrait')],
        ['landscape', t('settings.landscape')],
      ]}
    />
    <CheckField label={t('several.setWindows')} value={draft.setsWindows} />
    {draft.setsWindows.value && <WindowsField schedule={draft.schedule} />}
  </>
);

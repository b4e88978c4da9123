/** Sleep, times of waking and how they hang, for several frames. What is left alone stays as each of them has it. */
import { useSignal } from '@preact/signals';
import { t } from '../../ground/words.ts';
import { CheckField, ChoiceField } from '../../parts/forms/choice-field.tsx';
import { act } from '../../parts/messages.tsx';
import { startJob } from '../jobs/known-jobs.ts';
import { PaceFields, rulesOfPace, usePace } from '../jobs/pace-fields.tsx';
import type { MetaFields } from '../settings/change-meta.ts';
import { SleepField } from '../settings/sleep-field.tsx';
import { readSchedule, writeSchedule } from '../settings/update-windows.ts';
import { WakesField } from '../settings/wakes-field.tsx';
import { WindowsField } from '../settings/windows-field.tsx';
import { SeveralDialog, type SeveralProps } from './several-dialog.tsx';

/** The choice that takes the bound away. */
const unbound = 'none';

/** Draws the form. */
export const SettingsOfSeveral = ({ devices, close }: SeveralProps) => {
  const [sleep, wakes, orientation] = [useSignal(''), useSignal(''), useSignal('')];
  const setsWindows = useSignal(false);
  const schedule = useSignal(readSchedule(undefined));
  const fields: MetaFields = {
    ...(sleep.value !== '' && { sleepTime: sleep.value }),
    ...(wakes.value !== '' && { maxWakesPerDay: wakes.value === unbound ? null : wakes.value }),
    ...(orientation.value !== '' && { orientation: orientation.value }),
    ...(setsWindows.value && { updateSchedule: schedule.value.enabled ? writeSchedule(schedule.value) : null }),
  };
  const pace = usePace();
  const submit = () =>
    act(() => startJob({ meta: fields, devices: devices.map(({ id }) => id), ...rulesOfPace(pace) }));
  return (
    <SeveralDialog
      title={t('several.settings')}
      yes={t('several.change', { count: devices.length })}
      isEmpty={Object.keys(fields).length === 0}
      submit={submit}
      close={close}
    >
      <SleepField sleep={sleep} none={t('several.asIs')} />
      <WakesField
        wakes={wakes}
        first={[
          ['', t('several.asIs')],
          [unbound, t('settings.wakesNone')],
        ]}
      />
      <ChoiceField
        label={t('settings.orientation')}
        value={orientation}
        choices={[
          ['', t('several.asIs')],
          ['portrait', t('settings.portrait')],
          ['landscape', t('settings.landscape')],
        ]}
      />
      <CheckField label={t('several.setWindows')} value={setsWindows} />
      {setsWindows.value && <WindowsField schedule={schedule} />}
      <PaceFields pace={pace} />
    </SeveralDialog>
  );
};

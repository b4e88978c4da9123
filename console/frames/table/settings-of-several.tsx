/** Sleep, bounds and times of waking, and how they hang, for several frames. */
import { t } from '../../ground/words.ts';
import { act } from '../../parts/messages.tsx';
import { startJob } from '../jobs/known-jobs.ts';
import { PaceFields, rulesOfPace, usePace } from '../jobs/pace-fields.tsx';
import { CommonSettingsFields, useCommonSettings, writeCommonSettings } from '../settings/common-settings.tsx';
import { SeveralDialog, type SeveralProps } from './several-dialog.tsx';

/** Draws the form. */
export const SettingsOfSeveral = ({ devices, close }: SeveralProps) => {
  const [draft, pace] = [useCommonSettings(), usePace()];
  const meta = writeCommonSettings(draft);
  const submit = () => act(() => startJob({ meta, devices: devices.map(({ id }) => id), ...rulesOfPace(pace) }));
  return (
    <SeveralDialog
      title={t('several.settings')}
      yes={t('several.change', { count: devices.length })}
      isEmpty={Object.keys(meta).length === 0}
      submit={submit}
      close={close}
    >
      <CommonSettingsFields draft={draft} />
      <PaceFields pace={pace} />
    </SeveralDialog>
  );
};

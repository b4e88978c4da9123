/** A picture for several frames: it is uploaded once, and each frame shows it until its paper next offers something. */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { t } from '../../ground/words.ts';
import { act } from '../../parts/messages.tsx';
import { startPictureJob } from '../jobs/known-jobs.ts';
import { PaceFields, rulesOfPace, usePace } from '../jobs/pace-fields.tsx';
import { SeveralDialog, type SeveralProps } from './several-dialog.tsx';

/** Draws the form. */
export const PictureOfSeveral = ({ devices, close }: SeveralProps) => {
  const file = useSignal<File | undefined>(undefined);
  const [id, pace] = [useId(), usePace()];
  const submit = async (): Promise<void> => {
    const picture = file.value;
    if (picture === undefined) return;
    const wanted = { name: picture.name.slice(0, 120), devices: devices.map((one) => one.id), ...rulesOfPace(pace) };
    await act(() => startPictureJob(picture, wanted));
  };
  return (
    <SeveralDialog
      title={t('several.picture')}
      yes={t('several.show', { count: devices.length })}
      isEmpty={file.value === undefined}
      submit={submit}
      close={close}
    >
      <div class="field">
        <label for={id}>{t('several.picture')}</label>
        <input
          id={id}
          type="file"
          accept="image/*"
          onChange={(event) => {
            file.value = event.currentTarget.files?.[0];
          }}
        />
      </div>
      <PaceFields pace={pace} />
    </SeveralDialog>
  );
};

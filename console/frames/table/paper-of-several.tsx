/** The choice of what several frames show from now on. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { callApi } from '../../ground/call-api.ts';
import { followPapers, papers, papersState } from '../../ground/paper-book.ts';
import { t } from '../../ground/words.ts';
import { paperChoices } from '../../parts/forms/paper-choices.ts';
import { SearchChoice } from '../../parts/forms/search-choice.tsx';
import { Loading } from '../../parts/states.tsx';
import { changeSeveral } from './change-several.ts';
import { SeveralDialog, type SeveralProps } from './several-dialog.tsx';

const none = 'none';

/** Draws the form. */
export const PaperOfSeveral = ({ devices, close }: SeveralProps) => {
  useEffect(followPapers, []);
  const wanted = useSignal('');
  const choices = [{ value: none, word: t('choice.nothing') }, ...paperChoices(papers.value.values())];
  const show = (deviceId: string, paper: string | null) =>
    callApi('POST /devices/{deviceId}', { path: { deviceId }, body: { paper } });
  const submit = () =>
    changeSeveral(devices, async ({ id, paper }) => {
      await show(id, wanted.value === none ? null : wanted.value);
      return () => show(id, paper?.id ?? null);
    });
  return (
    <SeveralDialog
      title={t('several.paper')}
      yes={t('several.show', { count: devices.length })}
      isEmpty={wanted.value === ''}
      submit={submit}
      close={close}
    >
      {papersState.value.isLoaded ? (
        <SearchChoice label={t('several.paperField')} value={wanted} choices={choices} />
      ) : (
        <Loading />
      )}
    </SeveralDialog>
  );
};

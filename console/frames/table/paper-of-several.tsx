/** The choice of what several frames show from now on. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { followPapers, papers, papersState } from '../../ground/paper-book.ts';
import { t } from '../../ground/words.ts';
import { paperChoices } from '../../parts/forms/paper-choices.ts';
import { SearchChoice } from '../../parts/forms/search-choice.tsx';
import { act } from '../../parts/messages.tsx';
import { Loading } from '../../parts/states.tsx';
import { startJob } from '../jobs/known-jobs.ts';
import { PaceFields, rulesOfPace, usePace } from '../jobs/pace-fields.tsx';
import { SeveralDialog, type SeveralProps } from './several-dialog.tsx';

const none = 'none';

/** Draws the form. */
export const PaperOfSeveral = ({ devices, close }: SeveralProps) => {
  useEffect(followPapers, []);
  const wanted = useSignal('');
  const choices = [{ value: none, word: t('choice.nothing') }, ...paperChoices(papers.value.values())];
  const pace = usePace();
  const submit = () =>
    act(() =>
      startJob({
        name:
          wanted.value === none ? '' : (choices.find(({ value }) => value === wanted.value)?.word ?? '').slice(0, 120),
        paper: wanted.value === none ? null : wanted.value,
        devices: devices.map(({ id }) => id),
        ...rulesOfPace(pace),
      }),
    );
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
      <PaceFields pace={pace} />
    </SeveralDialog>
  );
};

/** The page of a sign-in link of an administrator, or one that came by mail. */
import { useSignal } from '@preact/signals';
import { callApi, type Problem } from '../ground/call-api.ts';
import { entryCode, forgetEntry } from '../ground/entry.ts';
import { asProblem, useResource } from '../ground/resource.ts';
import { enter } from '../ground/session.ts';
import { t } from '../ground/words.ts';
import { Form } from '../parts/forms/field.tsx';
import { LanguageSelect } from '../parts/forms/language-select.tsx';
import { Loading, ProblemBox } from '../parts/states.tsx';
import { StayField } from './stay-field.tsx';

/** Draws the page. A link that no longer works says so at once; one that works says where it leads before it does. */
export const OpenedLink = () => {
  const code = entryCode('link') ?? '';
  const seen = useResource((signal) => callApi('POST /sessions/link/look', { body: { code }, signal }), [code]);
  const refused = useSignal<Problem | undefined>(undefined);
  const stays = useSignal(false);
  const problem = refused.value ?? seen.problem;
  const isGone = problem?.status === 401;
  const use = async (): Promise<void> => {
    refused.value = undefined;
    try {
      await callApi('POST /sessions/link', { body: { code, stays: stays.value } });
      await enter();
    } catch (error) {
      refused.value = asProblem(error);
    }
  };
  return (
    <main class="sign-in">
      <h1>{t(isGone ? 'opened.gone' : 'opened.title')}</h1>
      {problem !== undefined && <ProblemBox problem={problem} {...(!isGone && { again: () => void seen.reload() })} />}
      {problem === undefined && seen.value === undefined && <Loading />}
      {!isGone && seen.value !== undefined && (
        <Form submit={use}>
          <p>{t('opened.intro', { name: seen.value.name ?? '', organization: seen.value.organization ?? '' })}</p>
          <StayField value={stays} />
          <button type="submit" class="primary">
            {t('signIn.enter')}
          </button>
        </Form>
      )}
      <button type="button" class="plain" onClick={forgetEntry}>
        {t(isGone ? 'opened.others' : 'state.cancel')}
      </button>
      <LanguageSelect class="language" />
    </main>
  );
};

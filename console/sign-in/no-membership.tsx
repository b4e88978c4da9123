/** The page of somebody who is signed in and is a member of no organization: it says so, and takes an invitation. */
import { useSignal } from '@preact/signals';
import { callApi, type Problem } from '../ground/call-api.ts';
import { asProblem } from '../ground/resource.ts';
import { findSession, me, signOut } from '../ground/session.ts';
import { t } from '../ground/words.ts';
import { Field, Form } from '../parts/forms/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { ProblemBox } from '../parts/states.tsx';

export const NoMembership = () => {
  const code = useSignal('');
  const problem = useSignal<Problem | undefined>(undefined);
  const act = async (deed: () => Promise<unknown>): Promise<void> => {
    problem.value = undefined;
    try {
      await deed();
    } catch (error) {
      problem.value = asProblem(error);
    }
  };
  const join = async (): Promise<void> => {
    await callApi('POST /users/join', { body: { inviteCode: code.value.trim() } });
    await findSession();
  };
  const { name, email, id } = me.value?.account ?? { id: '' };
  return (
    <main class="sign-in">
      <h1>
        <Icon name="brand" /> Papergate
      </h1>
      <h2>{t('noMembership.title')}</h2>
      <p>{t('noMembership.intro', { name: name || email || id })}</p>
      {problem.value && <ProblemBox problem={problem.value} />}
      <Form autocomplete="off" submit={() => act(join)}>
        <Field label={t('noMembership.code')} value={code} autocomplete="off" required />
        <button type="submit" class="primary" disabled={code.value.trim() === ''}>
          {t('noMembership.join')}
        </button>
      </Form>
      <button type="button" class="plain" onClick={() => void act(signOut)}>
        {t('account.signOut')}
      </button>
    </main>
  );
};

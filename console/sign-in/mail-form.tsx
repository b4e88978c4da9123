/** Asking for a sign-in link by mail. */
import { useSignal } from '@preact/signals';
import { callApi, type Problem } from '../ground/call-api.ts';
import { asProblem } from '../ground/resource.ts';
import { language, t } from '../ground/words.ts';
import { Field, Form } from '../parts/forms/field.tsx';
import { ProblemBox } from '../parts/states.tsx';

/** Draws the form. Its answer is the same for every address. */
export const MailForm = () => {
  const email = useSignal('');
  const sentTo = useSignal<string | undefined>(undefined);
  const problem = useSignal<Problem | undefined>(undefined);
  const send = async (): Promise<void> => {
    problem.value = undefined;
    const address = email.value.trim();
    try {
      await callApi('POST /sessions/mail', { body: { email: address, language: language.value } });
      sentTo.value = address;
    } catch (error) {
      problem.value = asProblem(error);
    }
  };
  return (
    <Form submit={send}>
      <Field label={t('signIn.mail')} value={email} type="email" autocomplete="email" required />
      <button type="submit">{t('signIn.mailDo')}</button>
      {sentTo.value !== undefined && <p role="status">{t('signIn.mailSent', { address: sentTo.value })}</p>}
      {problem.value && <ProblemBox problem={problem.value} />}
    </Form>
  );
};

/** The page of a service that nobody has set up: its link makes the first organization. */
import { useSignal } from '@preact/signals';
import { type BodyOf, callApi } from '../ground/call-api.ts';
import { entryCode } from '../ground/entry.ts';
import { useResource } from '../ground/resource.ts';
import { commandName, t } from '../ground/words.ts';
import { Field, Form } from '../parts/forms/field.tsx';
import { Loading, ProblemBox } from '../parts/states.tsx';
import { StayField } from './stay-field.tsx';

/** Draws the page. A link that no longer works says so at once, before anything is typed. */
export const FirstRun = ({ enter }: { readonly enter: (given: BodyOf<'POST /sessions/'>) => Promise<void> }) => {
  const [organization, name, email, stays] = [useSignal(''), useSignal(''), useSignal(''), useSignal(false)];
  const code = entryCode('code');
  const seen = useResource<unknown>(
    async (signal) => (code === undefined ? null : callApi('POST /sessions/link/look', { body: { code }, signal })),
    [code],
  );
  if (code === undefined || seen.problem?.status === 401) return <NeedsLink isUsed={code !== undefined} />;
  if (seen.problem !== undefined) return <ProblemBox problem={seen.problem} again={() => void seen.reload()} />;
  if (seen.value === undefined) return <Loading />;
  const begin = () =>
    enter({
      code,
      organizationName: organization.value,
      name: name.value,
      email: email.value,
      stays: stays.value,
    });
  return (
    <Form submit={begin}>
      <h2>{t('firstRun.title')}</h2>
      <p>{t('firstRun.intro')}</p>
      <Field label={t('firstRun.organization')} value={organization} hint={t('firstRun.organizationHint')} required />
      <Field label={t('firstRun.name')} value={name} autocomplete="name" required />
      <Field label={t('firstRun.email')} value={email} type="email" autocomplete="email" required />
      <StayField value={stays} />
      <button type="submit" class="primary">
        {t('firstRun.begin')}
      </button>
    </Form>
  );
};

const NeedsLink = ({ isUsed }: { readonly isUsed: boolean }) => (
  <>
    <h2>{t('firstRun.title')}</h2>
    {isUsed && (
      <p class="problem" role="alert">
        {t('firstRun.linkUsed')}
      </p>
    )}
    <p>{t('firstRun.needsLink')}</p>
    <pre>{commandName()} console</pre>
  </>
);

/** Joining an organization by the link of an invitation. */
import { useSignal } from '@preact/signals';
import { callApi } from '../ground/call-api.ts';
import { entryCode, forgetEntry } from '../ground/entry.ts';
import { useResource } from '../ground/resource.ts';
import { joinByInvitation, me, membership } from '../ground/session.ts';
import { t } from '../ground/words.ts';
import { Field, Form } from '../parts/forms/field.tsx';
import { LanguageSelect } from '../parts/forms/language-select.tsx';
import { act } from '../parts/messages.tsx';
import { Loading, ProblemBox } from '../parts/states.tsx';
import { StayField } from './stay-field.tsx';

/** The page of somebody who opened an invitation, signed in or not. A link that no longer works says so at once. */
export const Join = () => {
  const inviteCode = entryCode('invite') ?? '';
  const known = useResource(
    (signal) => callApi('POST /sessions/invitation', { body: { inviteCode }, signal }),
    [inviteCode],
  );
  const isGone = known.problem !== undefined && [400, 404].includes(known.problem.status);
  if (known.value !== undefined && known.problem === undefined)
    return <JoinForm organization={known.value.organization.name} />;
  return (
    <main class="sign-in">
      <h1>{t(isGone ? 'join.gone' : 'join.title')}</h1>
      {isGone && <p>{t('join.goneHint')}</p>}
      {known.problem === undefined && <Loading />}
      {known.problem !== undefined && !isGone && (
        <ProblemBox problem={known.problem} again={() => void known.reload()} />
      )}
      {known.problem !== undefined && (
        <div class="actions">
          <button type="button" onClick={forgetEntry}>
            {t('state.cancel')}
          </button>
        </div>
      )}
      <LanguageSelect class="language" />
    </main>
  );
};

const JoinForm = ({ organization }: { readonly organization: string }) => {
  const [name, stays] = [useSignal(''), useSignal(false)];
  const isNew = me.value === null;
  return (
    <main class="sign-in">
      <h1>{t('join.invites', { organization })}</h1>
      <p>{t('join.intro')}</p>
      <Form submit={() => act(() => joinByInvitation(name.value.trim(), stays.value))}>
        {isNew ? (
          <>
            <Field label={t('join.name')} value={name} autocomplete="name" required />
            <StayField value={stays} />
          </>
        ) : (
          <p class="note">{membership.value?.name}</p>
        )}
        <div class="actions">
          <button type="submit" class="primary">
            {t('join.do')}
          </button>
          <button type="button" onClick={forgetEntry}>
            {t('state.cancel')}
          </button>
        </div>
      </Form>
      <LanguageSelect class="language" />
    </main>
  );
};

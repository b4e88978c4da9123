/** Joining an organization by the link of an invitation. */
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { Field } from '../parts/field.tsx';
import { LanguageSelect } from '../parts/language-select.tsx';
import { act } from '../parts/messages.tsx';
import { invitation, joinByInvitation, me, membership } from '../session.ts';
import { t } from '../words.ts';

/** The page of somebody who opened an invitation, signed in or not. */
export const Join: ComponentType = () => {
  const [name, isBusy] = [useSignal(''), useSignal(false)];
  const isNew = me.value === null;
  const join = async (): Promise<void> => {
    isBusy.value = true;
    await act(() => joinByInvitation(name.value.trim()));
    isBusy.value = false;
  };
  return (
    <main class="sign-in">
      <h1>{t('join.title')}</h1>
      <p>{t('join.intro')}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void join();
        }}
      >
        {isNew ? (
          <Field label={t('join.name')} value={name} autocomplete="name" required />
        ) : (
          <p class="note">{membership.value?.name}</p>
        )}
        <div class="actions">
          <button type="submit" class="primary" disabled={isBusy.value}>
            {t('join.do')}
          </button>
          <button
            type="button"
            onClick={() => {
              invitation.value = undefined;
            }}
          >
            {t('state.cancel')}
          </button>
        </div>
      </form>
      <LanguageSelect class="language" />
    </main>
  );
};

/** A new sign-in link for a member who can no longer come in: shown once, to be passed on. */
import { useSignal } from '@preact/signals';
import { type AnswerOf, callApi } from '../ground/call-api.ts';
import { t } from '../ground/words.ts';
import { CopyField } from '../parts/forms/copy-field.tsx';
import { act } from '../parts/messages.tsx';
import { ReachWarning } from '../parts/reach.tsx';
import { ShareButton } from '../parts/share-button.tsx';

/** Draws the button, and the link once it was made. */
export const NewSignInLink = ({ userId, name }: { readonly userId: string; readonly name: string }) => {
  const made = useSignal<AnswerOf<'POST /users/{userId}/sign-in-link'> | undefined>(undefined);
  const make = (): Promise<boolean> =>
    act(async () => {
      made.value = await callApi('POST /users/{userId}/sign-in-link', { path: { userId } });
    });
  return (
    <>
      <button type="button" aria-label={t('people.newLinkFor', { name })} onClick={() => void make()}>
        {t('people.newLink')}
      </button>
      {made.value !== undefined && (
        <div class="wide new-sign-in-link">
          <p role="status">{t('people.newLinkMade', { name })}</p>
          <ReachWarning address={made.value.url} whom="people" />
          <CopyField label={t('people.newLinkOf', { name })} value={made.value.url} />
          <ShareButton
            label={t('people.shareLink')}
            title={t('people.shareTitle')}
            text={t('people.shareText', { name })}
            url={made.value.url}
          />
        </div>
      )}
    </>
  );
};

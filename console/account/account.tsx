/** One's own account: language, ways to sign in, sessions, signing out. */
import type { Screen } from '../ground/screen.ts';
import { me, signOut } from '../ground/session.ts';
import { t } from '../ground/words.ts';
import { countKept, forgetDraftsOf } from '../parts/drafts/keep-drafts.ts';
import { confirmed } from '../parts/forms/confirm.tsx';
import { LanguageSelect } from '../parts/forms/language-select.tsx';
import { act } from '../parts/messages.tsx';
import { useTitle } from '../parts/title.ts';
import { AccountLinks } from './account-links.tsx';
import { LetDeviceIn } from './let-device-in.tsx';
import { Passkeys } from './passkeys.tsx';
import { Sessions } from './sessions.tsx';

/** The account's page. */
export const Account: Screen = () => {
  useTitle(t('nav.account'));
  return (
    <>
      <div class="heading">
        <h1>{me.value?.account.name ?? t('nav.account')}</h1>
        <p class="note">{me.value?.account.email}</p>
        <button type="button" onClick={() => void leave()}>
          {t('account.signOut')}
        </button>
      </div>
      <section class="card">
        <LanguageSelect class="field" />
      </section>
      <Passkeys />
      <LetDeviceIn />
      <Sessions />
      <AccountLinks />
    </>
  );
};

/** Signs out. Pictures that were not sent yet are removed with it, after a confirmation. */
async function leave(): Promise<void> {
  const account = me.peek()?.account.id ?? '';
  const count = await countKept(account);
  const asked = { title: t('account.unsentTitle'), text: t('account.unsent', { count }), yes: t('account.signOut') };
  if (count > 0 && !(await confirmed(asked))) return;
  if (await act(signOut)) await forgetDraftsOf(account);
}

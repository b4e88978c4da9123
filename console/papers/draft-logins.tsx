/** A login for an address of a calendar that is not made yet: it is tried at once, and stored with the paper. */
import type { ComponentType } from 'preact';
import { t } from '../ground/words.ts';
import { isWholeLogin, LoginFields, readTypedLogin, useTypedLogin } from './login-fields.tsx';
import type { PaperDraft } from './paper-draft.ts';

interface DraftLoginsProps {
  readonly draft: PaperDraft;
  readonly address: string;
}

/** Draws the fields; the login goes to this address alone. */
export const DraftLogins: ComponentType<DraftLoginsProps> = ({ draft, address }) => {
  const typed = useTypedLogin();
  const use = (): void => {
    const login = { address, ...readTypedLogin(typed) };
    draft.logins.value = [...draft.logins.value.filter((other) => other.address !== address), login];
  };
  return (
    <details>
      <summary>{t('logins.needed')}</summary>
      <div class="line-form">
        <LoginFields login={typed} />
        <button type="button" disabled={!isWholeLogin(typed)} onClick={use}>
          {t('logins.tryIt')}
        </button>
      </div>
    </details>
  );
};

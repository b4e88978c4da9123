/** A login for an address of a paper that is not made yet: it is tried at once, and stored with the paper. */
import { useEffect } from 'preact/hooks';
import { t } from '../../ground/words.ts';
import { isWholeLogin, LoginFields, readTypedLogin, useTypedLogin } from './login-fields.tsx';
import { loginPlacesOf, loginsFor } from './login-places.ts';
import type { PaperDraft } from './paper-draft.ts';

/** Draws the fields; the login goes to the server of this address alone, and is not shown once it was taken. */
export const DraftLogins = ({ draft, address }: { readonly draft: PaperDraft; readonly address: string }) => {
  const typed = useTypedLogin();
  const [place] = loginPlacesOf({ url: address });
  const origin = place?.origin ?? '';
  // A secret that was typed for one server is not sent to another.
  useEffect(() => {
    typed.secret.value = '';
  }, [origin]);
  const all = draft.logins.value;
  const own = loginsFor({ url: address }, all);
  const put = (login?: (typeof all)[number]): void => {
    draft.logins.value = [...all.filter((other) => !own.includes(other)), ...(login === undefined ? [] : [login])];
    typed.secret.value = '';
  };
  return (
    // It stays as it was opened while the address is written.
    <details hidden={place === undefined}>
      <summary>{t('logins.needed')}</summary>
      <div class="paper-form">
        {origin.startsWith('http:') && <p class="warn">{t('logins.inTheClear')}</p>}
        {own.length > 0 && (
          <div class="actions">
            <span role="status">{t('logins.goesAlong', { origin })}</span>
            <button type="button" aria-label={t('logins.forgetNamed', { origin })} onClick={() => put()}>
              {t('logins.forget')}
            </button>
          </div>
        )}
        <div class="line-form">
          <LoginFields login={typed} />
          <button
            type="button"
            disabled={!isWholeLogin(typed)}
            onClick={() => put({ address: place?.address ?? '', ...readTypedLogin(typed) })}
          >
            {t('logins.tryIt')}
          </button>
        </div>
      </div>
    </details>
  );
};

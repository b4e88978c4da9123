/** Signing in with a passkey of this device, or of another one that the browser reaches. */
import { useSignal } from '@preact/signals';
import { callApi, type Problem } from '../ground/call-api.ts';
import { passkeyTrouble } from '../ground/passkeys.ts';
import { asProblem } from '../ground/resource.ts';
import { enter } from '../ground/session.ts';
import { t } from '../ground/words.ts';
import { Icon } from '../parts/icon.tsx';
import { ProblemBox } from '../parts/states.tsx';

/** Draws the button; where passkeys do not work it says why, and what would help. */
export const PasskeySignIn = ({ stays }: { readonly stays: boolean }) => {
  const problem = useSignal<Problem | undefined>(undefined);
  const hint = useSignal(false);
  const isBusy = useSignal(false);
  const trouble = passkeyTrouble();
  if (trouble !== undefined) return <p class="note">{t(`signIn.noPasskeys.${trouble}`)}</p>;
  const signIn = async (): Promise<void> => {
    problem.value = undefined;
    hint.value = false;
    isBusy.value = true;
    try {
      await signInByPasskey(stays);
    } catch (error) {
      // The person closed the window of the browser, or no device had a passkey.
      if (error instanceof Error && error.name === 'NotAllowedError') hint.value = true;
      else problem.value = asProblem(error);
    }
    isBusy.value = false;
  };
  return (
    <>
      <button type="button" class="primary" disabled={isBusy.value} onClick={() => void signIn()}>
        <Icon name="key" /> {t('signIn.passkey')}
      </button>
      {hint.value && <p role="status">{t('signIn.passkeyNotUsed')}</p>}
      {problem.value && <ProblemBox problem={problem.value} />}
    </>
  );
};

async function signInByPasskey(stays: boolean): Promise<void> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const optionsJSON = await callApi('POST /sessions/passkey/challenge');
  const response = await startAuthentication({ optionsJSON });
  await callApi('POST /sessions/passkey', { body: { response, stays } });
  await enter();
}

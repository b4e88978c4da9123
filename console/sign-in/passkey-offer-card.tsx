/** The offer of a passkey. */
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { callApi } from '../ground/call-api.ts';
import { useResource } from '../ground/resource.ts';
import { hrefOf } from '../ground/router.ts';
import { t } from '../ground/words.ts';
import { addPasskey } from '../parts/add-passkey.ts';
import { act, say } from '../parts/messages.tsx';

/** Draws it for somebody who has no passkey at this address. */
export const PasskeyOfferCard: ComponentType<{ readonly putOff: () => void }> = ({ putOff }) => {
  const passkeys = useResource((signal) => callApi('GET /passkeys/', { signal }), []);
  const isBusy = useSignal(false);
  if (passkeys.value === undefined || passkeys.value.some(({ worksHere }) => worksHere)) return null;
  const add = async (): Promise<void> => {
    isBusy.value = true;
    await act(async () => {
      const outcome = await addPasskey();
      if (outcome === 'left') return;
      say(t('passkeyOffer.added'));
      await passkeys.reload();
    });
    isBusy.value = false;
  };
  return (
    <section class="card offer" aria-labelledby="passkey-offer">
      <h2 id="passkey-offer">{t('passkeyOffer.title')}</h2>
      <p>{t('passkeyOffer.text')}</p>
      <div class="actions">
        <button type="button" class="primary" disabled={isBusy.value} onClick={() => void add()}>
          {t('passkeyOffer.add')}
        </button>
        <button type="button" onClick={putOff}>
          {t('passkeyOffer.later')}
        </button>
        <a href={hrefOf('account')}>{t('passkeyOffer.account')}</a>
      </div>
    </section>
  );
};

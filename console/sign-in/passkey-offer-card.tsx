/** The offer of a passkey. */
import { useSignal } from '@preact/signals';
import type { Schemas } from '../../client/contract.ts';
import { callApi } from '../ground/call-api.ts';
import { useResource } from '../ground/resource.ts';
import { hrefOf } from '../ground/router.ts';
import { me } from '../ground/session.ts';
import { t } from '../ground/words.ts';
import { addPasskey } from '../parts/add-passkey.ts';
import { act, say } from '../parts/messages.tsx';

type Passkey = Schemas['Passkey'];

/**
 * Whether somebody has a passkey for the next time. Anyone who was let in from another device has their passkeys there:
 * one that they added since is of this device.
 */
function isProvided(passkeys: readonly Passkey[], session: Schemas['Session'] | null | undefined): boolean {
  const here = passkeys.filter(({ worksHere }) => worksHere);
  return session?.way === 'pairing' ? here.some(({ createdAt }) => createdAt > session.createdAt) : here.length > 0;
}

/** Draws it for somebody who has no passkey at this address, or none on this device. */
export const PasskeyOfferCard = ({ putOff }: { readonly putOff: () => void }) => {
  const passkeys = useResource((signal) => callApi('GET /passkeys/', { signal }), []);
  const isBusy = useSignal(false);
  if (passkeys.value === undefined || isProvided(passkeys.value, me.value?.session)) return null;
  const add = async (): Promise<void> => {
    isBusy.value = true;
    await act(async () => {
      const outcome = await addPasskey();
      if (outcome === 'left') return;
      say(t('passkeyOffer.added'));
      if (outcome === 'there') putOff();
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

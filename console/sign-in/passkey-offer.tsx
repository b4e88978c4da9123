/** Offers a passkey to somebody who came in without one, calmly: it can be put off. */
import { signal } from '@preact/signals';
import { passkeyTrouble } from '../ground/passkeys.ts';
import { route } from '../ground/router.ts';
import { me } from '../ground/session.ts';
import { later } from '../parts/later.tsx';

const putOffAs = 'papergate-passkey-later';
const putOffMs = 30 * 24 * 3_600_000;
const putOffAt = signal(Number(localStorage.getItem(putOffAs) ?? 0));

/** Asks again in a month. */
function putOff(): void {
  putOffAt.value = Date.now();
  localStorage.setItem(putOffAs, String(putOffAt.value));
}

const OfferCard = later(async () => (await import('./passkey-offer-card.tsx')).PasskeyOfferCard, true);

/** Draws the offer, where a passkey would work and the person came in without one. The account's page has a place for it. */
export const PasskeyOffer = () => {
  const session = me.value?.session;
  const isDue = session != null && session.way !== 'passkey' && Date.now() - putOffAt.value > putOffMs;
  const isOffered = isDue && passkeyTrouble() === undefined && route.value[0] !== 'account';
  return isOffered ? <OfferCard putOff={putOff} /> : null;
};

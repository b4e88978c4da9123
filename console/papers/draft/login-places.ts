/** The servers that a paper asks, for which it may have logins. Pure. */
import { feedsIn, feedText } from './calendar-feed.ts';

/** An origin that a paper asks, and an address of it. */
export interface LoginPlace {
  readonly origin: string;
  readonly address: string;
}

/** Returns the origins of the addresses of a calendar or website, each once. */
export function loginPlacesOf(meta: Readonly<Record<string, unknown>>): LoginPlace[] {
  const addresses = [meta.url, ...feedsIn(meta.calendars).map((feed) => feedText(feed, 'url'))];
  const places = addresses.flatMap(placeOf);
  return [...new Map(places.map((place) => [place.origin, place])).values()];
}

/** Reads an address as the service does: `webcal:` means https. */
function placeOf(raw: unknown): LoginPlace[] {
  if (typeof raw !== 'string') return [];
  const address = raw.trim();
  const plain = address.replace(/^webcals?:/i, 'https:');
  if (!/^https?:/i.test(plain) || !URL.canParse(plain)) return [];
  return [{ origin: new URL(plain).origin, address }];
}

/** Returns the logins whose server is still asked: what was typed for one goes to no other. */
export function loginsFor<Login extends { readonly address: string }>(
  meta: Readonly<Record<string, unknown>>,
  logins: readonly Login[],
): Login[] {
  const origins = new Set(loginPlacesOf(meta).map(({ origin }) => origin));
  return logins.filter(({ address }) => placeOf(address).some(({ origin }) => origins.has(origin)));
}

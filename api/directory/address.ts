/** E-mail addresses as rows keep them: an address, or an empty text when there is none. */
import { z } from 'zod';

const maxAddressLength = 320;

/** An address that a person gives. */
export const emailAddress = z.email().max(maxAddressLength);

/** Returns a provider's claim if it is an address, else an empty text: providers pass on whatever they were given. */
export function addressOrNone(claim: unknown): string {
  const judged = emailAddress.safeParse(claim);
  return judged.success ? judged.data : '';
}

/** Where addresses lead to nobody: `.invalid` is kept for that by RFC 2606. */
const nowhere = '@no-address.invalid';

/** Presents an address where it may be missing: a field with it, or no field. */
export function knownAddress(stored: string): { readonly email?: string } {
  const email = addressOrNone(stored);
  return email === '' || email.endsWith(nowhere) ? {} : { email };
}

/** Presents the address of somebody or something. The contract promises one: where none is known, one that leads nowhere. */
export function shownAddress(stored: string, id: string): { readonly email: string } {
  return { email: knownAddress(stored).email ?? `${id}${nowhere}` };
}

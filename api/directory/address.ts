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

/** Presents an address: a field with it, or no field. */
export function shownAddress(stored: string): { readonly email?: string } {
  const email = addressOrNone(stored);
  return email === '' ? {} : { email };
}

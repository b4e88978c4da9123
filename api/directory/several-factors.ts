/** Reads from a token how its owner proved who they are (RFC 8176, OpenID Connect Core section 2). Pure. */

/**
 * Methods by the kind of their proof: something that a person knows, has or is. Two kinds are two factors, and two
 * methods of one kind are one.
 */
const kindOfMethod: Readonly<Record<string, 'knows' | 'has' | 'is'>> = {
  pwd: 'knows',
  pin: 'knows',
  kba: 'knows',
  otp: 'has',
  hwk: 'has',
  swk: 'has',
  sc: 'has',
  sms: 'has',
  tel: 'has',
  pop: 'has',
  fpt: 'is',
  face: 'is',
  iris: 'is',
  retina: 'is',
  vbm: 'is',
};

/** The contexts that mean several factors by their definition. */
const contextsOfSeveral: readonly unknown[] = [
  'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
  'https://refeds.org/profile/mfa',
];

/** Returns whether several factors were used; undefined for claims that leave it open. */
export function saysSeveralFactors({ amr, acr }: Readonly<Record<string, unknown>>): boolean | undefined {
  if (contextsOfSeveral.includes(acr)) return true;
  const methods = Array.isArray(amr) ? amr.filter((method) => typeof method === 'string') : [];
  if (methods.length === 0) return undefined;
  if (methods.includes('mfa')) return true;
  const kinds = methods.flatMap((method) => (Object.hasOwn(kindOfMethod, method) ? [kindOfMethod[method]] : []));
  // A method that is not in the table may be a second factor.
  return new Set(kinds).size > 1 ? true : kinds.length === methods.length ? false : undefined;
}

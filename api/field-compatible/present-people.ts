/**
 * Presents users and accounts in the shapes of the vendor's application, which reads them from its identity provider.
 */
import type { Shown } from './presentation.ts';

/**
 * Presents a user with their person: the application names people by `auth0User`. A user whose person has not come has
 * no owner.
 */
export function presentUser(user: Shown): Shown {
  const { accountId, name, email, avatar } = user;
  if (accountId === undefined) return user;
  return {
    ...user,
    owner: accountId,
    auth0User: {
      user_id: accountId,
      name,
      ...(email !== undefined && { email }),
      ...(avatar !== undefined && { picture: avatar }),
    },
  };
}

/** Presents an account as an identity provider does; the fields that people keep there are its `app_metadata`. */
export function presentAccount(account: Shown): Shown {
  const { id, providerId, firstName, lastName, isMfaEnabled, meta = {} } = account;
  const [provider, ...rest] = (providerId ?? '').split('|');
  const { notification, ...kept } = meta;
  return {
    ...account,
    user_id: providerId ?? id,
    name: [firstName, lastName].filter(Boolean).join(' '),
    ...(firstName !== undefined && { given_name: firstName }),
    ...(lastName !== undefined && { family_name: lastName }),
    identities: rest.length === 0 ? [] : [{ provider, user_id: rest.join('|') }],
    multifactor: isMfaEnabled === true ? ['mfa'] : [],
    app_metadata: kept,
    ...(notification !== undefined && { notification }),
  };
}

/** The fields that the application keeps of an account, each with its name here. */
const keptFields = ['language', 'gender', 'debug', 'demo', 'notification'] as const;

/** Turns a change as the application asks for it into the plain route's. A name that is left empty stays. */
export function accountChangeOf(body: Shown, stored: Shown): Shown {
  const given = keptFields.filter((field) => body[field] !== undefined);
  const isName = (name: unknown): name is string => typeof name === 'string' && name.trim() !== '';
  return {
    ...(isName(body.given_name) && { firstName: body.given_name.trim() }),
    ...(isName(body.family_name) && { lastName: body.family_name.trim() }),
    ...(given.length > 0 && {
      meta: { ...stored.meta, ...Object.fromEntries(given.map((field) => [field, body[field]])) },
    }),
  };
}

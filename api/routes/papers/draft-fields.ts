/** The common fields of calls for papers that are not saved yet. */
import { z } from 'zod';
import { isTimezone, objectId } from '../../http/field-shapes.ts';
import { wrongField } from '../../http/fit-schema.ts';
import type { AddressLogin } from '../../outgoing/address-login.ts';
import { loginOptions, readLogin } from './login-routes.ts';

/** One for each address of a calendar. */
const maxLogins = 20;

/** The logins that addresses of a draft need. */
export const draftLogins = z
  .array(loginOptions)
  .max(maxLogins)
  .describe('Logins that the addresses need; they are used for this call and kept nowhere');

/** The organization that a draft is made in, and where its clocks are. */
export const draftFields = {
  organization: objectId,
  logins: draftLogins.optional(),
  timezone: z
    .string()
    .max(64)
    .refine((name) => name === '' || isTimezone(name), wrongField('field-time-zone-unknown'))
    .describe('An IANA name; UTC unless given')
    .optional(),
};

/** Reads the logins of a draft; none are undefined, so that those of a paper count. */
export const readLogins = (given: z.output<typeof draftLogins> | undefined): readonly AddressLogin[] | undefined =>
  given?.map(readLogin);

/** Routes by which members set logins for the addresses of a paper. What was set is never shown again. */

import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { isoTime } from '../../../runtime/clock.ts';
import { feedUrl } from '../../calendar/feed-list.ts';
import { wrongField } from '../../http/fit-schema.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import type { AddressLogin } from '../../outgoing/address-login.ts';
import { type AddressLoginRow, listLogins, removeLogin, setLogin } from '../../papers/address-logins.ts';
import { transactOnPaper } from '../../papers/lock-paper.ts';
import { requirePaper } from '../../papers/require-paper.ts';
import type { PaperDeps } from './paper-deps.ts';

/** Headers that belong to the connection or state where it came from. */
const notAllowed =
  /^(?:host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|via|origin|referer|range|accept.*|if-.*|proxy-.*|sec-.*|access-control-.*|user-agent)$/;

const loginShown = z
  .object({
    id: z.string(),
    origin: z.string().describe('The only origin that the header is sent to'),
    header: z.string().describe('The name of the header; empty for a value in the storage of pages'),
    storageKey: z.string().describe('The key in the storage of the pages of that origin').optional(),
    isSet: z.literal(true),
    setAt: z.string(),
  })
  .meta({ id: 'AddressLogin' });

type AddressLoginShown = z.output<typeof loginShown>;

/** A login as it is given for an address: a token, or a header or a key of the storage of its pages with its value. */
export const loginOptions = z
  .object({
    address: z.string().max(2_000).describe('An address of the paper: its origin gets the header, and no other'),
    header: z
      .string()
      .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/, wrongField('field-no-header-name'))
      .refine((name) => !notAllowed.test(name.toLowerCase()), wrongField('field-no-login-header'))
      .describe('The name of the header; with `value`')
      .optional(),
    storageKey: z
      .string()
      .regex(/^[\x20-\x7e]{1,100}$/, wrongField('field-not-printable'))
      .describe(
        'A key of `localStorage`, in place of the header: pages of the origin find the value there. Websites only',
      )
      .optional(),
    value: z
      .string()
      .regex(/^[\x21-\x7e](?:[\x20-\x7e]{0,3998}[\x21-\x7e])?$/, wrongField('field-not-printable'))
      .optional(),
    bearer: z
      .string()
      .regex(/^[\x21-\x7e]{1,4000}$/, wrongField('field-not-token'))
      .describe('A token for `Authorization: Bearer`, in place of header and value')
      .optional(),
  })
  .refine(({ header, storageKey, value, bearer }) => {
    const ways = [bearer, header, storageKey].filter((way) => way !== undefined).length;
    return ways === 1 && (bearer === undefined) === (value !== undefined);
  }, 'give one of bearer, header and storageKey; the last two with value');

const showLogin = ({ id, origin, header, storage_item, set_at }: AddressLoginRow): AddressLoginShown => ({
  id,
  origin,
  header,
  ...(storage_item !== null && { storageKey: storage_item }),
  isSet: true,
  setAt: isoTime(set_at),
});

/**
 * Reads a login that was given.
 * @throws Refusal `invalid-request` for an invalid address
 */
export function readLogin(options: z.output<typeof loginOptions>): AddressLogin {
  const { address, header = '', storageKey, value = '', bearer } = options;
  const url = feedUrl(address);
  if (!(url instanceof URL)) throw refuse('invalid-request', { hint: reasonOf('field-url', { because: url }) });
  return bearer === undefined
    ? { origin: url.origin, header: header.toLowerCase(), value, ...(storageKey !== undefined && { storageKey }) }
    : { origin: url.origin, header: 'authorization', value: `Bearer ${bearer}` };
}

/** Returns the routes. */
export function loginRoutes(deps: PaperDeps): AnyRoute[] {
  const { db } = deps;
  return [
    route('GET /papers/:paperId/logins/', {
      summary: 'The origins for which a paper has a login; never what it is',
      noStore: true,
      output: z.array(loginShown),
      async handle({ params, principal }) {
        const paper = await requirePaper(db, principal, params.paperId, 'write');
        return (await listLogins(db, paper)).map(showLogin);
      },
    }),
    route('PUT /papers/:paperId/logins/', {
      summary: 'Set the header that goes to the origin of an address, in place of one that it had',
      audit: { action: 'login.set', on: 'paper' },
      noStore: true,
      body: loginOptions,
      output: loginShown,
      refuses: ['not-found', 'access-denied', 'conflict'],
      async handle({ params: { paperId }, body, principal }) {
        const login = readLogin(body);
        const row = await transactOnPaper(db, paperId, async (trx) => {
          const paper = await requirePaper(trx, principal, paperId, 'write');
          return setLogin(trx, deps, paper, login);
        });
        return showLogin(row);
      },
    }),
    route('DELETE /papers/:paperId/logins/:loginId', {
      summary: 'Forget a login',
      audit: { action: 'login.forgotten', on: 'paper' },
      async handle({ params: { paperId, loginId }, principal }) {
        const paper = await requirePaper(db, principal, paperId, 'write');
        if ((await removeLogin(db, paper, loginId)) === 0) throw refuse('not-found');
      },
    }),
  ];
}

/**
 * The name under which passkeys are created and verified: the host of the console's address as the person's browser has
 * it (T-100).
 */

import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import { parseUrl } from '../../runtime/read-address.ts';
import type { RequestOrigin } from '../http/request-origin.ts';

/** The service as passkeys know it. */
export interface RelyingParty {
  readonly id: string;
  /** The origins whose pages may ask for its passkeys. */
  readonly origins: readonly string[];
}

/**
 * Returns the name. A browser lends a passkey to no page whose address does not end in its name, so a forged `Host`
 * asks for passkeys that nobody has. Hosts are compared and not schemes: a proxy that the operator did not name turns
 * `https` into `http` unnoticed, and browsers offer passkeys only over HTTPS.
 * @throws Refusal `conflict` at an address that is a number, for which there are no passkeys
 */
export function relyingParty(
  { origin: page }: IncomingHttpHeaders,
  { ownHosts }: Pick<RequestOrigin, 'ownHosts'>,
): RelyingParty {
  const asked = page === undefined ? undefined : parseUrl(page)?.host;
  const host = ownHosts.find((own) => own === asked) ?? ownHosts[0] ?? '';
  const id = parseUrl(`https://${host}`)?.hostname ?? '';
  if (id === '' || id.startsWith('[') || isIP(id) !== 0) {
    throw refuse('conflict', {
      message: reasonOf('passkey-needs-name'),
      hint: 'open the console by a name, over https',
    });
  }
  return { id, origins: [`https://${host}`, `http://${host}`] };
}

/** Words what is wrong with the connection to the mailbox. Texts of the server, which may quote what was sent, stay out. */
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { describeNetworkError, isCertificateError } from '../outgoing/network-error.ts';

/** The marks that the library sets on errors. */
interface MarkedError {
  readonly code?: unknown;
  readonly authenticationFailed?: unknown;
  readonly serverResponseCode?: unknown;
  readonly tlsFailed?: unknown;
  readonly responseStatus?: unknown;
  readonly mailboxMissing?: unknown;
}

const passing: readonly unknown[] = ['UNAVAILABLE', 'INUSE', 'LIMIT', 'SERVERBUG'];

/** Decides whether the login was refused, so that trying it again makes it worse. */
export function isLoginRefused(error: unknown): boolean {
  const { authenticationFailed, serverResponseCode } = error as MarkedError;
  return authenticationFailed === true && !passing.includes(serverResponseCode);
}

/** Says what an error of the mailbox means, for the operator. */
export function describeMailboxError(error: unknown): Reason {
  if (isLoginRefused(error)) return reasonOf('album-source-mailbox-denied');
  const { code, tlsFailed, mailboxMissing } = error as MarkedError;
  const known = typeof code === 'string' && /^[\w-]{1,40}$/.test(code) ? code : 'unknown';
  if (isCertificateError(known) || known === 'ECONNREFUSED' || known === 'ENOTFOUND')
    return describeNetworkError(error);
  if (tlsFailed === true) return reasonOf('album-source-mailbox-plain');
  if (mailboxMissing === true) return reasonOf('album-source-mailbox-folder');
  return reasonOf('album-source-mailbox-away', { error: known });
}

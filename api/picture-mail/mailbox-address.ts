/** Reads the address of the mailbox for pictures, which the operator sets. */
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { parseUrl } from '../../runtime/read-address.ts';
import { loopbackAddresses } from '../outgoing/public-address.ts';

/** A mailbox and its login. The password reaches no log and no reason. */
export interface MailboxAddress {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte, TLS after STARTTLS or no connection at all, or none, which loopback alone may have. */
  readonly privacy: 'tls' | 'starttls' | 'none';
  readonly user: string;
  readonly password: string;
  readonly folder: string;
}

/** Providers whose mailboxes no password opens (ML-1), by the ends of their hosts. */
const withoutPasswords: readonly (readonly [end: string, provider: string])[] = [
  ['outlook.com', 'Outlook.com'],
  ['hotmail.com', 'Outlook.com'],
  ['live.com', 'Outlook.com'],
  ['office365.com', 'Microsoft 365'],
  ['office365.us', 'Microsoft 365'],
  ['outlook.cn', 'Microsoft 365'],
];

/**
 * Reads `imaps://user:password@host/Folder`, or `imap://` for a server that begins with STARTTLS. Without a folder it is the
 * inbox.
 */
export function readMailboxAddress(written: string): MailboxAddress | Reason {
  const url = parseUrl(written.trim());
  const isSecure = url?.protocol === 'imaps:';
  if (url === undefined || (!isSecure && url.protocol !== 'imap:') || url.hostname === '') {
    return reasonOf('album-source-mailbox-unreadable');
  }
  const [user, password, folder] = [url.username, url.password, url.pathname.replace(/^\//, '')].map(decoded);
  if (!user || !password || folder === undefined) return reasonOf('album-source-mailbox-unreadable');
  const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, '');
  const [, provider] = withoutPasswords.find(([end]) => host === end || host.endsWith(`.${end}`)) ?? [];
  if (provider !== undefined) return reasonOf('album-source-mailbox-oauth', { provider });
  const isHere = loopbackAddresses(url.hostname) !== undefined;
  return {
    host,
    port: Number(url.port) || (isSecure ? 993 : 143),
    privacy: isSecure ? 'tls' : isHere ? 'none' : 'starttls',
    user,
    password,
    folder: folder === '' ? 'INBOX' : folder,
  };
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** Judges a message by its headers: accepted, waiting for a member's yes, or ignored. */
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { provesDomain, type TrustedServer, trustedResults } from './auth-results.ts';
import { type MailHeaders, valuesOf } from './mail-headers.ts';

/** An album or a paper that accepts mail. */
export interface MailTarget {
  readonly id: string;
  /** The invited senders, in lower case. */
  readonly senders: readonly string[];
}

export type MailJudgement =
  | { readonly verdict: 'ignored'; readonly reason: Reason }
  | { readonly verdict: 'accept'; readonly sender: string; readonly targets: readonly MailTarget[] }
  | {
      readonly verdict: 'waits';
      readonly sender: string;
      readonly targets: readonly MailTarget[];
      readonly reason: Reason;
    };

interface JudgeContext {
  readonly targets: readonly MailTarget[];
  readonly trusted: TrustedServer | undefined;
  /** The addresses of the mailbox itself, in lower case. */
  readonly ownAddresses: readonly string[];
}

/**
 * Judges one message. Where it is addressed to several targets, it goes to those that invited its sender; where none did, it
 * waits at all of them.
 */
export function judgeMail(headers: MailHeaders, { targets, trusted, ownAddresses }: JudgeContext): MailJudgement {
  const loop = loopOf(headers, ownAddresses);
  if (loop !== undefined) return { verdict: 'ignored', reason: loop };
  if (targets.length === 0) return { verdict: 'ignored', reason: reasonOf('album-source-mail-address') };
  const [sender, ...others] = headers.from;
  if (sender === undefined || others.length > 0 || valuesOf(headers.lines, 'from').length !== 1) {
    return { verdict: 'ignored', reason: reasonOf('album-source-mail-sender-unclear') };
  }
  const inviting = targets.filter(({ senders }) => senders.includes(sender));
  if (inviting.length === 0) {
    return { verdict: 'waits', sender, targets, reason: reasonOf('album-source-mail-sender-unknown') };
  }
  const results = trustedResults(headers, trusted);
  if (results === undefined || !provesDomain(results, domainOf(sender))) {
    return { verdict: 'waits', sender, targets: inviting, reason: reasonOf('album-source-mail-sender-unproven') };
  }
  return { verdict: 'accept', sender, targets: inviting };
}

/** Returns the domain of an address, in ASCII as servers state it. */
export function domainOf(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  return URL.canParse(`http://${domain}/`) ? new URL(`http://${domain}/`).hostname : domain;
}

/** Says why a message was written by a program, and must never be answered (ML-6). */
function loopOf({ lines, from }: MailHeaders, ownAddresses: readonly string[]): Reason | undefined {
  const values = (name: string): readonly string[] => valuesOf(lines, name).map((value) => value.toLowerCase());
  const isAutomatic =
    values('auto-submitted').some((value) => (value.split(/[\s;(]/)[0] ?? '') !== 'no') ||
    values('precedence').some((value) => ['bulk', 'list', 'junk'].includes(value)) ||
    values('list-id').length > 0 ||
    values('return-path').some((value) => value === '<>');
  if (isAutomatic) return reasonOf('album-source-mail-automatic');
  return from.some((address) => ownAddresses.includes(withoutSecret(address)))
    ? reasonOf('album-source-mail-own')
    : undefined;
}

const withoutSecret = (address: string): string => {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at).split('+')[0]}${address.slice(at)}`;
};

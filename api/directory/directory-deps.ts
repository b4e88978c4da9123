import type { Logger } from '../../runtime/logger.ts';
import type { RateLimit } from '../http/limit-rate.ts';
import type { HashInvite } from './invite-hash.ts';
import type { MailLinkDeps } from './mail-links.ts';
import type { SignInProvider } from './open-id.ts';

export interface DirectoryDeps extends MailLinkDeps {
  readonly logger: Pick<Logger, 'error'>;
  /** The limit on tries of an invitation's code, by address and by account. */
  readonly limitJoins: RateLimit;
  /** The limit on attempts to sign in, by address. */
  readonly limitSignIns: RateLimit;
  /** The limit on challenges for passkeys of people who are not signed in, by address. */
  readonly limitChallenges: RateLimit;
  /** How many organizations may be made from one, itself included. */
  readonly maxOrganizations: number;
  /** Hashes a code that people chose, to store it and to find it again. */
  readonly hashInvite: HashInvite;
  /** The key that seals invitations' codes, so that they can be shown again (FACT-15). */
  readonly sealKey: Uint8Array;
  /** The identity provider by whose account ids accounts may be asked for, besides our own ids. */
  readonly providerIssuer: string | undefined;
  /** The identity provider as a way to sign in to the console. */
  readonly signInProvider: SignInProvider | undefined;
}

/** The number of tries of invitations' codes in a minute, because people may choose codes that can be guessed. */
export const joinsPerMinute = 10;

/** The number of attempts to sign in from one address in a minute. */
export const signInsPerMinute = 10;

/** The number of challenges for passkeys of one address in a minute. */
export const challengesPerMinute = 30;

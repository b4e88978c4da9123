/** One connection of a frame, from its login to its end. */
import type { Client } from 'aedes';
import type { Clock } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Conversation } from '../dialects/dialect.ts';
import { type AdmittingFrames, addressOf } from '../identity/admit-frame.ts';
import type { Login } from '../identity/frame-login.ts';

/** How long a valid credential is trusted before it is checked again: a revoked one ends with the next message after that. */
export const recheckMs = 1_000;

/** The result of a login that was accepted. */
export type AcceptedLogin = Pick<Extract<Login, { ok: true }>, 'serial' | 'credential' | 'epoch'>;

/** A connection: its frame's conversation, the order of its messages, and its refused requests. */
export interface Session {
  readonly client: Client;
  readonly conversation: Conversation;
  readonly credential: string;
  /** Time at which the credential was last found valid, epoch milliseconds. */
  checkedAt: number;
  subscriptions: number;
  refusedFilters: number;
  /** True after the one alert of this connection: refusals that do not end it may come by the thousand (B-19). */
  alerted: boolean;
  /** Resolves when every message so far is recorded: they are handled one after the other (B-05). */
  lastRecorded: Promise<void>;
  /** The number of messages that wait, or are being recorded. */
  unrecorded: number;
}

/** Creates the session of a client whose login was accepted. */
export function newSession(
  client: Client,
  login: AcceptedLogin & { readonly ordinal: number; readonly now: number },
): Session {
  const { serial, credential, epoch, ordinal, now } = login;
  return {
    client,
    conversation: {
      serial,
      clientId: client.id,
      session: ordinal,
      address: addressOf(client.conn),
      lastSeenAt: now,
      awake: false,
      suspect: false,
      epoch,
      isOver: false,
      answer: undefined,
      logs: 0,
    },
    credential,
    checkedAt: now,
    subscriptions: 0,
    refusedFilters: 0,
    alerted: false,
    lastRecorded: Promise.resolve(),
    unrecorded: 0,
  };
}

/**
 * Runs `work` when every earlier message of the session is recorded. Work that fails is logged, and holds up none of the
 * later (B-06).
 */
export function inTurn(logger: Pick<Logger, 'error'>, session: Session, work: () => void | Promise<void>): void {
  session.unrecorded++;
  session.lastRecorded = session.lastRecorded
    .then(work)
    .catch((error: unknown) => logger.error({ frame: session.conversation.serial, error }, 'a turn of a frame failed'))
    .then(() => {
      session.unrecorded--;
    });
}

/**
 * Resolves true while the credential of a session is valid, also when another process may have revoked it. When the
 * database cannot be reached the session goes on, because the dialect must still answer (W-19).
 */
export async function stillStands(
  session: Session,
  deps: {
    readonly admission: Pick<AdmittingFrames, 'stands'>;
    readonly clock: Pick<Clock, 'now'>;
    readonly logger: Logger;
  },
): Promise<boolean> {
  const now = deps.clock.now();
  if (Math.abs(now - session.checkedAt) < recheckMs) return true;
  const { serial } = session.conversation;
  try {
    const stands = await deps.admission.stands(serial, session.credential);
    // Only a valid credential is trusted for a while, so that every later message under a revoked one is refused too.
    if (stands) session.checkedAt = now;
    return stands;
  } catch (error) {
    deps.logger.error({ frame: serial, error }, 'credential could not be checked again');
    return true;
  }
}

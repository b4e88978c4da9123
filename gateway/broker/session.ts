/** One connection of a frame, from its login to its end. */
import type { Client } from 'aedes';
import type { Conversation } from '../dialects/dialect.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import { type AdmittingFrames, addressOf } from './admit-frame.ts';

/** A credential found good is looked at again after this: what is revoked ends with the next word that comes later. */
export const recheckMs = 1_000;

/** A connection: its frame's conversation, the order of its messages, and what was refused on it. */
export interface Session {
  readonly client: Client;
  readonly conversation: Conversation;
  readonly credential: string;
  /** When the credential was found good last, epoch milliseconds. */
  checkedAt: number;
  subscriptions: number;
  refusedFilters: number;
  /** One alert a connection: what is refused without ending it may come by the thousand (B-19). */
  alerted: boolean;
  turn: Promise<void>;
}

/** Begins a session of a client whose login is through. */
export function newSession(
  client: Client,
  login: { readonly serial: string; readonly credential: string; readonly ordinal: number; readonly now: number },
): Session {
  const { serial, credential, ordinal, now } = login;
  return {
    client,
    conversation: {
      serial,
      spelling: client.id,
      session: ordinal,
      address: addressOf(client.conn),
      awake: false,
      doubted: false,
      answer: undefined,
      logs: 0,
    },
    credential,
    checkedAt: now,
    subscriptions: 0,
    refusedFilters: 0,
    alerted: false,
    turn: Promise.resolve(),
  };
}

/**
 * Whether the credential of a session is still good, also when another process revoked it. W-19, W-21: a store that
 * cannot say must not silence the dialect; what it then records it has to reach itself.
 */
export async function stillStands(
  session: Session,
  edges: {
    readonly admission: Pick<AdmittingFrames, 'stands'>;
    readonly clock: Pick<Clock, 'now'>;
    readonly logger: Logger;
  },
): Promise<boolean> {
  const now = edges.clock.now();
  if (Math.abs(now - session.checkedAt) < recheckMs) return true;
  const { serial } = session.conversation;
  try {
    const stands = await edges.admission.stands(serial, session.credential);
    // Only what was found good: of a credential that is not, every word behind the first is refused too.
    if (stands) session.checkedAt = now;
    return stands;
  } catch (error) {
    edges.logger.error({ frame: serial, error }, 'credential could not be checked again');
    return true;
  }
}

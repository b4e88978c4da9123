/** One connection of a frame, from its login to its end. */
import type { Client } from 'aedes';
import type { Conversation } from '../dialects/dialect.ts';
import { addressOf } from './admit-frame.ts';

/** A connection: its frame's conversation, the order of its messages, and what was refused on it. */
export interface Session {
  readonly client: Client;
  readonly conversation: Conversation;
  readonly credential: string;
  subscriptions: number;
  refusedFilters: number;
  /** One alert a connection: what is refused without ending it may come by the thousand (B-19). */
  alerted: boolean;
  turn: Promise<void>;
}

/** Begins a session of a client whose login is through. */
export function newSession(
  client: Client,
  login: { readonly serial: string; readonly credential: string; readonly ordinal: number },
): Session {
  const { serial, credential, ordinal } = login;
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
    subscriptions: 0,
    refusedFilters: 0,
    alerted: false,
    turn: Promise.resolve(),
  };
}

/**
 * The keys of session tickets, with which frames resume a TLS session after their sleep (T-120). All nodes over one database
 * have the same: they are made of a salt in the database and of the authority's key, which the database does not hold. The
 * salt is replaced every week, and so every frame proves its key again at least once a week.
 */

import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Database } from '../../runtime/database/database.ts';
import { changeFact, readFact, replaceFact, settleFact } from '../../runtime/database/service-facts.ts';
import type { Moment } from '../../runtime/moment.ts';
import { inRounds } from '../../runtime/rounds.ts';
import type { Authority } from '../identity/authority.ts';

/** The longest that a ticket is taken after its full handshake, in seconds: the most that TLS 1.3 allows, and the longest sleep. */
export const ticketSeconds = 604_800;
/** The age at which a salt is replaced. One whose time lies as far ahead was made by a clock that was wrong. */
const saltMs = ticketSeconds * 1000;
/** The pause between looks for the salt of another node, or for one that the operator replaced. */
export const ticketLookMs = 60_000;

/** The keys of one listener's tickets, 48 bytes. */
export interface TicketKeys {
  readonly first: Buffer;
  /** Registers a function that is called with every later key. */
  renewed(use: (keys: Buffer) => void): void;
  stop(): Promise<void>;
}

/** Reads or makes the keys, and looks every minute whether there are others. */
export async function keepTicketKeys(
  authority: Pick<Authority, 'ticketKeys'>,
  { db, clock, random, logger }: CommonDeps,
): Promise<TicketKeys> {
  const look = () => presentSalt(db, { now: clock.now(), random });
  let present = await look();
  let put: (keys: Buffer) => void = () => {};
  const rounds = inRounds(clock, ticketLookMs, async () => {
    try {
      const salt = await look();
      if (salt === present) return;
      put(authority.ticketKeys(salt));
      present = salt;
      logger.info({}, 'the keys of session tickets were renewed: frames make a full handshake at their next wake');
    } catch (error) {
      logger.error({ error }, 'the keys of session tickets could not be read');
    }
  });
  rounds.start();
  return {
    first: authority.ticketKeys(present),
    renewed(use) {
      put = use;
    },
    stop: rounds.stop,
  };
}

/** Replaces the salt now: no ticket that was given before is taken any longer, at a running service after a minute at most. */
export async function forgetTickets(db: Database, moment: Moment): Promise<void> {
  await changeFact(db, 'tickets', freshSalt(moment));
}

/** The stored salt with its time; a new one where there is none, or where it is too old. */
async function presentSalt(db: Database, moment: Moment): Promise<string> {
  const stored = await readFact(db, 'tickets');
  if (stored === undefined) return settleFact(db, 'tickets', freshSalt(moment));
  const ageMs = Math.abs(moment.now - Number(stored.split(' ')[0]));
  return ageMs < saltMs ? stored : replaceFact(db, 'tickets', stored, freshSalt(moment));
}

function freshSalt({ now, random }: Moment): string {
  return `${now} ${random.secret(32)}`;
}

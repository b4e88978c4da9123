/** Sends the callbacks that are due, each in a slot of its own: a slow receiver delays nobody else (INV-62). */
import PQueue from 'p-queue';
import type { Clock } from '../../gateway/runtime/clock.ts';
import { type Database, transactAlone } from '../../gateway/runtime/database.ts';
import type { Failpoint } from '../../gateway/runtime/failpoint.ts';
import type { Logger } from '../../gateway/runtime/logger.ts';
import type { Meter } from '../../gateway/runtime/meter.ts';
import type { Random } from '../../gateway/runtime/random.ts';
import { type ConnectionInForce, connectionInForce } from '../integration/authorize.ts';
import { openTokens } from '../integration/connections.ts';
import { allowsLoopback, type UrlRules } from '../integration/saved-urls.ts';
import { type DueTurn, dueTurns, eventsOf, type WaitingEvent } from './due-events.ts';
import { requestTimeoutMs } from './request-once.ts';
import { eventLifetimeMs, nextAttemptAt } from './retry-schedule.ts';
import type { Attempt, Callback } from './send-callback.ts';
import { type Slot, shareSlots } from './share-slots.ts';

/** What the outbox is handed. `sealKey` opens the callback tokens. */
export interface OutboxEdges {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  /** Makes one attempt within `requestTimeoutMs`. */
  readonly send: (callback: Callback) => Promise<Attempt>;
  readonly sealKey: Uint8Array;
  readonly rules: UrlRules;
  readonly logger: Logger;
  readonly meter?: Meter | undefined;
  readonly at?: Failpoint | undefined;
}

/** The running outbox. */
export interface Outbox {
  /** Starts a send for everything due; resolves when all of it is claimed that there are slots for. */
  drain(): Promise<void>;
  /** Resolves when no send is under way. */
  idle(): Promise<void>;
  /** Ends what is under way without counting it, gives its claims back, and starts nothing more (INV-74). */
  stop(): Promise<void>;
}

/** How the work on a claimed event ended. */
type Ending =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed'; readonly problem: string }
  | { readonly kind: 'dropped'; readonly problem: string }
  | { readonly kind: 'interrupted' };

/** A claim outlives its attempt by far; after that its process is taken for dead. */
const leaseMs = 4 * requestTimeoutMs;
const mostRestMs = 250;
/** Events of one turn that are read together. */
const readAtOnce = 64;

/** Makes the outbox. Several nodes may drain one database: a claim is a compare-and-set on `due_at`. */
export function createOutbox(edges: OutboxEdges): Outbox {
  const { db, clock, logger } = edges;
  const slots = shareSlots();
  // Counts what is under way; who may begin is for the slots to say.
  const queue = new PQueue();
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let following: Promise<void> | undefined;

  /** Passes do not overlap: what comes up during one is for the next, which all who asked meanwhile share. */
  function drain(): Promise<void> {
    if (running === undefined) {
      running = passes().finally(() => {
        running = undefined;
      });
      return running;
    }
    following ??= rested(running).then(() => {
      following = undefined;
      return drain();
    });
    return following;
  }

  /** After a pass and four times as long as it took: where thousands of receivers are dead, each ending asks for another. */
  async function rested(pass: Promise<void>): Promise<void> {
    const startedAt = clock.now();
    await pass.catch(() => {});
    const restMs = Math.min(mostRestMs, 4 * (clock.now() - startedAt));
    if (restMs > 0) await new Promise<void>((resolve) => void clock.after(restMs, resolve));
  }

  /** Until nothing is due that there are slots for. */
  async function passes(): Promise<void> {
    for (let more = true; more && !stopping.signal.aborted; ) {
      more = false;
      const turns = await dueTurns(db, clock.now());
      // Whatever the age of the others' backlog: who has little under way goes first.
      const order = turns
        .map((turn) => ({ turn, underWay: slots.underWay(turn.connectionId) }))
        .sort((one, other) => one.underWay - other.underWay);
      for (const { turn } of order) if (await beginTurn(turn)) more = true;
    }
  }

  /** Begins what there are slots for, up to `readAtOnce`; whether anything was tried. */
  async function beginTurn(turn: DueTurn): Promise<boolean> {
    const { connectionId, isRetry } = turn;
    // The slot is taken before anything is read: none free, no question.
    let slot = slots.take(connectionId, isRetry);
    if (slot === undefined) return false;
    try {
      const due = await eventsOf(db, turn, clock.now(), readAtOnce);
      for (const event of due) {
        slot ??= slots.take(connectionId, isRetry);
        if (slot === undefined || stopping.signal.aborted) break;
        const claimed = await claim(event);
        if (claimed === undefined) continue;
        const given: Slot = slot;
        slot = undefined;
        void queue.add(() => work(claimed, given));
      }
      return due.length > 0;
    } finally {
      if (slot !== undefined) slots.give(slot);
    }
  }

  async function claim(event: WaitingEvent): Promise<WaitingEvent | undefined> {
    const due_at = clock.now() + leaseMs;
    const won = await db('callback_events').where({ id: event.id, due_at: event.due_at }).update({ due_at });
    return won === 1 ? { ...event, due_at } : undefined;
  }

  async function work(event: WaitingEvent, slot: Slot): Promise<void> {
    try {
      await edges.at?.('callback.claimed');
      const startedAt = clock.now();
      const ended = await attemptOnce(edges, event, stopping.signal);
      slots.took(event.connection_id, clock.now() - startedAt);
      await edges.at?.('callback.sent');
      const isCut = stopping.signal.aborted && ended.kind === 'failed';
      const ending: Ending = isCut ? { kind: 'interrupted' } : ended;
      edges.meter?.count('papergate_callback_attempts_total', { outcome: ending.kind });
      await settle(edges, event, ending);
    } catch (error) {
      logger.error({ error, eventId: event.id }, 'a callback broke off; its lease will expire');
    } finally {
      slots.give(slot);
    }
    // What was left for want of a slot.
    await drain().catch((error: unknown) => logger.error({ error }, 'the outbox could not be read'));
  }

  return {
    drain,
    idle: () => queue.onIdle(),
    async stop() {
      stopping.abort(new Error('the service stops'));
      await running?.catch(() => {});
      await queue.onIdle();
    },
  };
}

/** Sends one event if its connection is still in force. */
async function attemptOnce(edges: OutboxEdges, event: WaitingEvent, signal: AbortSignal): Promise<Ending> {
  const { clock, send, rules, sealKey } = edges;
  if (clock.now() > event.created_at + eventLifetimeMs) return { kind: 'dropped', problem: 'older than seven days' };
  const inForce = await lookAtRight(edges, event);
  if (!inForce.ok) return { kind: 'dropped', problem: inForce.code };
  const { callback_url: url } = inForce.connection;
  const { callbackToken } = openTokens(inForce.connection, sealKey);
  const allowLoopback = allowsLoopback(rules);
  let ended: Ending | undefined;
  // Look-up and handshake take their time: the last look is when the socket stands, before a byte is written.
  const mayBegin = async (): Promise<boolean> => {
    const still = await lookAtRight(edges, event);
    if (!still.ok) ended = { kind: 'dropped', problem: still.code };
    return still.ok;
  };
  const sent = await send({ url, callbackToken, body: event.body, allowLoopback, signal, mayBegin });
  if (ended !== undefined) return ended;
  return sent.delivered ? { kind: 'delivered' } : { kind: 'failed', problem: sent.problem };
}

/**
 * Spec: Delivery behavior 6; T-55, INV-56. In one transaction, so that no revocation is answered between two of these
 * looks, nor together with them (INV-53).
 */
async function lookAtRight({ db, rules }: OutboxEdges, event: WaitingEvent): Promise<ConnectionInForce> {
  const { connection_id: connectionId, generation } = event;
  const inForce = await transactAlone(db, (trx) => connectionInForce(trx, { connectionId, generation }, rules));
  return inForce;
}

/** Writes the ending down, if the claim still is ours: a revocation or another node may have taken it (INV-33). */
async function settle({ db, clock, random }: OutboxEdges, event: WaitingEvent, ending: Ending): Promise<void> {
  const now = clock.now();
  const attempts = event.attempts + 1;
  const claimed = db('callback_events').where({ id: event.id, due_at: event.due_at });
  switch (ending.kind) {
    case 'delivered':
      await claimed.update({ attempts, due_at: null, delivered_at: now, problem: null });
      return;
    case 'failed': {
      const next = nextAttemptAt({ createdAt: event.created_at, attempts, now, jitter: random.jitter() });
      await claimed.update({ attempts, due_at: next ?? null, problem: ending.problem });
      return;
    }
    case 'dropped':
      await claimed.update({ due_at: null, problem: ending.problem });
      return;
    case 'interrupted':
      await claimed.update({ due_at: now });
  }
}

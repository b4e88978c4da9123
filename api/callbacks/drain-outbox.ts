/** Sends the callbacks that are due. Each has a slot of its own: a slow receiver delays nobody else (INV-62). */
import PQueue from 'p-queue';
import type { Clock } from '../../gateway/runtime/clock.ts';
import { type Database, transactAlone } from '../../gateway/runtime/database.ts';
import type { Failpoint } from '../../gateway/runtime/failpoint.ts';
import type { Logger } from '../../gateway/runtime/logger.ts';
import type { Meter } from '../../gateway/runtime/meter.ts';
import type { Random } from '../../gateway/runtime/random.ts';
import { connectionInForce } from '../integration/authorize.ts';
import { openTokens } from '../integration/connections.ts';
import { allowsLoopback, type UrlRules } from '../integration/saved-urls.ts';
import { requestTimeoutMs } from './request-once.ts';
import { eventLifetimeMs, nextAttemptAt } from './retry-schedule.ts';
import type { Attempt, Callback } from './send-callback.ts';

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

/** A row of `callback_events` while it is claimed: `due_at` is the end of the lease. */
interface ClaimedEvent {
  readonly id: string;
  readonly connection_id: string;
  readonly generation: number;
  readonly body: string;
  readonly attempts: number;
  readonly due_at: number;
  readonly created_at: number;
}

/** How the work on a claimed event ended. */
type Ending =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed'; readonly problem: string }
  | { readonly kind: 'dropped'; readonly problem: string }
  | { readonly kind: 'interrupted' };

/** Sends at once, in all and for one connection, so that one receiver cannot take every slot. */
const slots = 64;
const slotsOfConnection = 16;
/** A claim outlives its attempt by far; after that its process is taken for dead. */
const leaseMs = 4 * requestTimeoutMs;

/** Makes the outbox. Several nodes may drain one database: a claim is a compare-and-set on `due_at`. */
export function createOutbox(edges: OutboxEdges): Outbox {
  const { db, clock, logger } = edges;
  const queue = new PQueue({ concurrency: slots });
  const underWay = new Map<string, number>();
  const stopping = new AbortController();
  let taken = 0;

  const isFull = (connectionId: string): boolean => (underWay.get(connectionId) ?? 0) >= slotsOfConnection;
  const count = (connectionId: string, change: 1 | -1): void => {
    taken += change;
    const now = (underWay.get(connectionId) ?? 0) + change;
    if (now === 0) underWay.delete(connectionId);
    else underWay.set(connectionId, now);
  };

  async function drain(): Promise<void> {
    while (taken < slots && !stopping.signal.aborted) {
      const due: ClaimedEvent[] = await db<ClaimedEvent>('callback_events')
        .where('due_at', '<=', clock.now())
        .whereNotIn('connection_id', [...underWay.keys()].filter(isFull))
        .orderBy(['due_at', 'id'])
        .limit(slots);
      if (due.length === 0) return;
      for (const event of due) {
        if (taken >= slots || stopping.signal.aborted) return;
        if (isFull(event.connection_id)) continue;
        // The slot is taken before anything is awaited: passes may overlap.
        count(event.connection_id, 1);
        const claimed = await claim(event).catch((error: unknown) => {
          count(event.connection_id, -1);
          throw error;
        });
        if (claimed === undefined) count(event.connection_id, -1);
        else void queue.add(() => work(claimed));
      }
    }
  }

  async function claim(event: ClaimedEvent): Promise<ClaimedEvent | undefined> {
    const due_at = clock.now() + leaseMs;
    const won = await db('callback_events').where({ id: event.id, due_at: event.due_at }).update({ due_at });
    return won === 1 ? { ...event, due_at } : undefined;
  }

  async function work(event: ClaimedEvent): Promise<void> {
    try {
      await edges.at?.('callback.claimed');
      const ended = await attemptOnce(edges, event, stopping.signal);
      await edges.at?.('callback.sent');
      const isCut = stopping.signal.aborted && ended.kind === 'failed';
      const ending: Ending = isCut ? { kind: 'interrupted' } : ended;
      edges.meter?.count('papergate_callback_attempts_total', { outcome: ending.kind });
      await settle(edges, event, ending);
    } catch (error) {
      logger.error({ error, eventId: event.id }, 'a callback broke off; its lease will expire');
    } finally {
      count(event.connection_id, -1);
    }
    // What was left for want of a slot.
    await drain().catch((error: unknown) => logger.error({ error }, 'the outbox could not be read'));
  }

  return {
    drain,
    idle: () => queue.onIdle(),
    async stop() {
      stopping.abort(new Error('the service stops'));
      await queue.onIdle();
    },
  };
}

/** Sends one event if its connection is still in force. */
async function attemptOnce(
  { db, clock, send, rules, sealKey }: OutboxEdges,
  event: ClaimedEvent,
  signal: AbortSignal,
): Promise<Ending> {
  if (clock.now() > event.created_at + eventLifetimeMs) return { kind: 'dropped', problem: 'older than seven days' };
  const { connection_id: connectionId, generation } = event;
  // Spec: Delivery behavior 6; T-55, INV-56
  // In one transaction, so that no revocation is answered between two of these looks, nor together with them (INV-53).
  const inForce = await transactAlone(db, (trx) => connectionInForce(trx, { connectionId, generation }, rules));
  if (!inForce.ok) return { kind: 'dropped', problem: inForce.code };
  const { callback_url: url } = inForce.connection;
  const { callbackToken } = openTokens(inForce.connection, sealKey);
  const allowLoopback = allowsLoopback(rules);
  const sent = await send({ url, callbackToken, body: event.body, allowLoopback, signal });
  return sent.delivered ? { kind: 'delivered' } : { kind: 'failed', problem: sent.problem };
}

/** Writes the ending down, if the claim still is ours: a revocation or another node may have taken it (INV-33). */
async function settle({ db, clock, random }: OutboxEdges, event: ClaimedEvent, ending: Ending): Promise<void> {
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

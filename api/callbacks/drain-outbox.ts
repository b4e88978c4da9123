/** Sends the callbacks that are due, each in a slot of its own: a slow receiver delays nobody else. */

import PQueue from 'p-queue';
import type { Cluster } from '../../cluster/cluster.ts';
import { reasonOf } from '../../reasons/reason.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { transactAlone } from '../../runtime/database/database.ts';
import type { Failpoint } from '../../runtime/failpoint.ts';
import { inBackground } from '../../runtime/in-background.ts';
import { authorizeWork, type ConnectionAuthorization } from '../integration/authorize.ts';
import type { ConnectionRules } from '../integration/compare-configuration.ts';
import { openTokens } from '../integration/connections.ts';
import { allowsLoopback } from '../integration/saved-urls.ts';
import { requestTimeoutMs } from '../outgoing/request-once.ts';
import type { CallbackMeter } from './callback-measures.ts';
import { claimEvents, type DueConnection, dueConnections, holdsClaim, type WaitingEvent } from './due-events.ts';
import { eventLifetimeMs } from './retry-schedule.ts';
import type { Attempt, Callback } from './send-callback.ts';
import { type Ending, settleCallback } from './settle-callback.ts';
import { type Slot, type Slots, shareSlots } from './share-slots.ts';

/** The dependencies of the outbox. `sealKey` decrypts the callback tokens. */
export interface OutboxDeps extends CommonDeps {
  /** Makes one attempt within `requestTimeoutMs`. */
  readonly send: (callback: Callback) => Promise<Attempt>;
  readonly sealKey: Uint8Array;
  readonly rules: ConnectionRules;
  readonly meter?: CallbackMeter | undefined;
  readonly at?: Failpoint | undefined;
  readonly cluster: Pick<Cluster, 'id'>;
}

/** The running outbox. */
export interface Outbox {
  /**
   * Begins to send everything that is due. The promise resolves when all events that there are slots for are claimed.
   */
  drain(): Promise<void>;
  /** Resolves when no send is under way. */
  idle(): Promise<void>;
  /** Cancels the sends under way without counting them, returns their claims, and starts nothing more (INV-74). */
  stop(): Promise<void>;
}

/**
 * A claim lasts four times as long as an attempt may take; after that its process is considered dead. What a node that is
 * known to be dead has claimed is given back sooner (`api/delivery/take-over.ts`).
 */
const leaseMs = 4 * requestTimeoutMs;
const maxRestMs = 250;
/** The number of events of one connection that are claimed together. */
const claimedAtOnce = 64;

/** Makes the outbox. Several nodes may drain one database, because a claim is a compare-and-set on `due_at`. */
export function createOutbox(deps: OutboxDeps): Outbox {
  const { db, clock, logger } = deps;
  const slots = shareSlots();
  // The queue only counts the sends under way; the slots decide who may begin.
  const queue = new PQueue();
  const stopping = new AbortController();
  const passes = passesInTurn(clock, claimDue);

  /** Claims events until none is due that has a slot. */
  async function claimDue(): Promise<void> {
    for (let more = true; more && !stopping.signal.aborted; ) {
      more = false;
      const due = await dueConnections(db, clock.now());
      // A connection with few attempts under way goes first, whatever the age of the others' backlog.
      const order = due
        .map((connection) => ({ connection, underWay: slots.underWay(connection.connectionId) }))
        .sort((one, other) => one.underWay - other.underWay);
      for (const { connection } of order) if (await beginEvents(connection)) more = true;
    }
  }

  /** Begins up to `claimedAtOnce` events while there are slots, and returns whether there were any. */
  async function beginEvents(connection: DueConnection): Promise<boolean> {
    // The slots are taken before anything is claimed: without a free slot the database is not asked.
    const free = slots.takeSome(connection, claimedAtOnce);
    if (free.length === 0) return false;
    try {
      const claimed = await claim(deps, connection, free.length);
      for (const event of claimed) {
        const given = free.pop();
        if (given !== undefined) inBackground(logger, 'send a callback', () => queue.add(() => work(event, given)));
        else await settleCallback(deps, event, { kind: 'interrupted' }, 0); // More than was asked for: it stays due.
      }
      return claimed.length > 0;
    } finally {
      for (const slot of free) slots.give(slot);
    }
  }

  async function work(event: WaitingEvent, slot: Slot): Promise<void> {
    try {
      await sendClaimed(deps, event, slots, stopping.signal);
    } catch (error) {
      logger.error({ error, eventId: event.id }, 'a callback broke off; its lease will expire');
    } finally {
      slots.give(slot);
    }
    // Events that found no slot before may find one now.
    await passes.ask().catch((error: unknown) => logger.error({ error }, 'the outbox could not be read'));
  }

  return {
    drain: passes.ask,
    idle: () => queue.onIdle(),
    async stop() {
      stopping.abort(new Error('the service stops'));
      await passes.ended();
      await queue.onIdle();
    },
  };
}

/** Runs passes one after another. Events that become due during one wait for the next, which all callers share. */
function passesInTurn(clock: Clock, pass: () => Promise<void>) {
  let running: Promise<void> | undefined;
  let following: Promise<void> | undefined;

  function ask(): Promise<void> {
    if (running === undefined) {
      running = pass().finally(() => {
        running = undefined;
      });
      return running;
    }
    following ??= rested(running).then(() => {
      following = undefined;
      return ask();
    });
    return following;
  }

  /**
   * Waits for the pass, then four times as long as it took: where thousands of receivers are dead, each ending asks for
   * another pass.
   */
  async function rested(underWay: Promise<void>): Promise<void> {
    const startedAt = clock.now();
    await underWay.catch(() => {});
    const restMs = Math.min(maxRestMs, 4 * (clock.now() - startedAt));
    if (restMs > 0) await new Promise<void>((resolve) => void clock.after(restMs, resolve));
  }

  return { ask, ended: async (): Promise<void> => await running?.catch(() => {}) };
}

function claim(
  { db, clock, cluster }: OutboxDeps,
  connection: DueConnection,
  limit: number,
): Promise<readonly WaitingEvent[]> {
  const due_at = clock.now() + leaseMs;
  return claimEvents(db, connection, { now: clock.now(), until: due_at, by: cluster.id, limit });
}

async function sendClaimed(deps: OutboxDeps, event: WaitingEvent, slots: Slots, stopping: AbortSignal): Promise<void> {
  const { clock, meter } = deps;
  await deps.at?.('callback.claimed');
  const startedAt = clock.now();
  const ended = await attemptOnce(deps, event, stopping);
  const tookMs = clock.now() - startedAt;
  slots.took(event.connection_id, tookMs);
  await deps.at?.('callback.sent');
  if (ended === 'lost') return;
  const isCut = stopping.aborted && ended.kind === 'failed';
  const ending: Ending = isCut ? { kind: 'interrupted' } : ended;
  meter?.count('papergate_callback_attempts_total', { outcome: ending.kind });
  await settleCallback(deps, event, ending, tookMs);
}

/** Sends one event if its connection may still act; `lost` when another node has claimed it meanwhile. */
async function attemptOnce(deps: OutboxDeps, event: WaitingEvent, signal: AbortSignal): Promise<Ending | 'lost'> {
  const { clock, send, rules, sealKey } = deps;
  if (clock.now() > event.created_at + eventLifetimeMs)
    return { kind: 'dropped', problem: reasonOf('older-than-seven-days') };
  const authorization = await authorizeEvent(deps, event);
  if (!authorization.ok) return { kind: 'dropped', problem: authorization.code };
  const { id, organization_id: organizationId, callback_url: url } = authorization.connection;
  const { callbackToken } = openTokens(authorization.connection, sealKey);
  const allowLoopback = allowsLoopback(rules);
  let ended: Ending | 'lost' | undefined;
  // Look-up and handshake take time, so all is asked again on the open socket, before a byte is written.
  const mayBegin = async (): Promise<boolean> => {
    const still = await authorizeClaimed(deps, event);
    if (still === 'lost') ended = still;
    else if (!still.ok) ended = { kind: 'dropped', problem: still.code };
    return ended === undefined;
  };
  const sent = await send({
    sharer: [organizationId, id],
    url,
    callbackToken,
    body: event.body,
    allowLoopback,
    signal,
    mayBegin,
    anyPort: !rules.production,
  });
  if (ended !== undefined) return ended;
  const { status } = sent;
  return sent.delivered ? { kind: 'delivered', status } : { kind: 'failed', status, problem: sent.problem };
}

/**
 * Checks whether the event's connection may act, and whether this node's claim of it is held and will be until the attempt
 * has ended, at one moment: a node that was paused before it must not send alongside the one that took over.
 */
async function authorizeClaimed(deps: OutboxDeps, event: WaitingEvent): Promise<ConnectionAuthorization | 'lost'> {
  if (event.claimed_by === null) return authorizeEvent(deps, event);
  const { db, rules, clock } = deps;
  const { connection_id: connectionId, generation } = event;
  const authorization = await transactAlone(db, async (trx) => {
    const isHeld = await holdsClaim(trx, event);
    return isHeld ? authorizeWork(trx, { connectionId, generation }, rules) : 'lost';
  });
  return clock.now() + requestTimeoutMs <= event.due_at ? authorization : 'lost';
}

/**
 * Checks whether the event's connection may act (spec: Delivery behavior 6). The check is one transaction, so that no
 * revocation is answered between its reads, nor together with them (INV-53).
 */
async function authorizeEvent({ db, rules }: OutboxDeps, event: WaitingEvent): Promise<ConnectionAuthorization> {
  const { connection_id: connectionId, generation } = event;
  const authorization = await transactAlone(db, (trx) => authorizeWork(trx, { connectionId, generation }, rules));
  return authorization;
}

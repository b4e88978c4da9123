/**
 * Sends what channels owe. All that waits at a channel when its time has come is one message; a channel whose receiver
 * fails is tried again later and later, and holds up no other.
 */

import PQueue from 'p-queue';
import { type Reason, storedReasons } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { type Database, transact } from '../../runtime/database/database.ts';
import { inBackground } from '../../runtime/in-background.ts';
import type { Logger } from '../../runtime/logger.ts';
import { eventLifetimeMs, retryDelayMs } from '../callbacks/retry-schedule.ts';
import { type Slot, shareSlots } from '../callbacks/share-slots.ts';
import type { AlertMeter } from './alert-measures.ts';
import { type ChannelRow, claimMs, inPart, notFailing } from './channels.ts';
import type { SentOutcome } from './mail.ts';
import { lockChannel, type NoticeRow, sentLately } from './notices.ts';
import type { OutageRow } from './outage-kinds.ts';
import { mayIn, planned } from './quiet-hours.ts';
import { type AlertMessage, type ReportedOutage, wordMessage } from './word-message.ts';

export interface DrainDeps extends CommonDeps {
  readonly meter?: AlertMeter | undefined;
  /** Sends one message; takes a minute at most, and never throws. */
  readonly send: (channel: ChannelRow, message: AlertMessage, stopping: AbortSignal) => Promise<SentOutcome>;
  /** The address of the service, without a slash at its end. */
  readonly publicUrl: () => string;
  /** Returns lines that a message takes along besides its outages; left out, there are none. */
  readonly alongside?: ((channel: ChannelRow) => Promise<readonly string[]>) | undefined;
}

/** The most channels that one look takes up. */
const maxAtOnce = 200;
/** The most notices that one message lists. */
const maxTold = 200;

/** The sender of owed notices. */
export interface Drain {
  /** Begins to send the due notices. Resolves once every channel that has a slot is claimed. */
  drain(): Promise<void>;
  /** Resolves when nothing is being sent. */
  idle(): Promise<void>;
  /** Cancels the sends under way without counting them, and starts no others (INV-74). */
  stop(): Promise<void>;
}

/** Makes the sending. Several nodes may drain one database, because a claim is a compare-and-set on `next_at`. */
export function drainNotices(deps: DrainDeps): Drain {
  const { db, clock, logger } = deps;
  const slots = shareSlots();
  const queue = new PQueue();
  const stopping = new AbortController();

  async function begin(channel: ChannelRow): Promise<void> {
    // Slots are shared among organizations, so that one with many dead receivers delays nobody else.
    const slot = slots.take(channel.organization_id ?? '', channel.attempts > 0);
    if (slot === undefined) return;
    const claimed = await claim(deps, channel).catch((error: unknown) => {
      slots.give(slot);
      throw error;
    });
    if (claimed === undefined) slots.give(slot);
    else inBackground(logger, 'send a message about outages', () => queue.add(() => work(claimed, slot)));
  }

  async function work(channel: ChannelRow, slot: Slot): Promise<void> {
    const startedAt = clock.now();
    try {
      await sendOwed(deps, channel, stopping.signal);
    } finally {
      slots.took(slot.connectionId, clock.now() - startedAt);
      slots.give(slot);
    }
  }

  return {
    async drain() {
      const due = await db<ChannelRow>('alert_channels')
        .where('next_at', '<=', clock.now())
        .orderBy('next_at')
        .limit(maxAtOnce);
      for (const channel of due) {
        if (stopping.signal.aborted) return;
        await begin(channel);
      }
    },
    idle: () => queue.onIdle(),
    async stop() {
      stopping.abort(new Error('the service stops'));
      await queue.onIdle();
    },
  };
}

/** Claims a channel, if it may send now; otherwise plans when it may. */
async function claim({ db, clock }: DrainDeps, channel: ChannelRow): Promise<ChannelRow | undefined> {
  const now = clock.now();
  const at = channel.is_on === 1 ? mayIn(now, channel, await sentLately(db, channel.id, now)) : null;
  const isNow = at === now;
  const next_at = isNow ? now + claimMs : at;
  const taken = await db('alert_channels').where({ id: channel.id, next_at: channel.next_at }).update({ next_at });
  return isNow && taken > 0 ? { ...channel, next_at } : undefined;
}

type Owed = NoticeRow & Pick<OutageRow, 'kind' | 'subject' | 'name' | 'since' | 'ended_at' | 'closed_at'>;

const owedBy = (db: Database, channelId: string): Promise<Owed[]> =>
  db('alert_notices as n')
    .join('alert_outages as o', 'o.id', 'n.outage_id')
    .where({ 'n.channel_id': channelId })
    .whereNull('n.sent_at')
    .orderBy('n.id')
    .limit(maxTold)
    .select('n.*', 'o.kind', 'o.subject', 'o.name', 'o.since', 'o.ended_at', 'o.closed_at');

async function sendOwed(deps: DrainDeps, channel: ChannelRow, stopping: AbortSignal): Promise<void> {
  const { db, clock, random, meter } = deps;
  const dropped = await dropOld(db, channel, clock.now());
  if (dropped > 0) meter?.count('papergate_alert_messages_total', { outcome: 'dropped' }, dropped);
  const owed = await owedBy(db, channel.id);
  const leftOut = channel.left_out + dropped;
  if (owed.length === 0) {
    await settle(deps, channel, { dropped });
    return;
  }
  const wording = { language: channel.language, timeZone: channel.time_zone, publicUrl: deps.publicUrl() };
  const worded = wordMessage(random.id(), outagesOf(owed), leftOut, wording);
  const along = (await deps.alongside?.(channel)) ?? [];
  const message = along.length === 0 ? worded : { ...worded, text: [worded.text, '', ...along].join('\n') };
  const outcome = await deps.send(channel, message, stopping);
  if (stopping.aborted && !outcome.ok) {
    // The node that takes over sends it at once.
    const { id, next_at } = channel;
    await db('alert_channels').where({ id, next_at }).update({ next_at: clock.now() });
    return;
  }
  meter?.count('papergate_alert_messages_total', { outcome: outcome.ok ? 'sent' : 'failed' });
  await settle(deps, channel, { dropped, outcome, message: { id: message.id, noticeIds: owed.map(({ id }) => id) } });
}

/** Makes one entry of each outage: what began and ended while it waited is reported as over. */
function outagesOf(owed: readonly Owed[]): ReportedOutage[] {
  const told = new Map<string, ReportedOutage>();
  for (const { outage_id: id, kind, subject, name, since, ended_at, phase } of owed) {
    told.set(id, { id, kind, subject, name, since, endedAt: phase === 'ended' ? ended_at : null });
  }
  return [...told.values()];
}

/** Drops what could not be sent for as long as callbacks are tried. @returns how many notices */
const dropOld = (db: Database, { id }: ChannelRow, now: number): Promise<number> =>
  db('alert_notices')
    .where({ channel_id: id })
    .whereNull('sent_at')
    .where('created_at', '<=', now - eventLifetimeMs)
    .delete();

interface Settled {
  /** How many notices were dropped before. */
  readonly dropped: number;
  /** Undefined where there was nothing to send. */
  readonly outcome?: SentOutcome;
  readonly message?: { readonly id: string; readonly noticeIds: readonly string[] };
}

/** Stores how sending ended, as long as the claim is held: the channel may have been changed meanwhile. */
async function settle(deps: DrainDeps, claimed: ChannelRow, { dropped, outcome, message }: Settled): Promise<void> {
  const { db, clock, random } = deps;
  const now = clock.now();
  const refused = outcome?.ok === true ? outcome.refused : undefined;
  const isFirst = await transact(db, async (trx) => {
    const channel = await lockChannel(trx, claimed.id);
    if (channel === undefined) return false;
    const rows = trx('alert_channels').where({ id: channel.id });
    if (outcome?.ok === true) {
      const ids = message?.noticeIds ?? [];
      await trx('alert_notices')
        .whereIn('id', ids)
        .update({ sent_at: now, message_id: message?.id ?? null });
    }
    const isHeld = channel.next_at === claimed.next_at;
    if (outcome?.ok === false) {
      if (!isHeld) return false;
      const attempts = channel.attempts + 1;
      await rows.update({
        attempts,
        left_out: channel.left_out + dropped,
        next_at: now + retryDelayMs(attempts, random.jitter()),
        last_error: storedReasons(outcome.problem),
        last_error_at: now,
        failing_since: channel.failing_since ?? now,
      });
      return channel.failing_since === null;
    }
    const waits = await trx('alert_notices').where({ channel_id: channel.id }).whereNull('sent_at').first('id');
    const next = waits === undefined ? null : planned(now, channel, await sentLately(trx, channel.id, now));
    const wellAgain = {
      attempts: 0,
      // The next message reports what was left out since then.
      left_out: channel.left_out - claimed.left_out,
      last_sent_at: now,
      ...(refused === undefined ? notFailing : inPart(refused, channel.failing_since, now)),
    };
    await rows.update({
      next_at: next,
      ...(outcome === undefined ? { left_out: channel.left_out + dropped } : wellAgain),
    });
    return refused !== undefined && channel.failing_since === null;
  });
  const problem = outcome?.ok === false ? outcome.problem : refused;
  if (isFirst && problem !== undefined) tellFailing(deps.logger, claimed, problem);
}

/** Logs once that a channel fails: the operator's own is theirs to mend, any other its organization's. */
function tellFailing(logger: Logger, { id, kind, organization_id: organization }: ChannelRow, problem: Reason): void {
  const fields = { channel: id, kind, ...(organization !== null && { organization }), problem: wordsOf(problem) };
  const words = 'an alert channel fails: what it has to tell waits, or reaches some of its recipients alone';
  if (organization === null) logger.warn(fields, words);
  else logger.info(fields, words);
}

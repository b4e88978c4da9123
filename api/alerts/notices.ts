/** Notices to channels that an outage began or ended, written in the transaction that records it. */

import type { Database, Transaction } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import type { Moment } from '../../runtime/moment.ts';
import { type ChannelPlace, outagesIn, placesOf } from './channel-places.ts';
import { type ChannelRow, kindsOf } from './channels.ts';
import type { OutageRow } from './outage-kinds.ts';
import { planned } from './quiet-hours.ts';
import type { alertsTables } from './tables.ts';

const hourMs = 3_600_000;
/** The most notices that wait at one channel; beyond it the oldest are left out. */
const maxWaiting = 500;

export type Phase = 'began' | 'ended';

/** A row of `alert_notices`. */
export type NoticeRow = RowIn<typeof alertsTables, 'alert_notices', { phase: Phase }>;

/** Returns the times of a channel's messages of the last hour, oldest first. */
export async function sentLately(db: Database, channelId: string, now: number): Promise<readonly number[]> {
  const rows: { sent_at: number }[] = await db('alert_notices')
    .where({ channel_id: channelId })
    .where('sent_at', '>', now - hourMs)
    .groupBy('message_id', 'sent_at')
    .orderBy('sent_at')
    .select('sent_at');
  return rows.map(({ sent_at }) => sent_at);
}

/** Locks a channel until the transaction ends, so that owed and sent notices are never judged concurrently. */
export async function lockChannel(trx: Transaction, id: string): Promise<ChannelRow | undefined> {
  await trx('alert_channels')
    .where({ id })
    .update({ attempts: trx.ref('attempts') });
  return trx<ChannelRow>('alert_channels').where({ id }).first();
}

/** Outages that have owed notices, because they began or ended. */
interface OwedNotices<Outage> {
  readonly outages: readonly Outage[];
  readonly phase: Phase;
}

/** Queues these outages for every channel of their organization that is subscribed to their kind, and plans when it is notified. */
export async function oweNotices(
  trx: Transaction,
  { outages, phase }: OwedNotices<Pick<OutageRow, 'id' | 'organization_id' | 'kind' | 'subject'>>,
  moment: Moment,
): Promise<void> {
  for (const organizationId of new Set(outages.map(({ organization_id }) => organization_id))) {
    const theirs = outages.filter(({ organization_id }) => organization_id === organizationId);
    const channels = await trx<ChannelRow>('alert_channels')
      .where({ organization_id: organizationId, is_on: 1 })
      .orderBy('id')
      .select('id');
    for (const { id } of channels) await oweToChannel(trx, id, { outages: theirs, phase }, moment);
  }
}

async function oweToChannel(
  trx: Transaction,
  channelId: string,
  { outages, phase }: OwedNotices<Pick<OutageRow, 'id' | 'kind' | 'subject'>>,
  { now, random }: Moment,
): Promise<void> {
  const channel = await lockChannel(trx, channelId);
  if (channel === undefined) return;
  const kinds = kindsOf(channel);
  const ofKinds = outages.filter(({ kind }) => kinds === null || kinds.includes(kind));
  const places = placesOf(channel);
  const wanted = places === null ? ofKinds : await wantedIn(trx, channelId, places, { outages: ofKinds, phase });
  if (wanted.length === 0) return;
  const rows = wanted.map(({ id }) => ({
    id: random.id(),
    channel_id: channelId,
    outage_id: id,
    phase,
    created_at: now,
  }));
  await trx.batchInsert('alert_notices', rows, 50);
  const leftOut = await leaveOutOldest(trx, channelId);
  const next_at = channel.next_at ?? planned(now, channel, await sentLately(trx, channelId, now));
  await trx('alert_channels')
    .where({ id: channelId })
    .update({ next_at, left_out: channel.left_out + leftOut });
}

/** Those in the places of a channel; the end is owed wherever the beginning was reported, although the frame hangs elsewhere now. */
async function wantedIn<Outage extends Pick<OutageRow, 'id' | 'kind' | 'subject'>>(
  trx: Transaction,
  channelId: string,
  places: readonly ChannelPlace[],
  { outages, phase }: OwedNotices<Outage>,
): Promise<Outage[]> {
  const there = await outagesIn(trx, places, outages);
  if (phase === 'began') return there;
  const ids = outages.map(({ id }) => id);
  const told: string[] = await trx('alert_notices')
    .where({ channel_id: channelId, phase: 'began' })
    .whereIn('outage_id', ids)
    .pluck('outage_id');
  return outages.filter((outage) => there.includes(outage) || told.includes(outage.id));
}

/** Leaves out the oldest notices beyond those that may wait. @returns how many */
async function leaveOutOldest(trx: Transaction, channelId: string): Promise<number> {
  const waiting = trx('alert_notices').where({ channel_id: channelId }).whereNull('sent_at');
  const surplus: string[] = await waiting.orderBy('id', 'desc').offset(maxWaiting).limit(10_000).pluck('id');
  for (let from = 0; from < surplus.length; from += 500) {
    await trx('alert_notices')
      .whereIn('id', surplus.slice(from, from + 500))
      .delete();
  }
  return surplus.length;
}

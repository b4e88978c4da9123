/** Makes the operator's own channels as the settings name them, and removes those that the settings no longer name. */
import { hash } from 'node:crypto';
import { type Database, transact } from '../../runtime/database/database.ts';
import type { OperatorsReceiver } from './alert-settings.ts';
import { type ChannelDeps, type ChannelRow, defaultChoice, hasSecret, newChannelRow } from './channels.ts';

/** Brings the rows in line with the settings; writes nothing where they are already. */
export async function setUpOperatorsChannels(
  db: Database,
  deps: ChannelDeps,
  receivers: readonly OperatorsReceiver[],
): Promise<void> {
  const named = new Map(receivers.map((receiver) => [idOf(receiver), receiver]));
  const rows = await db<ChannelRow>('alert_channels').whereNull('organization_id');
  const isAsNamed = (row: ChannelRow): boolean =>
    named.has(row.id) && hasSecret(row, named.get(row.id)?.secret, deps.sealKey);
  const stale = rows.filter((row) => !isAsNamed(row)).map(({ id }) => id);
  const kept = rows.filter(isAsNamed).map(({ id }) => id);
  const missing = [...named].filter(([id]) => !kept.includes(id));
  if (stale.length === 0 && missing.length === 0) return;
  await transact(db, async (trx) => {
    await trx('alert_channels').whereIn('id', stale).delete();
    for (const [, receiver] of missing) await trx('alert_channels').insert(channelOfOperator(deps, receiver));
  });
}

/** The id follows from where the channel leads, so that every node and every start makes the same one. */
const idOf = ({ kind, target }: OperatorsReceiver): string =>
  hash('sha256', JSON.stringify([kind, target])).slice(0, 24);

/** Makes the row of a receiver. */
export function channelOfOperator(deps: ChannelDeps, receiver: OperatorsReceiver): ChannelRow {
  const { kind, target } = receiver;
  const choice = { ...defaultChoice, kind, target, name: 'PAPERGATE_ALERTS_TO' };
  return newChannelRow(deps, { id: idOf(receiver), organizationId: null }, choice, receiver.secret);
}

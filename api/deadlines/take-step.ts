/** Takes a step of a deadline: owes a message to channels or a person, or puts the paper on another frame. */
import type { Transaction } from '../../runtime/database/database.ts';
import type { Moment } from '../../runtime/moment.ts';
import { hangsIn, placesOf } from '../alerts/channel-places.ts';
import type { ChannelRow } from '../alerts/channels.ts';
import { planned } from '../alerts/quiet-hours.ts';
import { type DeviceRow, deviceStore } from '../devices/store.ts';
import type { DeadlineNoticeRow, NoticeTarget, OccurrenceRow } from './deadline-rows.ts';
import { newOccurrence } from './new-occurrence.ts';
import type { DeadlineSituation } from './read-situation.ts';
import { type DeadlineStep, maxSteps } from './steps.ts';

/** A step that is taken now. */
interface TakenStep {
  readonly situation: DeadlineSituation;
  /** The row as it was just written. */
  readonly row: OccurrenceRow;
  readonly step: DeadlineStep;
  readonly number: number;
}

/** Takes a step, in the transaction that counts it. @returns true when another frame was given the paper */
export async function takeStep(trx: Transaction, taken: TakenStep, moment: Moment): Promise<boolean> {
  const { to } = taken.step;
  if ('device' in to) return putOnOther(trx, taken, to.device, moment);
  if ('person' in to) {
    await owe(trx, taken, { kind: 'person', id: to.person, at: moment.now }, moment);
    return false;
  }
  const channels = trx<ChannelRow>('alert_channels')
    .where({ organization_id: taken.situation.occurrence.deadline.organization_id, is_on: 1 })
    .orderBy('id');
  if ('channel' in to) channels.where({ id: to.channel });
  for (const channel of await channels) {
    const places = placesOf(channel);
    const { device } = taken.situation;
    // What hangs nowhere concerns everybody.
    if ('channels' in to && places !== null && device !== undefined && !hangsIn(places, device)) continue;
    // What was declared urgent waits for no quiet hours.
    const at = taken.step.urgent ? moment.now : planned(moment.now, channel, []);
    await owe(trx, taken, { kind: 'channel', id: channel.id, at }, moment);
  }
  return false;
}

interface Addressee {
  readonly kind: NoticeTarget;
  readonly id: string;
  /** When it is to be sent; null where nothing is. */
  readonly at: number | null;
}

async function owe(
  trx: Transaction,
  { row, step, number }: Pick<TakenStep, 'row' | 'number'> & { readonly step: Pick<DeadlineStep, 'urgent'> },
  { kind, id, at }: Addressee,
  { now, random }: Moment,
): Promise<void> {
  await trx('deadline_notices').insert({
    id: random.id(),
    occurrence_id: row.id,
    step: number,
    state: row.state,
    target_kind: kind,
    target_id: id,
    urgent: step.urgent ? 1 : 0,
    created_at: now,
    due_at: at,
    sent_at: at === null ? now : null,
  });
}

/** Has another frame of the organization show the same paper, and watches whether it does by the same time. */
async function putOnOther(trx: Transaction, taken: TakenStep, deviceId: string, moment: Moment): Promise<boolean> {
  const { deadline } = taken.situation.occurrence;
  const device: DeviceRow | undefined = await deviceStore(trx).locked(deviceId);
  const paper = await trx('papers')
    .where({ id: deadline.paper_id ?? '', organization_id: deadline.organization_id })
    .first('id');
  if (device === undefined || paper === undefined || device.organization_id !== deadline.organization_id) return false;
  await deviceStore(trx).change(device, { paper_id: paper.id, updated_at: moment.now });
  await owe(trx, taken, { kind: 'frame', id: deviceId, at: null }, moment);
  // It takes no steps of its own: the first frame's go on.
  const second = newOccurrence({ deadlineId: deadline.id, deviceId, by: taken.row.by_at, steps: maxSteps }, moment);
  await trx('deadline_occurrences').insert(second).onConflict(['deadline_id', 'device_id', 'by_at']).ignore();
  return device.paper_id !== paper.id;
}

/** All is well: those who were notified of trouble are notified of that, and what still waits is not sent. */
export async function oweAllClear(trx: Transaction, row: OccurrenceRow, moment: Moment): Promise<void> {
  const ofRow = () => trx<DeadlineNoticeRow>('deadline_notices').where({ occurrence_id: row.id });
  await ofRow().whereNull('sent_at').whereNotNull('due_at').whereNull('claim').update({ due_at: null });
  const told = await ofRow()
    .where((sent) => void sent.whereNotNull('sent_at').orWhereNotNull('claim'))
    .whereNot({ target_kind: 'frame' })
    .orderBy('id');
  const targets = new Map(told.map((notice) => [`${notice.target_kind} ${notice.target_id}`, notice]));
  for (const { target_kind, target_id, state } of targets.values()) {
    if (state === 'met' || state === 'met-late') continue;
    await owe(
      trx,
      { row, step: { urgent: false }, number: -1 },
      { kind: target_kind, id: target_id, at: moment.now },
      moment,
    );
  }
}

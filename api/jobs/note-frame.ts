/** Each frame that a job changes stands in the log of who did what by itself, in the transaction of its change. */
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Transaction } from '../../runtime/database/database.ts';
import { auditLog } from '../audit/audit-log.ts';
import type { DeviceRow } from '../devices/store.ts';
import type { JobRow } from './job-store.ts';

interface ChangedFrame {
  readonly job: Pick<JobRow, 'id' | 'organization_id' | 'account_id' | 'author' | 'name'>;
  readonly device: Pick<DeviceRow, 'id' | 'name' | 'serial'>;
  readonly act: 'given' | 'taken-back';
}

/** Writes the entry of a frame. It names the person who started the job, and the job. */
export async function noteFrameOfJob(
  trx: Transaction,
  { clock, random }: Pick<CommonDeps, 'clock' | 'random'>,
  { job, device, act }: ChangedFrame,
): Promise<void> {
  const user = await trx('users')
    .where({ account_id: job.account_id, organization_id: job.organization_id })
    .first('id');
  await auditLog(trx).insert([
    {
      id: random.id(),
      organization_id: job.organization_id,
      at: clock.now(),
      actor: 'service',
      account_id: job.account_id,
      user_id: user?.id ?? null,
      actor_name: job.author,
      key_id: null,
      key_name: null,
      action: act === 'given' ? 'device.changed' : 'device.restored',
      object_kind: 'device',
      object_id: device.id,
      object_name: device.name || (device.serial ?? ''),
      address: '',
      detail: JSON.stringify({ job: job.name || job.id }),
    },
  ]);
}

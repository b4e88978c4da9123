/** Which frames show a paper: those told to, in the paper's own organization (C-45, spec: "Frame assignment"). */
import type { Database } from '../../gateway/runtime/database.ts';
import type { DeviceRow } from '../devices/store.ts';

/** Devices whose shown paper this is, oldest first. Devices of another organization never count. */
export function devicesShowing(db: Database, paperId: string): Promise<DeviceRow[]> {
  return db('devices')
    .join('papers', (join) =>
      join.on('papers.id', 'devices.paper_id').andOn('papers.organization_id', 'devices.organization_id'),
    )
    .where({ 'devices.paper_id': paperId })
    .orderBy(['devices.created_at', 'devices.id'])
    .select<DeviceRow[]>('devices.*');
}

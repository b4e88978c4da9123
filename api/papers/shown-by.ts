/** Finds the frames that show a paper: those assigned to it, in its own organization (spec: "Frame assignment"). */
import type { Database } from '../../runtime/database/database.ts';
import type { DeviceRow } from '../devices/store.ts';

/** Finds the devices whose shown paper this is, oldest first. Devices of another organization never count. */
export function devicesShowing(db: Database, paperId: string): Promise<DeviceRow[]> {
  return db('devices')
    .join('papers', (join) =>
      join.on('papers.id', 'devices.paper_id').andOn('papers.organization_id', 'devices.organization_id'),
    )
    .where('devices.paper_id', paperId)
    .orderBy(['devices.created_at', 'devices.id'])
    .select<DeviceRow[]>('devices.*');
}

/** Stores devices. */

import { planAgain } from '../../gateway/frames/plans-due.ts';
import type { Database } from '../../runtime/database/database.ts';
import { firstRow } from '../../runtime/database/plain-sql.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import { orderingText } from '../../runtime/fold-text.ts';
import { keepOrganization } from '../directory/store.ts';
import { storedObject } from '../http/field-shapes.ts';
import { deviceImages } from './device-images.ts';
import type { devicesTables } from './tables.ts';

/** A row of `devices`. */
export type DeviceRow = RowIn<typeof devicesTables, 'devices'>;

/** The `device_id` of a paper whose device was removed, because the column takes no null. */
export const noDevice = '';

/** Finds a device by its id. It stands apart from the other queries because it is called most. */
export function findDevice(db: Database, id: string): Promise<DeviceRow | undefined> {
  return firstRow(db, 'select * from devices where id = ?', [id]);
}

/** The devices' queries over a database or a transaction. */
export function deviceStore(db: Database) {
  return {
    /** Finds a device as `findDevice` does, and locks it until the transaction ends. */
    locked: (id: string): Promise<DeviceRow | undefined> => db<DeviceRow>('devices').where({ id }).forUpdate().first(),

    findBySerial: (serial: string): Promise<DeviceRow | undefined> =>
      db<DeviceRow>('devices').where({ serial }).first(),

    async insert(row: DeviceRow): Promise<void> {
      await keepOrganization(db, row.organization_id);
      await db('devices').insert({ ...row, name_order: orderingText(row.name) });
      await planAgain(db, [row.id]);
    },

    change: (device: DeviceRow, change: Partial<DeviceRow>, returns = false): Promise<number> =>
      changeOwned(db, device, change, returns),

    /** Makes a device that shows no paper yet show this one. */
    async showFirst(deviceId: string, paperId: string, now: number): Promise<number> {
      const changed: number = await db('devices')
        .where({ id: deviceId, paper_id: null })
        .update({ paper_id: paperId, assignment: db.raw('assignment + 1'), updated_at: now });
      if (changed > 0) await planAgain(db, [deviceId]);
      return changed;
    },

    /** Takes the paper from devices of other organizations than the one that it is in now (T-66). */
    async letGoElsewhere(paperId: string, organizationId: string, now: number): Promise<number> {
      const left: { id: string }[] = await db('devices')
        .where({ paper_id: paperId })
        .whereNot({ organization_id: organizationId })
        .update({ paper_id: null, assignment: db.raw('assignment + 1'), updated_at: now })
        .returning('id');
      await planAgain(
        db,
        left.map(({ id }) => id),
      );
      return left.length;
    },

    /** Removes a device. Its papers stay and belong to no device any longer. */
    async remove(device: DeviceRow): Promise<void> {
      await deviceImages(db).removeAll(device.id);
      await forgetPlanned(db, device);
      await db('papers').where({ device_id: device.id }).update({ device_id: noDevice });
      await db('devices').where({ id: device.id, organization_id: device.organization_id }).delete();
    },
  };
}

/**
 * Changes a device that still belongs to this organization. A change of paper or organization raises the assignment
 * in the same statement, so that a frame that leaves and returns can be distinguished (D-3).
 * @param returns the frame showed something else and comes back to its paper
 */
async function changeOwned(
  db: Database,
  device: DeviceRow,
  { paper_id, organization_id, ...plain }: Partial<DeviceRow>,
  returns: boolean,
): Promise<number> {
  const differs: string[] = returns ? ['1 = 1'] : [];
  const moved: Record<string, string | null> = {};
  if (paper_id !== undefined) {
    differs.push('paper_id is distinct from :paper_id');
    moved.paper_id = paper_id;
  }
  if (organization_id !== undefined) {
    await keepOrganization(db, organization_id);
    if (organization_id !== device.organization_id) await forgetPlanned(db, device);
    differs.push('organization_id <> :organization_id');
    moved.organization_id = organization_id;
  }
  const name = deviceName({ ...device, ...plain });
  const raised = `assignment + case when ${differs.join(' or ')} then 1 else 0 end`;
  await planAgain(db, [device.id]);
  return db('devices')
    .where({ id: device.id, organization_id: device.organization_id })
    .update({
      ...plain,
      ...moved,
      name,
      name_order: orderingText(name),
      ...(differs.length === 0 ? {} : { assignment: db.raw(raised, moved) }),
    });
}

/** T-63: what is planned for a frame names papers of its owner, and is not for the next one. */
async function forgetPlanned(db: Database, { serial }: DeviceRow): Promise<void> {
  if (serial !== null) await db('frames').where({ serial }).update({ planned_changes: null });
}

/** Returns the name that people see: the given one, else the serial, else the kind. */
export function deviceName({ meta, serial, kind }: Pick<DeviceRow, 'meta' | 'serial' | 'kind'>): string {
  const { name } = storedObject(meta);
  const given = typeof name === 'string' || typeof name === 'number' ? String(name) : '';
  return given === '' ? (serial ?? kind ?? '') : given;
}

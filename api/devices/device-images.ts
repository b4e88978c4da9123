/** The stored images of a device: its own ones, besides the papers it shows. */

import { z } from 'zod';
import type { Database } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import { wrongField } from '../http/fit-schema.ts';
import type { devicesTables } from './tables.ts';

/** A row of `device_images`. */
export type DeviceImageRow = RowIn<typeof devicesTables, 'device_images', { orientation: 'portrait' | 'landscape' }>;

/** Images a device keeps; a new one takes the place of the one that was not touched for longest. */
export const maxImages = 100;

/** Names of what the frame shows, which no image of its own can have. */
export const currentFrames = ['current-frame', 'current-frame-original', 'current-frame-thumbnail'] as const;

/** The name of an image in a path (T-37). */
export const imageName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, wrongField('field-not-short-name'));

/** The name that a caller gives an image. */
export const newImageName = imageName.refine(
  (name) => !currentFrames.some((current) => current === name),
  wrongField('field-taken'),
);

/** The images' queries over a database or a transaction. */
export function deviceImages(db: Database) {
  const rows = () => db<DeviceImageRow>('device_images');
  return {
    find: (deviceId: string, uuid: string): Promise<DeviceImageRow | undefined> =>
      rows().where({ device_id: deviceId, uuid }).first(),

    ofRevision: (deviceId: string, revision: string): Promise<DeviceImageRow | undefined> =>
      rows().where({ device_id: deviceId, revision }).first(),

    /** Stores an image. One of that name keeps its meta and its age. */
    async put(row: DeviceImageRow): Promise<void> {
      const { device_id: deviceId, uuid } = row;
      const kept = ['revision', 'picture_key', 'device_picture_key', 'orientation', 'updated_at'] as const;
      await rows()
        .insert(row)
        .onConflict(['device_id', 'uuid'])
        .merge([...kept]);
      const newest = rows().where({ device_id: deviceId }).orderBy('updated_at', 'desc').orderBy('uuid');
      const old = await newest.offset(maxImages).limit(maxImages).pluck('uuid');
      await rows()
        .where({ device_id: deviceId })
        .whereIn(
          'uuid',
          old.filter((name) => name !== uuid),
        )
        .delete();
    },

    change: (deviceId: string, uuid: string, change: Partial<DeviceImageRow>): Promise<number> =>
      rows().where({ device_id: deviceId, uuid }).update(change),

    /** They stay with nobody: not with the next owner, and not without the device (T-16). */
    removeAll: (deviceId: string): Promise<number> => rows().where({ device_id: deviceId }).delete(),
  };
}

/** Devices: frames as the people's side knows them. */
import { createTable, isPostgres, type Migration } from '../../gateway/runtime/database.ts';

/** `assignment` counts every change of paper or organization, so that a frame that returns is told apart (D-3). */
export const deviceTables: Migration = {
  name: 'api-02-devices',
  async up(db) {
    await createTable(
      db,
      'devices',
      `id text primary key, organization_id text not null references organizations(id), serial text unique,
       kind text, patient text, paper_id text, assignment integer not null, meta text not null,
       details text not null, created_at integer not null, updated_at integer not null`,
    );
    await db.raw('create index devices_by_paper on devices (paper_id)');
    await db.raw('create index devices_by_organization on devices (organization_id, created_at)');
  },
};

/**
 * `name` is the one that people see, kept by every write, so that lists are ordered and searched by it without
 * reading `meta`. The indexes serve lists of one organization by age and by name, and the devices of a patient.
 */
export const deviceNames: Migration = {
  name: 'api-08-device-names',
  async up(db) {
    await db.raw(`alter table devices add column name text not null default ''`);
    const given = isPostgres(db) ? `meta::json->>'name'` : `cast(json_extract(meta, '$.name') as text)`;
    await db.raw(`update devices set name = coalesce(nullif(${given}, ''), serial, kind, '')`);
    await db.raw('drop index devices_by_organization');
    await db.raw('create index devices_by_age on devices (organization_id, created_at, id)');
    await db.raw('create index devices_by_name on devices (organization_id, name, id)');
    await db.raw('create index devices_by_patient on devices (patient) where patient is not null');
  },
};

/** Images that were sent to a device itself. */
export const deviceImageTables: Migration = {
  name: 'api-08-device-images',
  async up(db) {
    await createTable(
      db,
      'device_images',
      `device_id text not null references devices(id), uuid text not null, revision text not null,
       picture_key text not null, device_picture_key text, orientation text not null, meta text not null,
       created_at integer not null, updated_at integer not null, primary key (device_id, uuid)`,
    );
    await db.raw('create index device_images_by_picture on device_images (picture_key)');
    await db.raw(
      'create index device_images_by_device_picture on device_images (device_picture_key) where device_picture_key is not null',
    );
  },
};

/**
 * Devices that were registered without a kind are of their frame's. The name is one that comes after those of the
 * frames' tables, which it reads: on a new folder they are made in the order of their names.
 */
export const kindsOfFrames: Migration = {
  name: 'house-01-kinds-of-frames',
  async up(db) {
    await db.raw(
      `update devices set kind = (select kind from frames where frames.serial = devices.serial)
       where kind is null and serial is not null`,
    );
  },
};

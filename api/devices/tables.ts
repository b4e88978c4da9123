/** The tables of devices: frames as people know them. */
import { createTable, isPostgres, type Migration } from '../../runtime/database.ts';
import { orderingText } from '../../runtime/fold-text.ts';
import { storedObject } from '../http/field-shapes.ts';
import { flagsOfMeta } from './settings-of-meta.ts';

/**
 * `assignment` counts every change of paper or organization, so that a frame that returns can be distinguished (D-3).
 */
const deviceTables: Migration = {
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
 * `name` is the one that people see. Every write keeps it, so that lists are ordered and searched by it without
 * reading `meta`. The indexes serve lists of one organization by age and by name, and the devices of a patient.
 */
const deviceNames: Migration = {
  name: 'api-08-device-names',
  kind: 'contract',
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

/** Images that were uploaded to a device itself. */
const deviceImageTables: Migration = {
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
 * Gives devices that were registered without a kind the kind of their frame. The migration's name comes after those of
 * the frames' tables, which it reads: on a new folder they are made in the order of their names.
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

/**
 * Separates the history that a frame has of former owners (T-63): everything older than its device, and all history of
 * a frame without a device. The migration's name comes after those of the frames' tables, which it changes.
 */
const formerOwners: Migration = {
  name: 'house-02-former-owners',
  async up(db) {
    for (const [table, at] of [
      ['uploads', 'offered_at'],
      ['frame_events', 'at'],
    ] as const) {
      await db.raw(
        `update ${table} set ownership = 0 where not exists
         (select 1 from devices where devices.serial = ${table}.serial and devices.created_at <= ${table}.${at})`,
      );
    }
    // These uploads were replaced by nothing: their files are not needed any more.
    await db.raw('update uploads set replaced_at = offered_at where ownership = 0 and replaced_at is null');
  },
};

/**
 * Copies the flags that people set before frames were sent any (W-27). The migration's name comes after those of the
 * frames' tables, which it changes.
 */
export const flagsOfDevices: Migration = {
  name: 'house-03-flags-of-devices',
  async up(db) {
    const devices: { serial: string; meta: string }[] = await db('devices')
      .whereNotNull('serial')
      .select('serial', 'meta');
    for (const { serial, meta } of devices) {
      const flags = JSON.stringify(flagsOfMeta(storedObject(meta)));
      if (flags !== '{}') await db('frames').where({ serial }).update({ flags });
    }
  },
};

/** This index finds what was changed just now. */
const changedDevices: Migration = {
  name: 'api-22-changed-devices',
  async up(db) {
    await db.raw('create index devices_by_change on devices (updated_at)');
  },
};

/**
 * `name_order` is the name as lists are ordered by it (`orderingText`), which SQL alone cannot say: a list of many devices
 * would work it out for each of them.
 */
const deviceNameOrder: Migration = {
  name: 'api-26-device-name-order',
  kind: 'contract',
  async up(db) {
    await db.raw(`alter table devices add column name_order text not null default ''`);
    const devices: { id: string; name: string }[] = await db('devices').select('id', 'name');
    for (const { id, name } of devices) {
      await db('devices')
        .where({ id })
        .update({ name_order: orderingText(name) });
    }
    await db.raw('drop index devices_by_name');
    await db.raw('create index devices_by_name on devices (organization_id, name_order, id)');
  },
};

/**
 * `claimed_at` is when an admin made the serial the organization's own, before any board had logged in with it; null for
 * a frame that the operator provisioned.
 */
const deviceClaims: Migration = {
  name: 'api-41-claims',
  async up(db) {
    await db.raw(`alter table devices add column claimed_at ${isPostgres(db) ? 'bigint' : 'integer'}`);
    await db.raw('create index devices_by_claim on devices (claimed_at) where claimed_at is not null');
  },
};

/** `adoption_windows` are the times in which an organization takes every frame that asks from where it was opened. */
const adoptionWindows: Migration = {
  name: 'api-50-adoption-windows',
  async up(db) {
    await createTable(
      db,
      'adoption_windows',
      `organization_id text primary key references organizations(id) on delete cascade,
       until ${isPostgres(db) ? 'bigint' : 'integer'} not null, address text not null`,
    );
  },
};

/** All of them. A new one is added here and nowhere else. */
export const deviceMigrations: readonly Migration[] = [
  deviceTables,
  deviceNames,
  deviceImageTables,
  kindsOfFrames,
  formerOwners,
  flagsOfDevices,
  changedDevices,
  deviceNameOrder,
  deviceClaims,
  adoptionWindows,
];

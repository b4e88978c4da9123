/** The tables of devices: frames as people know them. */
import { orderingText } from '../../runtime/fold-text.ts';
import { isPostgres, type Migration, wholeNumbers } from '../../runtime/migration.ts';
import { storedObject } from '../http/field-shapes.ts';
import { flagsOfMeta } from './settings-of-meta.ts';

/**
 * `assignment` counts every change of paper or organization, so that a frame that returns can be distinguished (D-3).
 */
const deviceTables: Migration = {
  name: 'api-02-devices',
  up: [
    `create table devices (id text primary key, organization_id text not null references organizations(id), serial text unique,
       kind text, patient text, paper_id text, assignment integer not null, meta text not null,
       details text not null, created_at integer not null, updated_at integer not null)`,
    'create index devices_by_paper on devices (paper_id)',
    'create index devices_by_organization on devices (organization_id, created_at)',
  ],
};

/**
 * `name` is the one that people see. Every write keeps it, so that lists are ordered and searched by it without
 * reading `meta`. The indexes serve lists of one organization by age and by name, and the devices of a patient.
 */
const deviceNames: Migration = {
  name: 'api-08-device-names',
  kind: 'contract',
  up(db) {
    const given = isPostgres(db) ? `meta::json->>'name'` : `cast(json_extract(meta, '$.name') as text)`;
    return [
      `alter table devices add column name text not null default ''`,
      `update devices set name = coalesce(nullif(${given}, ''), serial, kind, '')`,
      'drop index devices_by_organization',
      'create index devices_by_age on devices (organization_id, created_at, id)',
      'create index devices_by_name on devices (organization_id, name, id)',
      'create index devices_by_patient on devices (patient) where patient is not null',
    ];
  },
};

/** Images that were uploaded to a device itself. */
const deviceImageTables: Migration = {
  name: 'api-08-device-images',
  up: [
    `create table device_images (device_id text not null references devices(id), uuid text not null, revision text not null,
       picture_key text not null, device_picture_key text, orientation text not null, meta text not null,
       created_at integer not null, updated_at integer not null, primary key (device_id, uuid))`,
    'create index device_images_by_picture on device_images (picture_key)',
    'create index device_images_by_device_picture on device_images (device_picture_key) where device_picture_key is not null',
  ],
};

/**
 * Gives devices that were registered without a kind the kind of their frame. The migration's name comes after those of
 * the frames' tables, which it reads: on a new folder they are made in the order of their names.
 */
export const kindsOfFrames: Migration = {
  name: 'house-01-kinds-of-frames',
  up: [
    `update devices set kind = (select kind from frames where frames.serial = devices.serial)
       where kind is null and serial is not null`,
  ],
};

/**
 * Separates the history that a frame has of former owners (T-63): everything older than its device, and all history of
 * a frame without a device. The migration's name comes after those of the frames' tables, which it changes.
 */
const formerOwners: Migration = {
  name: 'house-02-former-owners',
  up: [
    `update uploads set ownership = 0 where not exists
     (select 1 from devices where devices.serial = uploads.serial and devices.created_at <= uploads.offered_at)`,
    `update frame_events set ownership = 0 where not exists
     (select 1 from devices where devices.serial = frame_events.serial and devices.created_at <= frame_events.at)`,
    // These uploads were replaced by nothing: their files are not needed any more.
    'update uploads set replaced_at = offered_at where ownership = 0 and replaced_at is null',
  ],
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
  up: ['create index devices_by_change on devices (updated_at)'],
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
  up: (db) => [
    `alter table devices add column claimed_at ${wholeNumbers(db)}`,
    'create index devices_by_claim on devices (claimed_at) where claimed_at is not null',
  ],
};

/** `adoption_windows` are the times in which an organization takes every frame that asks from where it was opened. */
const adoptionWindows: Migration = {
  name: 'api-50-adoption-windows',
  up: [
    `create table adoption_windows (organization_id text primary key references organizations(id) on delete cascade,
       until integer not null, address text not null)`,
  ],
};

/** A window counts what it adopted, and what it adopted in the minute that began at `minute_from`; null for none. */
const windowCounts: Migration = {
  name: 'api-62-window-counts',
  up: (db) => [
    `alter table adoption_windows add column adopted ${wholeNumbers(db)}`,
    `alter table adoption_windows add column minute_from ${wholeNumbers(db)}`,
    `alter table adoption_windows add column minute_adopted ${wholeNumbers(db)}`,
  ],
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
  windowCounts,
];

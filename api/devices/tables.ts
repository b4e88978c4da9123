import { baseline, type Migration } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';

/** The frames as people see and set them. Times are epoch milliseconds. */
const devices = defineTable(
  'devices',
  {
    id: 'text primary key',
    organization_id: 'text not null references organizations(id)',
    // Lower case.
    serial: 'text unique',
    kind: 'text',
    patient: 'text',
    paper_id: 'text',
    // Counts every change of paper or organization, so that a frame that returns can be distinguished (D-3).
    assignment: 'integer not null',
    // A JSON object.
    meta: 'text not null',
    // A JSON object.
    details: 'text not null',
    created_at: 'integer not null',
    updated_at: 'integer not null',
    // The one that people see. Every write keeps it: lists are ordered and searched without reading `meta`.
    name: `text not null default ''`,
    // The sort key of the name (`orderingText`), which SQL alone cannot compute.
    name_order: `text not null default ''`,
    // When an admin claimed the serial before any board had logged in with it; null for a frame that was provisioned.
    claimed_at: 'integer',
  },
  [
    'create index devices_by_paper on devices (paper_id, created_at, id)',
    'create index devices_by_age on devices (organization_id, created_at, id)',
    'create index devices_by_patient on devices (patient) where patient is not null',
    'create index devices_by_change on devices (updated_at)',
    'create index devices_by_name on devices (organization_id, name_order, id)',
    'create index devices_by_claim on devices (claimed_at) where claimed_at is not null',
  ],
);

/** Images that were uploaded to a device itself. Times are epoch milliseconds. */
const deviceImages = defineTable(
  'device_images',
  {
    device_id: 'text not null references devices(id)',
    uuid: 'text not null',
    // New with every upload.
    revision: 'text not null',
    // The source in the files.
    picture_key: 'text not null',
    // A picture that was ready for the panel.
    device_picture_key: 'text',
    orientation: 'text not null',
    meta: 'text not null',
    created_at: 'integer not null',
    updated_at: 'integer not null',
  },
  [
    'primary key (device_id, uuid)',
    'create index device_images_by_picture on device_images (picture_key)',
    'create index device_images_by_device_picture on device_images (device_picture_key) where device_picture_key is not null',
  ],
);

/** The times in which an organization takes every frame that asks from where the window was opened. */
const adoptionWindows = defineTable('adoption_windows', {
  organization_id: 'text primary key references organizations(id) on delete cascade',
  until: 'integer not null',
  address: 'text not null',
  // How many it has adopted; null for none.
  adopted: 'integer',
  minute_from: 'integer',
  // How many of them in the minute that began at `minute_from`.
  minute_adopted: 'integer',
});

const deviceViewers = defineTable(
  'device_viewers',
  {
    user_id: 'text not null references users(id) on delete cascade',
    device_id: 'text not null references devices(id) on delete cascade',
    created_at: 'integer not null',
  },
  ['primary key (user_id, device_id)', 'create index device_viewers_by_device on device_viewers (device_id)'],
);

/** The tables of this subject. */
export const devicesTables = [devices, deviceImages, adoptionWindows, deviceViewers] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const deviceMigrations: readonly Migration[] = [baseline('devices', devicesTables)];

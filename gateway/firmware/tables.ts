/** The tables of firmware: images, rollouts, and how far the offer to each frame came. */
import type { Migration } from '../../runtime/database/database.ts';
import { baseline } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';

const firmwareImages = defineTable(
  'firmware_images',
  {
    id: 'text primary key',
    kind: 'text not null',
    dialect: 'text not null',
    version: 'text not null',
    sha256: 'text not null',
    bytes: 'integer not null',
    added_at: 'integer not null',
  },
  ['unique (kind, dialect, version)'],
);

/** At most one rollout of each kind, dialect and owner is live. */
const firmwareRollouts = defineTable(
  'firmware_rollouts',
  {
    id: 'text primary key',
    image_id: 'text not null references firmware_images(id)',
    kind: 'text not null',
    dialect: 'text not null',
    serial: 'text references frames(serial)',
    percent: 'integer not null',
    // The address of the image for classic frames.
    path: 'text not null unique',
    state: 'text not null',
    reason: 'text',
    // When it was made or last resumed: losses before it were seen by a person.
    counted_from: 'integer not null',
    created_at: 'integer not null',
    changed_at: 'integer not null',
    // Null for the operator's.
    owner: 'text',
  },
  [
    `create unique index firmware_rollouts_live on firmware_rollouts (kind, dialect, coalesce(owner, '')) where state in ('running', 'paused')`,
  ],
);

/** How far the offer to each frame came. Times are epoch milliseconds. */
const firmwareOffers = defineTable(
  'firmware_offers',
  {
    id: 'text primary key',
    rollout_id: 'text not null references firmware_rollouts(id)',
    serial: 'text not null references frames(serial)',
    path: 'text not null unique',
    version_before: 'text',
    // The frame's counter when the offer was last announced.
    boot: 'integer',
    tries: 'integer not null',
    // The last one that the frame reported before it failed.
    phase: 'text',
    told_at: 'integer',
    started_at: 'integer',
    // The time at which every byte had been sent to it.
    taken_at: 'integer',
    outcome: 'text',
    outcome_at: 'integer',
    // As `storedReasons` writes it.
    reason: 'text',
  },
  ['unique (rollout_id, serial)'],
);

/**
 * An owner's rollout reaches the frames that are listed for it, each under the `ownership` of that time: the rollout
 * leaves out a frame that has changed hands since (T-63).
 */
const firmwareRolloutFrames = defineTable(
  'firmware_rollout_frames',
  {
    rollout_id: 'text not null references firmware_rollouts(id)',
    serial: 'text not null references frames(serial)',
    ownership: 'integer not null',
  },
  ['primary key (rollout_id, serial)'],
);

/** The tables of this subject. */
export const firmwareTables = [firmwareImages, firmwareRollouts, firmwareOffers, firmwareRolloutFrames] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const firmwareMigrations: readonly Migration[] = [baseline('firmware', firmwareTables)];

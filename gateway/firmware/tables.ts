/** Firmware: images, to whom they are offered, and how far each frame came. */
import { createTable, type Migration } from '../runtime/database.ts';

/**
 * Of each kind and dialect at most one rollout is live. `path` is where classic frames find the image; `counted_from`
 * is when it was made or last resumed: losses before that were seen by a person. An offer's `phase` is the last one the
 * frame told before it failed, `boot` its counter when it was last told, `taken_at` when every byte went to it.
 */
export const firmwareTables: Migration = {
  name: 'gateway-05-firmware',
  async up(db) {
    await createTable(
      db,
      'firmware_images',
      `id text primary key, kind text not null, dialect text not null, version text not null, sha256 text not null,
       bytes integer not null, added_at integer not null, unique (kind, dialect, version)`,
    );
    await createTable(
      db,
      'firmware_rollouts',
      `id text primary key, image_id text not null references firmware_images(id), kind text not null, dialect text not null,
       serial text references frames(serial), percent integer not null, path text not null unique, state text not null,
       reason text, counted_from integer not null, created_at integer not null, changed_at integer not null`,
    );
    await db.raw(
      `create unique index firmware_rollouts_live on firmware_rollouts (kind, dialect) where state in ('running', 'paused')`,
    );
    await createTable(
      db,
      'firmware_offers',
      `id text primary key, rollout_id text not null references firmware_rollouts(id),
       serial text not null references frames(serial), path text not null unique, version_before text, boot integer,
       tries integer not null, phase text, told_at integer, started_at integer, taken_at integer, outcome text,
       outcome_at integer, reason text, unique (rollout_id, serial)`,
    );
  },
};

/** Invariants of frames, of the upload log, and of what refers to what. */
import { askForHelp, type Invariant } from './invariant.ts';

/** Clocks of nodes differ by ten seconds at most; this is beyond any of it. */
const aheadMs = 600_000;
const pushAgain = 'upload or push the picture once more; the next offer replaces what was offered before';

/** Columns that name a row of another table. */
const references = [
  ['users', 'account_id', 'accounts', 'id'],
  ['users', 'organization_id', 'organizations', 'id'],
  ['api_keys', 'user_id', 'users', 'id'],
  ['devices', 'organization_id', 'organizations', 'id'],
  ['devices', 'serial', 'frames', 'serial'],
  ['devices', 'paper_id', 'papers', 'id'],
  ['device_images', 'device_id', 'devices', 'id'],
  ['papers', 'organization_id', 'organizations', 'id'],
  ['paper_contents', 'paper_id', 'papers', 'id'],
  ['content_requests', 'connection_id', 'connections', 'id'],
  ['deliveries', 'request_id', 'content_requests', 'id'],
  ['callback_events', 'connection_id', 'connections', 'id'],
  ['uploads', 'serial', 'frames', 'serial'],
  ['frame_certificates', 'serial', 'frames', 'serial'],
  ['frame_commands', 'serial', 'frames', 'serial'],
  ['frame_watch', 'serial', 'frames', 'serial'],
  ['firmware_rollouts', 'image_id', 'firmware_images', 'id'],
  ['firmware_offers', 'rollout_id', 'firmware_rollouts', 'id'],
] as const;

/** All of them. */
export const frameInvariants: readonly Invariant[] = [
  {
    name: 'one-offer',
    rule: 'INV-39',
    means: 'a frame has two offers at once',
    next: pushAgain,
    find: () => 'select serial as id from uploads where replaced_at is null group by serial having count(*) > 1',
  },
  {
    name: 'counted-versions',
    rule: 'INV-32',
    means: 'the newest offer to a frame has a larger version than the frame’s counter of versions',
    next: 'restore the newest backup, or upload pictures until the versions are larger again',
    find: () =>
      `select u.serial as id from uploads u join frames f on f.serial = u.serial
       where u.replaced_at is null and u.file_version > f.announced_version`,
  },
  {
    name: 'version-of-offer',
    rule: 'INV-32',
    means: 'an offer has no larger version than the frame had reported before it',
    next: pushAgain,
    find: () => 'select id from uploads where file_version <= previous_version',
  },
  {
    name: 'proof-order',
    rule: 'W-15',
    means: 'an upload is confirmed and was never shown, or attested by another without a download',
    next: askForHelp,
    find: () =>
      `select id from uploads where (confirmed_at is not null and shown_at is null)
         or (vouched_by is not null and fetched_at is null)`,
  },
  {
    name: 'owner-of-offer',
    rule: 'T-63',
    means: 'an offer of a former owner is still in force, or is of an owner that the frame never had',
    next: 'release the frame and register it again, which ends every offer to it',
    find: () =>
      `select u.id from uploads u join frames f on f.serial = u.serial
       where u.ownership > f.ownership or (u.replaced_at is null and u.ownership < f.ownership)`,
  },
  {
    name: 'references',
    rule: 'INV-71',
    means: 'a row names a row of another table that does not exist',
    next: 'restore the newest backup: rows were removed by hand, or the file is damaged',
    find: () =>
      references
        .map(
          ([table, column, target, key]) =>
            `select distinct '${table}.${column} ' || a.${column} as id from ${table} a
               left join ${target} b on b.${key} = a.${column} where a.${column} is not null and b.${key} is null`,
        )
        .join(' union all '),
  },
  {
    name: 'times-to-come',
    rule: 'INV-47',
    means: 'a lease, heartbeat, session, offer, callback or contact is of a time that has not come yet',
    next: 'set the clocks of all machines by NTP; what is wrong by hours passes when that time has come',
    find: (now) =>
      [
        ['leases', 'name', 'until_at', now + aheadMs],
        ['nodes', 'id', 'heartbeat_at', now + aheadMs],
        ['sessions', 'id', 'used_at', now + aheadMs],
        ['frames', 'serial', 'last_contact_at', now + aheadMs],
        ['uploads', 'id', 'offered_at', now + aheadMs],
        ['callback_events', 'id', 'created_at', now + aheadMs],
        ['made_pictures', 'key', 'claimed_until', now + 6 * aheadMs],
      ]
        .map(
          ([table, key, column, most]) => `select '${table} ' || ${key} as id from ${table} where ${column} > ${most}`,
        )
        .join(' union all '),
  },
];

/** Rows of the wall's record and of the service level, for fixtures of schemas. */

const digest = 'a1'.repeat(32);

/** Returns the rows of an organization with one frame. */
export const recordRows = (organization: string, serial: string, at: number) => ({
  wall_intervals: [
    {
      id: 'interval-1',
      organization_id: organization,
      serial,
      ownership: 1,
      device_id: 'device-1',
      frame_name: 'Kitchen',
      title: 'Menu',
      sender: 'Ada',
      blind: digest.slice(32),
      shows: 'picture',
      paper_id: 'paper-1',
      upload_id: 'upload-1',
      revision: 'picture:1',
      picture_sha256: digest,
      grade: 'named',
      since: at,
      until: at + 60_000,
      ended: 'replaced',
    },
  ],
  wall_receipts: [
    { organization_id: organization, number: 1, interval_id: 'interval-1', at, line: '{"number":1}', hash: digest },
  ],
  wall_roots: [{ organization_id: organization, day: 20_000, number: 1, line: '{"root":{}}', written_at: at }],
  record_keys: [{ name: 'signing', sealed: digest, public_key: digest, made_at: at }],
  record_settings: [{ organization_id: organization, keep_years: 10, updated_at: at }],
  level_days: [{ organization_id: organization, day: 20_000, pictures: 100, in_time: 99 }],
  level_targets: [{ organization_id: organization, target: 990, updated_at: at }],
});

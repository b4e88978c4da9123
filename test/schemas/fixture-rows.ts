/**
 * A small filled set of rows: every table has some. A home with one frame that shows what an integration pushed, and with
 * something of each other kind. What an older schema has no column for is left out.
 */
import type { Knex } from 'knex';
import { filledRows } from './filled-rows.ts';
import { liveRows } from './live-rows.ts';
import { postRows } from './post-rows.ts';
import { recordRows } from './record-rows.ts';

const at = 1_790_000_000_000;
const later = at + 60_000;
const never = 4_000_000_000_000;
const times = { created_at: at, updated_at: later };
const serial = 'epd7-0000000000aa';
const digest = 'a1'.repeat(32);
const url = (path: string): string => `https://127.0.0.1:9/${path}`;

/** Names by which tests find the rows again. */
export const fixtureIds = {
  organization: '660000000000000000000001',
  user: '660000000000000000000002',
  device: '660000000000000000000003',
  paper: '660000000000000000000004',
  upload: '660000000000000000000005',
  serial,
} as const;
const { organization, user, device, paper, upload } = fixtureIds;

type Rows = readonly Readonly<Record<string, unknown>>[];

const people: Readonly<Record<string, Rows>> = {
  organizations: [
    { id: organization, name: 'Müller & Söhne', email: 'ada@example.org', kind: null, meta: '{}', ...times },
  ],
  accounts: [
    {
      id: 'account-1',
      subject: 'local|ada',
      email: 'ada@example.org',
      first_name: 'Ada',
      last_name: 'Å',
      meta: '{"note":"it’s \\"quoted\\"; and more"}',
      ...times,
    },
  ],
  users: [
    {
      id: user,
      account_id: 'account-1',
      organization_id: organization,
      name: 'Ada',
      email: 'ada@example.org',
      category: null,
      role: 'admin',
      timezone: 'Europe/Berlin',
      avatar: null,
      meta: '{}',
      ...times,
    },
  ],
  api_keys: [
    { id: 'key-1', user_id: user, hash: digest, name: 'first', created_at: at, organization_id: organization },
  ],
  passkeys: [
    {
      id: 'passkey-1',
      account_id: 'account-1',
      organization_id: organization,
      key_id: 'key-1',
      credential_id: 'credential',
      rp_id: 'papers.example.org',
      public_key: 'key',
      counter: 1,
      transports: '[]',
      name: 'Phone',
      created_at: at,
      used_at: at,
      blocked_at: null,
    },
  ],
  passkey_challenges: [{ hash: digest, account_id: 'account-1', rp_id: 'papers.example.org', ends_at: never }],
  sessions: [
    {
      id: 'session-1',
      account_id: 'account-1',
      hash: digest,
      browser: 'Firefox',
      created_at: at,
      used_at: at,
      ends_at: never,
      key_id: 'key-1',
      passkey_id: 'passkey-1',
      organization_id: organization,
      way: 'passkey',
      idle_ms: 1,
    },
  ],
  sign_in_links: [
    {
      id: 'link-1',
      hash: digest,
      account_id: 'account-1',
      organization_id: organization,
      made_by: user,
      browser_hash: digest,
      created_at: at,
      ends_at: never,
      used_at: at,
    },
  ],
  pairings: [
    {
      id: 'pairing-1',
      session_id: 'session-1',
      code_hash: digest,
      ticket_hash: digest,
      number: 12,
      choices: '[12,34,56]',
      browser: 'Firefox',
      state: 'scanned',
      ends_at: never,
    },
  ],
  returned_sign_ins: [{ state_hash: digest, ends_at: never }],
  sign_in_codes: [{ hash: digest, account_id: 'account-1', ends_at: never }],
  audit_entries: [
    {
      id: 'entry-1',
      organization_id: organization,
      at,
      actor: 'user',
      account_id: 'account-1',
      user_id: user,
      actor_name: 'Ada',
      key_id: null,
      key_name: null,
      action: 'device.change',
      object_kind: 'device',
      object_id: device,
      object_name: 'Kitchen',
      address: '127.0.0.1',
      detail: '{}',
    },
  ],
};

const frames: Readonly<Record<string, Rows>> = {
  frames: [
    {
      serial,
      spelling: 'epd7-0000000000AA',
      kind: 'epd7',
      dialect: 'native',
      activation: 'activated',
      sleep_seconds: 3600,
      reported_version: 7,
      announced_version: 7,
      picture_synced: 1,
      glass_sha256: digest,
      firmware: '1.2.3',
      battery_mv: 3900,
      rssi: -60,
      last_contact_at: later,
      asleep_until: never,
      ...times,
      ownership: 1,
      session_epoch: 3,
    },
  ],
  frame_certificates: [{ fingerprint: digest, serial, created_at: at, expires_at: never, revoked_at: null }],
  frame_events: [{ id: 'event-1', serial, type: 'log', at: later, payload: '{}', ownership: 1 }],
  event_days: [{ day: 20_000, folded_at: at }],
  frame_commands: [
    {
      id: 'command-1',
      serial,
      name: 'identify',
      data: null,
      state: 'answered',
      created_at: at,
      expires_at: later,
      sent_at: at,
      answered_at: later,
      answer: '{"ok":true}',
    },
  ],
  frame_watch: [{ serial, due_at: never, excused: 0, slept_at: at, announced_until: never, periods: '[1]' }],
  battery_days: [{ serial, day: 20_717, samples: 2, min_mv: 3890, sum_mv: 7790 }],
  frame_conflicts: [{ serial, since: at, problem: 'Two frames use one identity' }],
  uploads: [
    {
      id: upload,
      serial,
      revision: 'request-1',
      path: '/f/one',
      picture_sha256: digest,
      picture_bytes: 48_000,
      file_version: 7,
      previous_version: 6,
      gets: 1,
      offered_at: at,
      announced_at: at,
      fetched_at: later,
      shown_at: later,
      confirmed_at: later,
      cycle: 1,
      ownership: 1,
    },
  ],
  firmware_images: [
    { id: 'image-1', kind: 'epd7', dialect: 'native', version: '1.2.3', sha256: digest, bytes: 1000, added_at: at },
  ],
  firmware_rollouts: [
    {
      id: 'rollout-1',
      image_id: 'image-1',
      kind: 'epd7',
      dialect: 'native',
      serial: null,
      percent: 100,
      path: '/ota/one',
      state: 'done',
      counted_from: at,
      created_at: at,
      changed_at: later,
    },
  ],
  firmware_offers: [
    {
      id: 'offer-1',
      rollout_id: 'rollout-1',
      serial,
      path: '/ota/two',
      version_before: '1.2.2',
      tries: 1,
      told_at: at,
      started_at: at,
      taken_at: later,
      outcome: 'installed',
      outcome_at: later,
    },
  ],
  firmware_rollout_frames: [{ rollout_id: 'rollout-1', serial, ownership: 1 }],
};

const shown: Readonly<Record<string, Rows>> = {
  devices: [
    {
      id: device,
      organization_id: organization,
      serial,
      kind: 'epd7',
      patient: null,
      paper_id: paper,
      assignment: 1,
      meta: '{"name":"Kitchen"}',
      details: '{}',
      name: 'Kitchen',
      name_order: 'kitchen',
      created_at: at - 1,
      updated_at: later,
    },
  ],
  device_viewers: [{ user_id: user, device_id: device, created_at: at }],
  paper_viewers: [{ user_id: user, paper_id: paper, created_at: at }],
  device_images: [
    {
      device_id: device,
      uuid: '5b0ac90e-0000-4000-8000-000000000001',
      revision: 'r1',
      picture_key: digest,
      orientation: 'landscape',
      meta: '{}',
      ...times,
    },
  ],
  papers: [
    {
      id: paper,
      organization_id: organization,
      device_id: device,
      kind: 'plugin',
      sequence: 1,
      author: user,
      meta: `{"title":"Grüße","orientation":"landscape","pluginConfigUrl":"${url('manifest.json')}"}`,
      ...times,
    },
  ],
  paper_contents: [
    { paper_id: paper, request_id: 'request-1', sequence: 1, text: 'Grüße', received_at: at, config_url: url('m') },
  ],
  shown_pictures: [
    { device_id: device, paper_id: paper, revision: 'request-1', attempts: 0, due_at: never, updated_at: at },
  ],
  picture_notes: [{ file: digest, notes: 'end-missing', at }],
  timed_pictures: [
    {
      id: 'timed-1',
      organization_id: organization,
      paper_id: paper,
      account_id: 'account-1',
      author: user,
      state: 'ended',
      picture_key: digest,
      show_from: at,
      show_until: later,
      ...times,
    },
  ],
  covered_pictures: [{ place: `paper:${paper}`, timed_id: 'timed-1', picture_key: digest, meta: '{}' }],
  replaced_pictures: [{ paper_id: paper, revision: 'upload-1', picture_key: digest, meta: '{}', replaced_at: at }],
  guest_links: [
    {
      id: 'link-1',
      paper_id: paper,
      organization_id: organization,
      user_id: user,
      hash: digest,
      name: 'Party',
      shows_result: 1,
      used: 1,
      created_at: at,
      revoked_at: later,
    },
  ],
  organization_files: [
    { organization_id: organization, name: digest, bytes: 1_000, stored_at: at, unused_since: null },
  ],
  organization_bytes: [{ organization_id: organization, bytes: 1_000 }],
  alert_channels: [
    {
      id: 'channel-1',
      organization_id: organization,
      kind: 'ntfy',
      name: 'Family',
      is_on: 1,
      target: '{"url":"https://ntfy.example/","topic":"home"}',
      sealed: digest,
      kinds: '["frame-silent"]',
      digest: 'immediately',
      quiet_from: '22:00',
      quiet_until: '07:00',
      time_zone: 'Europe/Berlin',
      language: 'de',
      hourly_limit: 12,
      created_at: at,
      updated_at: at,
      next_at: null,
      attempts: 0,
      left_out: 0,
      last_sent_at: at,
      last_error: null,
      last_error_at: null,
      failing_since: null,
    },
  ],
  alert_outages: [
    {
      id: 'outage-1',
      organization_id: organization,
      kind: 'frame-silent',
      subject: device,
      name: 'Kitchen',
      since: at,
      opened_at: at,
      tell_at: at,
      told_at: at,
      ended_at: later,
      closes_at: later,
      closed_at: later,
    },
  ],
  alert_notices: [
    {
      id: 'notice-1',
      channel_id: 'channel-1',
      outage_id: 'outage-1',
      phase: 'began',
      created_at: at,
      sent_at: at,
      message_id: 'message-1',
    },
  ],
  address_logins: [
    {
      id: 'login-1',
      paper_id: paper,
      organization_id: organization,
      origin: 'https://nas.lan:5000',
      header: 'authorization',
      sealed: digest,
      set_at: at,
    },
  ],
  sent_pictures: [
    {
      id: 'sent-1',
      paper_id: paper,
      bytes: 100,
      sender: 'guest:link-1',
      sender_name: 'Bo',
      digest,
      message_id: 'm1',
      caption: 'Hello',
      place: 1,
      created_at: at,
      revision: 'request-1',
    },
  ],
  picture_showings: [{ upload_id: upload, picture_id: 'sent-1' }],
};

const integration: Readonly<Record<string, Rows>> = {
  grants: [
    {
      id: 'grant-1',
      hash: digest,
      user_id: user,
      paper_id: paper,
      config_url: url('m'),
      settings_url: url('s'),
      created_at: at,
      expires_at: later,
      ended_at: later,
    },
  ],
  connections: [
    {
      id: 'connection-1',
      paper_id: paper,
      user_id: user,
      organization_id: organization,
      generation: 1,
      name: 'Postcards',
      token_hash: digest,
      token_sealed: 'sealed',
      callback_token_sealed: 'sealed',
      config_url: url('m'),
      settings_url: url('s'),
      render_url: url('r'),
      callback_url: url('c'),
      ...times,
    },
  ],
  redirect_tokens: [{ hash: digest, user_id: user, paper_id: paper, expires_at: never }],
  content_requests: [
    {
      id: 'request-1',
      connection_id: 'connection-1',
      generation: 1,
      paper_id: paper,
      message_id: 'm1',
      content_hash: digest,
      state: 'closed',
      sequence: 1,
      text: 'Grüße',
      accepted_at: at,
      ...times,
    },
  ],
  deliveries: [
    {
      id: 'delivery-1',
      request_id: 'request-1',
      paper_id: paper,
      device_id: device,
      serial,
      assignment: 1,
      frame_name: 'Kitchen',
      state: 'synced',
      upload_id: upload,
      attempts: 1,
      ...times,
    },
  ],
  callback_events: [
    {
      id: 'callback-1',
      connection_id: 'connection-1',
      generation: 1,
      request_id: 'request-1',
      state: 'synced',
      delivery_id: 'delivery-1',
      body: '{}',
      attempts: 1,
      created_at: at,
      delivered_at: later,
      tried: '[]',
    },
  ],
  upload_attempts: [
    {
      attempt_id: upload,
      device_id: device,
      paper_id: paper,
      paper_kind: 'plugin',
      cause: 'content',
      forced: 0,
      similarity: 12.5,
      skipped: 0,
      upload_id: upload,
      started_at: at,
      ended_at: later,
    },
  ],
  made_pictures: [{ key: 'key-1', claimed_until: at, attempt: 1, outcome: '{}', failed: 0, changed_at: at }],
};

const polled: Readonly<Record<string, Rows>> = {
  asking_frames: [
    {
      serial: 'trmnl-aabbcc001122',
      asker: 'A1B2C3',
      first_at: at,
      last_at: later,
      asks: 2,
      model: 'og',
      panel: 'trmnl4',
    },
  ],
  simulated_frames: [
    { serial, dialect: 'native', orientation: 'landscape', sealed: 'sealed', flash: '{}', pressed_at: at, made_at: at },
  ],
  frame_keys: [{ serial, due_until: later, given_at: at, taken_at: later, address: '127.0.0.1', token_hash: digest }],
  polled_answers: [
    {
      serial,
      at,
      refresh_seconds: 1_803,
      lately: '[1803]',
      echoed_seconds: null,
      upload_id: upload,
      file_version: 7,
      name: 'pgate-abcdef-1790000000',
      path: '/f/abcdefgh',
      erred_at: null,
      afresh: 1,
      afresh_from: at,
      covered_by: null,
      healed_at: null,
      hurried: 7,
    },
  ],
  offline_frames: [
    {
      serial,
      settings_hash: digest,
      settings_ownership: 1,
      settings: '{"timeout":3600}',
      settings_at: at,
      settings_read_at: at,
      wake_at: at,
      called_at: at,
      calls: 2,
      told_seconds: 3_600,
      upload_id: upload,
      file_version: 7,
      unchanged: 1,
      was_taken: 1,
      names_tags: 1,
      doubt: 'woke too late',
      doubt_version: 7,
      afresh: 1,
      afresh_from: at,
      own_seconds: null,
      own_lately: '[]',
    },
  ],
  adoption_windows: [
    {
      organization_id: organization,
      until: later,
      address: '127.0.0.1',
      adopted: 1,
      minute_from: at,
      minute_adopted: 1,
    },
  ],
};

const cluster: Readonly<Record<string, Rows>> = {
  stored_files: [{ area: 'files', name: digest, size: 3, bytes: Buffer.from([0, 39, 255]), condemned_at: null }],
  stored_objects: [
    { area: 'files', name: digest, size: 3, object: `papergate/id/files/${digest}-1`, condemned_at: null },
  ],
  service_facts: [{ name: 'files', value: 'folder' }],
  shared_keys: [{ name: 'of somebody', sealed: 'sealed' }],
  nodes: [
    {
      id: 'node-1',
      name: 'a',
      version: '0.1.0',
      schema: 1,
      address: 'http://10.0.0.1:3000',
      draining: 0,
      started_at: at,
      heartbeat_at: at,
    },
  ],
  leases: [{ name: 'somebody’s', holder: 'node-1', epoch: 1, until_at: at }],
};

/** Parents come before those that refer to them. */
const rows = {
  ...people,
  ...frames,
  ...shown,
  ...integration,
  ...polled,
  ...cluster,
  ...liveRows(organization, paper, device, at),
  ...filledRows(organization, paper, at),
  ...postRows(organization, paper, 'sent-1', at),
  ...recordRows(organization, serial, at),
};
const order = ['organizations', 'accounts', 'users', 'api_keys', 'frames', 'firmware_images', 'firmware_rollouts'];
order.push('devices', 'papers', 'connections', 'content_requests');

/** Every table that has rows here. */
export const filledTables: readonly string[] = [...order, ...Object.keys(rows).filter((name) => !order.includes(name))];

/** Fills a database, whichever of the tables and columns it has. */
export async function fillTables(db: Knex): Promise<void> {
  const given: Readonly<Record<string, Rows>> = rows;
  for (const table of filledTables) {
    if (!(await db.schema.hasTable(table))) continue;
    const columns = await db(table).columnInfo();
    for (const row of given[table] ?? []) {
      await db(table).insert(Object.fromEntries(Object.entries(row).filter(([column]) => column in columns)));
    }
  }
}

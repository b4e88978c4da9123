/** Fills a database on PostgreSQL with a log of uploads and what belongs to it, by the database itself. */
import type { Database } from '../../runtime/database/database.ts';

const dayMs = 86_400_000;

/** How much is filled: uploads are spread over the devices, and over the last ninety days. */
export interface Filled {
  readonly uploads: number;
  readonly devices: number;
}

/** Makes organizations, devices, frames, papers, connections, requests, deliveries, callbacks, events and uploads. */
export async function fillRows(db: Database, { uploads, devices }: Filled, now: number): Promise<void> {
  const each = Math.floor(uploads / devices);
  const hex = (letter: string, number: string) => `'${letter}' || lpad(to_hex(${number}), 23, '0')`;
  const serial = (number: string) => `'epd7-' || lpad(to_hex(${number}), 12, '0')`;
  const stepMs = Math.floor((90 * dayMs) / each);
  /** The time of the upload number i, the last of a frame now. */
  const at = `(${now} - ((i / ${devices}) * ${stepMs}::bigint) - (i % 1000))`;
  const series = `generate_series(0, ${uploads - 1}) as i`;
  const last = `i < ${devices}`;
  const run = async (sql: string): Promise<unknown> => db.raw(sql.replaceAll('?', '\\?'));
  await run(`insert into organizations (id, name, email, meta, created_at, updated_at)
    select ${hex('0', 'o')}, 'Home ' || o, 'ada@example.org', '{}', ${now}, ${now} from generate_series(0, 9) as o`);
  await run(`insert into frames (serial, spelling, kind, dialect, activation, sleep_seconds, reported_version,
      announced_version, picture_synced, last_contact_at, asleep_until, created_at, updated_at)
    select ${serial('d')}, ${serial('d')}, 'epd7', 'native', 'activated', 3600, ${each}, ${each}, 1,
      ${now} - d, ${now} + d * 1000::bigint, ${now}, ${now} from generate_series(0, ${devices - 1}) as d`);
  await run(`insert into frame_watch (serial, due_at, excused, periods)
    select serial, asleep_until + 600000, 0, '[1]' from frames`);
  await run(`insert into papers (id, organization_id, device_id, kind, meta, author, sequence, created_at, updated_at)
    select ${hex('a', 'd')}, ${hex('0', 'd % 10')}, ${hex('d', 'd')}, 'plugin', '{}', 'u', ${each}, ${now}, ${now}
    from generate_series(0, ${devices - 1}) as d`);
  await run(`insert into devices (id, organization_id, serial, kind, paper_id, assignment, meta, details, name,
      name_order, created_at, updated_at)
    select ${hex('d', 'd')}, ${hex('0', 'd % 10')}, ${serial('d')}, 'epd7', ${hex('a', 'd')}, 1, '{}', '{}',
      'Frame ' || d, 'frame ' || d, ${now}, ${now} from generate_series(0, ${devices - 1}) as d`);
  await run(`insert into connections (id, paper_id, user_id, organization_id, generation, name, token_hash, token_sealed,
      callback_token_sealed, config_url, settings_url, render_url, callback_url, created_at, updated_at)
    select ${hex('c', 'd')}, ${hex('a', 'd')}, 'u', ${hex('0', 'd % 10')}, 1, 'n', 'hash ' || d, 's', 's', 'https://x',
      'https://x', 'https://x', 'https://x', ${now}, ${now} from generate_series(0, ${devices - 1}) as d`);
  await run(`insert into uploads (id, serial, revision, path, picture_sha256, picture_bytes, file_version,
      previous_version, gets, cycle, offered_at, announced_at, fetched_at, shown_at, confirmed_at, replaced_at, ownership)
    select ${hex('f', 'i')}, ${serial(`i % ${devices}`)}, ${hex('e', 'i')}, '/f/' || i, md5(i::text) || md5(i::text),
      192004, ${each} - i / ${devices}, ${each} - i / ${devices} - 1, 1, 1, ${at}, ${at}, ${at} + 1, ${at} + 2, ${at} + 3,
      case when ${last} then null else ${at} + ${stepMs} end, 1 from ${series}`);
  const recent = `${series} where ${at} > ${now - 30 * dayMs}`;
  await run(`insert into content_requests (id, connection_id, generation, paper_id, message_id, content_hash, state,
      sequence, text, created_at, accepted_at, updated_at, due_at)
    select ${hex('e', 'i')}, ${hex('c', `i % ${devices}`)}, 1, ${hex('a', `i % ${devices}`)}, 'm' || i, 'x',
      case when ${last} then 'active' else 'superseded' end, ${each} - i / ${devices}, 'text', ${at}, ${at}, ${at},
      case when ${last} then ${now} + 60000 end from ${recent}`);
  await run(`insert into paper_contents (paper_id, request_id, sequence, text, received_at)
    select ${hex('a', 'i')}, ${hex('e', 'i')}, ${each}, 'text', ${now} from generate_series(0, ${devices - 1}) as i`);
  await run(`insert into deliveries (id, request_id, paper_id, device_id, serial, assignment, frame_name, state,
      upload_id, attempts, created_at, updated_at)
    select ${hex('b', 'i')}, ${hex('e', 'i')}, ${hex('a', `i % ${devices}`)}, ${hex('d', `i % ${devices}`)},
      ${serial(`i % ${devices}`)}, 1, 'Frame', 'synced', ${hex('f', 'i')}, 1, ${at}, ${at} from ${recent}`);
  await run(`insert into callback_events (id, connection_id, generation, request_id, delivery_id, state, body, attempts,
      created_at, delivered_at, tried)
    select left(md5(r.id || s.state), 24), r.connection_id, 1, r.id, case when s.state in ('prepared', 'synced') then d.id end,
      s.state, '{}', 1, r.updated_at, r.updated_at, '[]'
    from content_requests r join deliveries d on d.request_id = r.id
      join (values ('available'), ('prepared'), ('synced'), ('superseded')) as s (state)
        on s.state <> 'superseded' or r.state = 'superseded'
    where r.updated_at > ${now - 7 * dayMs}`);
  await run(`insert into frame_events (id, serial, type, at, payload, ownership)
    select lpad(to_hex((${at}) / 1000), 8, '0') || left(md5('event' || i), 16), ${serial(`i % ${devices}`)}, 'picture', ${at}, '{"stage":"shown"}', 1 from ${series}`);
  await run('analyze');
}

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createKey } from '../../api/directory/keys.ts';
import { type Database, isPostgres } from '../../runtime/database/database.ts';
import { heldBack } from '../database.ts';
import { furnish } from '../http/matrix.ts';
import { type Answer, type HttpWorld, type Person, withHttp } from '../http/world.ts';
import { postRows } from '../schemas/post-rows.ts';

const test = suite('removals');

/**
 * Every foreign key there is, and what becomes of the row that holds it when the other one is to be removed: `named` in
 * the refusal, `removed` with it, or it `goes on` beside something else; or nobody removes the other one.
 */
const ends: Readonly<Record<string, 'named' | 'removed' | 'goes on' | 'nobody removes it'>> = {
  'users.organization_id -> organizations': 'named',
  'devices.organization_id -> organizations': 'named',
  'papers.organization_id -> organizations': 'named',
  'audit_entries.organization_id -> organizations': 'removed',
  'adoption_windows.organization_id -> organizations': 'removed',
  'alert_channels.organization_id -> organizations': 'removed',
  'alert_outages.organization_id -> organizations': 'removed',
  'wall_intervals.organization_id -> organizations': 'removed',
  'wall_receipts.organization_id -> organizations': 'removed',
  'wall_roots.organization_id -> organizations': 'removed',
  'record_settings.organization_id -> organizations': 'removed',
  'level_days.organization_id -> organizations': 'removed',
  'level_targets.organization_id -> organizations': 'removed',
  'alert_notices.channel_id -> alert_channels': 'removed',
  'alert_notices.outage_id -> alert_outages': 'removed',
  'deadlines.organization_id -> organizations': 'removed',
  'deadlines.paper_id -> papers': 'removed',
  'deadline_occurrences.deadline_id -> deadlines': 'removed',
  'deadline_occurrences.device_id -> devices': 'removed',
  'deadline_events.occurrence_id -> deadline_occurrences': 'removed',
  'deadline_notices.occurrence_id -> deadline_occurrences': 'removed',
  'users.account_id -> accounts': 'goes on',
  'api_keys.user_id -> users': 'goes on',
  'sessions.account_id -> accounts': 'removed',
  'sessions.key_id -> api_keys': 'removed',
  'sessions.organization_id -> organizations': 'removed',
  'sessions.passkey_id -> passkeys': 'removed',
  'api_keys.organization_id -> organizations': 'removed',
  'passkeys.account_id -> accounts': 'removed',
  'passkeys.organization_id -> organizations': 'removed',
  'passkeys.key_id -> api_keys': 'removed',
  'passkey_challenges.account_id -> accounts': 'removed',
  'sign_in_links.account_id -> accounts': 'removed',
  'sign_in_links.organization_id -> organizations': 'removed',
  'pairings.session_id -> sessions': 'removed',
  'sign_in_codes.account_id -> accounts': 'removed',
  'device_images.device_id -> devices': 'removed',
  'device_viewers.user_id -> users': 'removed',
  'device_viewers.device_id -> devices': 'removed',
  'paper_viewers.user_id -> users': 'removed',
  'paper_viewers.paper_id -> papers': 'removed',
  'paper_contents.paper_id -> papers': 'removed',
  'guest_links.paper_id -> papers': 'removed',
  'address_logins.paper_id -> papers': 'removed',
  'recipe_data.paper_id -> papers': 'removed',
  'recipe_hooks.paper_id -> papers': 'removed',
  'remote_pictures.paper_id -> papers': 'removed',
  'album_sources.paper_id -> papers': 'removed',
  'source_pictures.source -> album_sources': 'removed',
  'filled_albums.paper_id -> papers': 'removed',
  'album_queue.paper_id -> papers': 'removed',
  'album_queue.picture_id -> sent_pictures': 'removed',
  'album_queue.beside_id -> sent_pictures': 'removed',
  'post_addresses.paper_id -> papers': 'removed',
  'invited_senders.paper_id -> papers': 'removed',
  'waiting_mails.paper_id -> papers': 'removed',
  'chat_codes.paper_id -> papers': 'removed',
  'admitted_chats.paper_id -> papers': 'removed',
  'post_receipts.paper_id -> papers': 'removed',
  'receipt_pictures.receipt_id -> post_receipts': 'removed',
  'receipt_pictures.picture_id -> sent_pictures': 'removed',
  'event_times.paper_id -> papers': 'removed',
  'recipes.organization_id -> organizations': 'removed',
  'jobs.organization_id -> organizations': 'removed',
  'job_items.job_id -> jobs': 'removed',
  'frame_groups.organization_id -> organizations': 'removed',
  'frame_group_members.group_id -> frame_groups': 'removed',
  'frame_group_members.device_id -> devices': 'removed',
  'replaced_pictures.paper_id -> papers': 'removed',
  'sent_pictures.paper_id -> papers': 'removed',
  // By age alone, in one transaction (INV-71).
  'deliveries.request_id -> content_requests': 'removed',
  'content_requests.connection_id -> connections': 'nobody removes it',
  'callback_events.connection_id -> connections': 'nobody removes it',
  // Nobody removes a frame of hardware; with a simulated one everything goes (test/devices/simulated-frames.test.ts).
  'simulated_frames.serial -> frames': 'removed',
  'frame_certificates.serial -> frames': 'nobody removes it',
  'uploads.serial -> frames': 'nobody removes it',
  'frame_commands.serial -> frames': 'nobody removes it',
  'frame_watch.serial -> frames': 'nobody removes it',
  'battery_days.serial -> frames': 'nobody removes it',
  'frame_conflicts.serial -> frames': 'nobody removes it',
  'frame_keys.serial -> frames': 'nobody removes it',
  'polled_answers.serial -> frames': 'nobody removes it',
  'offline_frames.serial -> frames': 'nobody removes it',
  'firmware_rollouts.serial -> frames': 'nobody removes it',
  'firmware_offers.serial -> frames': 'nobody removes it',
  'firmware_rollouts.image_id -> firmware_images': 'nobody removes it',
  'firmware_offers.rollout_id -> firmware_rollouts': 'nobody removes it',
  'firmware_rollout_frames.rollout_id -> firmware_rollouts': 'nobody removes it',
  'firmware_rollout_frames.serial -> frames': 'nobody removes it',
};

/** Gives an album a source of which one picture is here. */
async function fillAlbum(db: Database, organization: string, paper: string): Promise<void> {
  const source = { id: 's', number: 1, paper_id: paper, organization_id: organization, kind: 'folder' };
  const made = { sealed: 's', place: 'p', title: 'T', added_by: 'Ada', created_at: 0, next_at: 0 };
  await db('album_sources').insert({ ...source, ...made });
  const listed = { id: 'l', source: 1, key: 'k', name: '', mark: 'm', taken: 0, arrived_at: 0, rank: 1 };
  await db('source_pictures').insert(listed);
  await db('filled_albums').insert({ paper_id: paper, seed: 's', round: 2, chosen_as: '' });
  await db('album_queue').insert({ paper_id: paper, place: 1, picture_id: 'p', beside_id: 'p' });
}

async function foreignKeys(db: Database): Promise<string[]> {
  const said = await db.raw(
    isPostgres(db)
      ? `select c.conrelid::regclass as child, a.attname as column, c.confrelid::regclass as parent from pg_constraint c
           join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any (c.conkey)
           where c.contype = 'f' and c.connamespace = current_schema()::regnamespace`
      : `select tables.name as child, keys."from" as "column", keys."table" as parent
           from sqlite_schema as tables, pragma_foreign_key_list(tables.name) as keys where tables.type = 'table'`,
  );
  const rows: { child: string; column: string; parent: string }[] = said.rows ?? said;
  return rows.map(({ child, column, parent }) => `${child}.${column} -> ${parent}`);
}

test('T-66: of every foreign key it is said what becomes of it when somebody removes something', () =>
  withHttp(async ({ db }) => {
    assert.equal((await foreignKeys(db)).sort(), Object.keys(ends).sort());
  }));

/** A member who came by invitation, with the key that the operator made for them: `papergate keys create`. */
async function invited(world: HttpWorld, organization: string, role = 'user'): Promise<Person> {
  const { call, admin, db, random } = world;
  const json = { organization, email: `${random.id()}@example.org`, role };
  const { id: userId } = (await call('POST', '/users', { as: admin, json })).json;
  const { account_id: accountId } = await db('users').where({ id: userId }).first('account_id');
  const { raw: key } = await createKey(db, world, { userId, name: 'of the operator' });
  return { userId, accountId, organizationId: organization, key };
}

const found = async ({ call }: HttpWorld, as: Person, kind = 'own'): Promise<string> =>
  (await call('POST', '/organizations', { as, json: { kind } })).json.id;

const organizationsOf = async ({ call }: HttpWorld, as: Person): Promise<string[]> =>
  (await call('GET', '/organizations', { as })).json.map(({ id }: { id: string }) => id);

test('T-66: anyone who made an organization of their own is removed like everybody else; their key opens their own alone', () =>
  withHttp(async (world) => {
    const { call, admin, db } = world;
    const member = await invited(world, admin.organizationId);
    const own = await found(world, member);
    assert.equal(await organizationsOf(world, member), [admin.organizationId, own]);
    const removed = await call('DELETE', `/users/${member.userId}`, { as: admin });
    assert.is(removed.status, 200, removed.text);
    assert.equal(await organizationsOf(world, member), [own]);
    for (const path of [`/organizations/${admin.organizationId}`, `/users?organization=${admin.organizationId}`]) {
      assert.is((await call('GET', path, { as: member })).status, 404, path);
    }
    assert.is((await call('GET', `/accounts/${member.accountId}`, { as: member })).status, 200, 'the account stays');
    assert.is((await call('DELETE', `/organizations/${own}`, { as: member })).status, 200);
    assert.is((await call('GET', '/organizations', { as: member })).status, 401);
    assert.equal(await db('accounts').where({ id: member.accountId }), [], 'and ends with its last place');
  }));

test('T-66: a place is handed over whatever its former holder made elsewhere, and one redeems what is one’s own', () =>
  withHttp(async (world) => {
    const { call, admin, stranger } = world;
    const member = await invited(world, admin.organizationId);
    const own = await found(world, member);
    const setCode = (): Promise<Answer> =>
      call('PATCH', `/users/${member.userId}`, { as: admin, json: { inviteCode: 'take-this-place' } });
    await setCode();
    const redeem = (as: Person) => call('POST', '/users/join', { as, json: { inviteCode: 'take-this-place' } });
    const mine = await redeem(member);
    assert.is(mine.status, 200, mine.text);
    assert.equal(await organizationsOf(world, member), [admin.organizationId, own], 'with the same key');
    await setCode();
    const taken = await redeem(stranger);
    assert.is(taken.status, 200, taken.text);
    assert.equal(await organizationsOf(world, member), [own]);
    assert.equal(
      (await organizationsOf(world, stranger)).sort(),
      [admin.organizationId, stranger.organizationId].sort(),
    );
  }));

test('T-66: a paper that moved to another organization is held by no device of the former one', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    const made = async (path: string, json: object): Promise<string> =>
      (await call('POST', path, { as: admin, json })).json.id;
    const second = await found(world, admin);
    const [here, there] = [
      await made('/devices', { organization: admin.organizationId }),
      await made('/devices', { organization: second }),
    ];
    const paper = await made('/papers', { organization: admin.organizationId, deviceId: here, kind: 'image' });
    assert.is((await call('GET', `/devices/${here}`, { as: admin })).json.paper, paper);
    const moved = await call('POST', `/papers/${paper}`, {
      as: admin,
      json: { organization: second, deviceId: there, kind: 'image' },
    });
    assert.is(moved.status, 200, moved.text);
    assert.is((await call('GET', `/devices/${here}`, { as: admin })).json.paper ?? null, null);
    const removed = await call('DELETE', `/papers/${paper}`, { as: admin });
    assert.is(removed.status, 200, removed.text);
  }));

test('T-66: each removal takes along, passes on or names what depends on it, and none is a fault', () =>
  withHttp(
    async (world) => {
      const { call, admin, stranger, db, frames, random } = world;
      const organization = await found(world, admin, 'furnished');
      await frames.provision('epd7-00000000cafe');
      const json = { enable: true, organization };
      await call('POST', '/devices/registerdevice/epd7-00000000cafe', { as: admin, json });
      const { ids, bearer } = await furnish(world, { ...admin, organizationId: organization });
      const member = await invited(world, organization);
      const own = await found(world, member);
      const connection = `/v1/integration-papers/connections/${ids.connection}/content`;
      const pushed = { messageId: random.id(), text: 'Hello' };
      const answer = await call('POST', connection, { headers: { authorization: bearer }, json: pushed });
      assert.is(answer.status, 202);
      await db('frame_group_members').insert({ group_id: ids.group, device_id: ids.device, joined_at: 0 });
      await db('device_images').insert({
        device_id: ids.device,
        uuid: 'x',
        revision: 'r',
        picture_key: 'k',
        device_picture_key: null,
        orientation: 'portrait',
        meta: '{}',
        created_at: 0,
        updated_at: 0,
      });
      await db('guest_links').insert({
        id: 'l',
        paper_id: ids.paper,
        organization_id: organization,
        user_id: 'u',
        hash: 'h',
        name: 'Erna',
        shows_result: 0,
        used: 0,
        created_at: 0,
      });
      await db('address_logins').insert({
        id: 'a',
        paper_id: ids.paper,
        organization_id: organization,
        origin: 'https://nas.lan',
        header: 'authorization',
        sealed: 'x',
        set_at: 0,
      });
      await db('recipe_data').insert({ paper_id: ids.paper, asked_as: 'q', polled_at: 0, answers: '[]' });
      await db('recipe_hooks').insert({ paper_id: ids.paper, token_hash: 'h', token_sealed: 's', created_at: 0 });
      await db('remote_pictures').insert({ paper_id: ids.paper, asked: 'q', host: 'h', asked_at: 0 });
      await db('event_times').insert({ paper_id: ids.paper, events: '[]', read_at: 0 });
      await db('replaced_pictures').insert({ paper_id: ids.paper, revision: 'r', meta: '{}', replaced_at: 0 });
      await db('sent_pictures').insert({
        id: 'p',
        paper_id: ids.paper,
        picture_key: 'k',
        bytes: 1,
        sender: 'guest:l',
        sender_name: 'Erna',
        digest: 'd',
        caption: '',
        place: 1,
        created_at: 0,
      });
      await fillAlbum(db, organization, ids.paper);
      for (const [table, rows] of Object.entries(postRows(organization, ids.paper, 'p', 0)))
        await db(table).insert(rows);
      const due = { organization_id: organization, name: '', time_zone: 'UTC', grade: 'reported', steps: '[]' };
      const made = { author: 'Ada', language: 'en', created_at: 0, updated_at: 0, opened_until: 0 };
      await db('deadlines').insert({ id: 'd1', paper_id: ids.paper, ...due, ...made });
      await db('deadlines').insert({ id: 'd2', timed_id: 't', ...due, ...made });
      const day = { state: 'planned', by_at: 1, wanted_since: 0, since: 0, looked_at: 0, created_at: 0 };
      await db('deadline_occurrences').insert({ id: 'o2', deadline_id: 'd2', device_id: ids.device, ...day });
      const links = { devices: [ids.device], papers: [ids.paper] };
      await call('POST', `/users/${member.userId}/links`, { as: admin, json: links });
      const holders = async (foreignKey: string, id: string): Promise<number> => {
        const [table = '', column = ''] = foreignKey.split(/\.| -> /);
        return (await db(table).where({ [column]: id })).length;
      };
      const held = async (parent: string, id: string): Promise<Record<string, number>> => {
        const keys = Object.keys(ends).filter((key) => key.endsWith(` -> ${parent}`));
        return Object.fromEntries(await Promise.all(keys.map(async (key) => [key, await holders(key, id)])));
      };
      const refused = async (path: string, kinds: readonly string[]): Promise<void> => {
        const { status, json: told } = await call('DELETE', path, { as: admin });
        assert.is(status, 409, path);
        assert.equal(Object.keys(told.dependents).sort(), [...kinds].sort(), path);
      };
      const removed = async (parent: string, path: string, id: string): Promise<void> => {
        const before = await held(parent, id);
        assert.ok(
          Object.values(before).every((count) => count > 0) || parent === 'organizations',
          JSON.stringify(before),
        );
        const { status, text } = await call('DELETE', path, { as: admin });
        assert.is(status, 200, `${path}: ${text}`);
        assert.ok(
          Object.values(await held(parent, id)).every((count) => count === 0),
          path,
        );
      };

      await refused(`/organizations/${organization}`, ['devices', 'papers', 'users']);
      await refused(`/papers/${ids.paper}`, ['devices']);
      await call('POST', `/devices/${ids.device}`, { as: admin, json: { paper: null, patient: member.userId } });
      await removed('papers', `/papers/${ids.paper}`, ids.paper);
      await refused(`/users/${member.userId}`, ['devices']);
      const { ids: kept } = await furnish(world, admin);
      const more = { user_id: member.userId, created_at: 0 };
      await db('device_viewers').insert({ ...more, device_id: kept.device });
      await db('paper_viewers').insert({ ...more, paper_id: kept.paper });
      await removed('devices', `/devices/${ids.device}`, ids.device);
      await removed('users', `/users/${member.userId}`, member.userId);
      assert.equal(await organizationsOf(world, member), [own]);
      await refused(`/organizations/${organization}`, ['devices', 'users']);
      for (const { id } of await db('devices').where({ organization_id: organization })) {
        await call('DELETE', `/devices/${id}`, { as: admin });
      }
      const others = db('users').where({ organization_id: organization }).whereNot({ account_id: admin.accountId });
      for (const { id } of await others) await call('DELETE', `/users/${id}`, { as: admin });
      await removed('organizations', `/organizations/${organization}`, organization);
      assert.equal(await organizationsOf(world, admin), [admin.organizationId]);
      assert.equal(await organizationsOf(world, stranger), [stranger.organizationId]);
    },
    { callsPerMinute: 1_000 },
  ));

test('T-66: what somebody makes while their place ends is refused or stays, and is not a fault', () =>
  withHttp(async (world) => {
    const { call, admin, db } = world;
    const member = await invited(world, admin.organizationId);
    const made = [
      () => call('DELETE', `/users/${member.userId}`, { as: admin }),
      () => call('POST', '/organizations', { as: member, json: { kind: 'late' } }),
      () => call('POST', '/tokens', { as: member, json: { name: 'late' } }),
    ];
    const { ended } = await heldBack(db, 'accounts', { id: member.accountId }, 1, () =>
      Promise.all(made.map((make) => make())),
    );
    const [removed, ...late] = (await ended).map(({ status }) => status);
    assert.is(removed, 200);
    for (const status of late) assert.ok([200, 401, 403].includes(status), `${status}`);
    assert.is((await call('GET', `/organizations/${admin.organizationId}`, { as: member })).status === 200, false);
  }));

test('T-66: what is made in an organization that is being removed is refused, and is not a fault', () =>
  withHttp(async (world) => {
    const { call, admin, db } = world;
    const organization = await found(world, admin);
    const { ended } = await heldBack(db, 'organizations', { id: organization }, 1, () =>
      Promise.all([
        call('DELETE', `/organizations/${organization}`, { as: admin }),
        call('POST', '/devices', { as: admin, json: { organization } }),
        call('POST', '/users', { as: admin, json: { organization, email: 'late@example.org' } }),
      ]),
    );
    for (const { status, text } of await ended) assert.ok([200, 404, 409].includes(status), `${status} ${text}`);
    const left = async (table: string, column: string) => (await db(table).where({ [column]: organization })).length;
    const remains = await left('organizations', 'id');
    if (remains === 0)
      assert.is((await left('devices', 'organization_id')) + (await left('users', 'organization_id')), 0);
  }));

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { actorKinds } from '../../api/audit/audit-log.ts';
import { makeSignInCode } from '../../api/directory/sessions.ts';
import { auditActions } from '../../api/http/audited.ts';
import { forgetOldRows } from '../../api/retention/forget-old-rows.ts';
import { readTexts } from '../console/read-texts.ts';
import { type HttpWorld, type Person, picture, withHttp } from '../http/world.ts';

const test = suite('audit');
const dayMs = 86_400_000;

interface Entry {
  readonly id: string;
  readonly at: string;
  readonly who: { by: string; name: string; userId: string | null; key: { id: string; name: string } | null };
  readonly action: string;
  readonly object: { kind: string; id: string | null; name: string };
  readonly address: string;
  readonly values: Record<string, unknown>;
}

async function logOf({ call }: HttpWorld, as: Person, query = ''): Promise<Entry[]> {
  const { status, json, text } = await call('GET', `/organizations/${as.organizationId}/audit/${query}`, { as });
  assert.is(status, 200, text);
  return json.entries;
}

const device = async ({ call, admin }: HttpWorld, name: string): Promise<string> => {
  const { id } = (await call('POST', '/devices', { as: admin, json: { organization: admin.organizationId } })).json;
  await call('POST', `/devices/${id}`, { as: admin, json: { meta: { name } } });
  return id;
};

test('every route that changes something says how it is recorded, or why it is not', () =>
  withHttp(async ({ routes }) => {
    const silent = routes.filter(({ method, audit }) => method !== 'GET' && audit === undefined);
    assert.equal(
      silent.map(({ method, path }) => `${method} ${path}`),
      [],
    );
    for (const { path, audit } of routes) {
      if (audit !== undefined && 'none' in audit) assert.ok(audit.none.length > 8, `${path} gives a reason`);
    }
    const told = new Set(
      routes.flatMap(({ audit }) => (audit !== undefined && 'action' in audit ? [audit.action] : [])),
    );
    const noted = new Set([
      'account.created',
      'device.released',
      'session.refused',
      'passkey.blocked',
      'device.restored',
    ]);
    for (const action of auditActions) assert.ok(told.has(action) || noted.has(action), `${action} can happen`);
  }));

test('every action, and every way of proof, has words in the console', () => {
  const words = readTexts('en');
  for (const action of auditActions) assert.type(words[`audit.${action}`], 'string', action);
  for (const by of actorKinds) assert.type(words[`auditBy.${by}`], 'string', by);
});

test('an entry names who, what, to what, from where and the new values, by the names of that time', () =>
  withHttp(async (world) => {
    const { call, admin, user } = world;
    const id = await device(world, 'Kitchen');
    const change = { organization: admin.organizationId, meta: { name: 'Hall', sleepTime: '1800', secret: 'hush' } };
    assert.is((await call('POST', `/devices/${id}`, { as: user, json: change })).status, 200);
    assert.is((await call('DELETE', `/devices/${id}`, { as: admin })).status, 200);
    const entries = await logOf(world, admin, `?objectId=${id}`);
    assert.equal(
      entries.map(({ action, object: { name } }) => [action, name]),
      [
        ['device.removed', 'Hall'],
        ['device.changed', 'Kitchen'],
        ['device.changed', 'Kitchen'],
        ['device.created', ''],
      ],
      'a device gets its name by a change',
    );
    const [, changed] = entries;
    assert.is(changed?.who.userId, user.userId);
    assert.is(changed?.who.by, 'key');
    assert.ok((changed?.who.name ?? '') !== '' && (changed?.who.key?.id ?? '') !== '');
    assert.equal(changed?.values, {
      organization: admin.organizationId,
      'meta.name': 'Hall',
      'meta.sleepTime': '1800',
    });
    assert.is(changed?.address, '127.0.0.1');
    assert.not.match(JSON.stringify(entries), 'hush');
  }));

test('a call that is refused, and one that reads, leave nothing', () =>
  withHttp(async (world) => {
    const { call, admin, patient } = world;
    const id = await device(world, 'Kitchen');
    const before = (await logOf(world, admin)).length;
    assert.is((await call('DELETE', `/devices/${id}`, { as: patient })).status, 404);
    assert.is((await call('DELETE', `/devices/${'0'.repeat(24)}`, { as: admin })).status, 404);
    assert.is((await call('GET', `/devices/${id}`, { as: admin })).status, 200);
    assert.is((await call('GET', `/devices/ping/${id}?dataResponse=false`, { as: admin })).status, 200);
    assert.is((await logOf(world, admin)).length, before);
  }));

test('the log is its organization’s: its admins read it, nobody else, and nothing of others stands in it', () =>
  withHttp(async (world) => {
    const { call, admin, user, stranger } = world;
    const foreign = await device(world, 'Kitchen');
    const paper = { organization: admin.organizationId, deviceId: foreign, kind: 'image' };
    const { json } = await call('POST', '/papers', { as: admin, json: paper });
    const before = (await logOf(world, admin)).length;
    // This succeeds without effect, and must not reach the other organization's log.
    const path = `/v1/integration-papers/papers/${json.id}/connection`;
    assert.is((await call('DELETE', path, { as: stranger })).status, 204);
    assert.is((await call('DELETE', path, { as: admin })).status, 204, 'there is no connection to end');
    assert.is((await logOf(world, admin)).length, before);
    const address = `/organizations/${admin.organizationId}/audit/`;
    assert.is((await call('GET', address, { as: user })).status, 403);
    assert.is((await call('GET', address, { as: stranger })).status, 404);
    assert.is((await call('GET', address)).status, 401);
    assert.not.ok((await logOf(world, stranger)).some(({ object: { id } }) => id === foreign));
  }));

test('below /v1 the same is recorded, once, by either method', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    const id = await device(world, 'Kitchen');
    const json = { organization: admin.organizationId, meta: { name: 'Hall' } };
    assert.is((await call('PATCH', `/v1/devices/${id}`, { as: admin, json })).status, 200);
    assert.is((await call('DELETE', `/v1/devices/${id}`, { as: admin })).status, 200);
    const actions = (await logOf(world, admin, `?objectId=${id}`)).map(({ action }) => action);
    assert.equal(actions, ['device.removed', 'device.changed', 'device.changed', 'device.created']);
  }));

test('sign-ins are recorded in every organization of the account, and a link that came too late as well', () =>
  withHttp(async (world) => {
    const { call, admin, db, clock, random } = world;
    const signIn = (json: object) => call('POST', '/sessions/', { json });
    assert.is((await signIn({ apiKey: admin.key })).status, 201);
    const { code } = await makeSignInCode(db, { clock, random }, admin.accountId);
    world.passes(11 * 60_000);
    assert.is((await signIn({ code })).status, 401);
    assert.is((await signIn({ apiKey: '0'.repeat(64) })).status, 401, 'nobody knows whose key that was to be');
    const entries = await logOf(world, admin, '?kind=session');
    assert.equal(
      entries.map(({ action, who, values }) => [action, who.by, values.by]),
      [
        ['session.refused', 'unproved', 'link'],
        ['session.started', 'key', 'key'],
      ],
    );
    assert.is(entries[0]?.who.userId, admin.userId, 'whose link it was');
  }));

test('keys, members, papers, uploads under a temporary address, and joining are recorded', () =>
  withHttp(async (world) => {
    const { call, admin, stranger } = world;
    const organization = admin.organizationId;
    const key = await call('POST', '/tokens', { as: admin, json: { name: 'Script' } });
    assert.is((await call('DELETE', `/tokens/${key.json.id}`, { as: admin })).status, 204);
    const invited = await call('POST', '/users/', { as: admin, json: { organization, email: 'nia@example.org' } });
    const joined = await call('POST', '/users/join', { as: stranger, json: { inviteCode: invited.json.inviteCode } });
    assert.is(joined.status, 200);
    const deviceId = await device(world, 'Kitchen');
    const paper = await call('POST', '/papers', { as: admin, json: { organization, deviceId, kind: 'image' } });
    const { uploadUrl } = (await call('POST', `/papers/image/${paper.json.id}`, { as: admin, json: {} })).json;
    const { pathname, search } = new URL(uploadUrl);
    const body = picture('hall');
    assert.is((await call('PUT', pathname + search, { body, headers: { 'content-type': 'image/png' } })).status, 200);
    const entries = await logOf(world, admin);
    const find = (action: string) => entries.find((entry) => entry.action === action);
    assert.is(find('key.made')?.object.name, 'Script');
    assert.is(find('key.ended')?.object.name, 'Script');
    assert.is(find('user.added')?.values.email, 'nia@example.org');
    assert.is(find('user.joined')?.object.id, invited.json.id);
    assert.is(find('user.joined')?.who.userId, invited.json.id);
    assert.is(find('paper.created')?.object.id, paper.json.id);
    assert.equal([find('paper.uploaded')?.who.by, find('paper.uploaded')?.who.userId], ['address', admin.userId]);
    const secrets = [key.json.raw, invited.json.inviteCode, admin.key];
    for (const secret of secrets) assert.not.ok(JSON.stringify(entries).includes(secret), 'a secret stands in it');
  }));

test('it is filtered and paged, and a page that has gone says so', () =>
  withHttp(async (world) => {
    const { call, admin, user } = world;
    for (const name of ['A', 'B', 'C']) {
      world.passes(1_000);
      await device(world, name);
    }
    world.passes(1_000);
    await call('POST', '/devices', { as: user, json: { organization: admin.organizationId } });
    const actions = (entries: Entry[]) => entries.map(({ action }) => action.slice('device.'.length));
    const path = `/organizations/${admin.organizationId}/audit/`;
    const first = (await call('GET', `${path}?limit=3`, { as: admin })).json;
    const rest = (await call('GET', `${path}?limit=3&before=${first.next}`, { as: admin })).json;
    const both = [...first.entries, ...rest.entries];
    assert.is(new Set(both.map(({ id }) => id)).size, 6);
    assert.equal(
      both.map(({ at }) => at),
      both
        .map(({ at }) => at)
        .sort()
        .reverse(),
      'the newest first',
    );
    assert.equal(actions(await logOf(world, admin, `?userId=${user.userId}`)), ['created']);
    assert.is((await logOf(world, admin, '?action=device.created')).length, 4);
    assert.is((await logOf(world, admin, '?kind=paper')).length, 0);
    const { at } = rest.entries[0] as Entry;
    const between = await logOf(world, admin, `?from=${at}&until=${new Date(Date.parse(at) + 1).toISOString()}`);
    assert.ok(between.some(({ id }) => id === rest.entries[0].id));
    assert.ok((await logOf(world, admin, `?until=${at}`)).every((entry) => entry.at < at));
    assert.is((await call('GET', `${path}?before=${'0'.repeat(24)}`, { as: admin })).status, 400);
    assert.is((await call('GET', `${path}?from=yesterday`, { as: admin })).status, 400);
  }));

test('after 90 days an entry is removed, and with an organization its whole log', () =>
  withHttp(async (world) => {
    const { call, admin, db, clock } = world;
    await device(world, 'Kitchen');
    const now = clock.now();
    assert.is((await forgetOldRows(db, now + 89 * dayMs)).audited, 0);
    assert.is((await forgetOldRows(db, now + 91 * dayMs)).audited, 2);
    const { json } = await call('POST', '/organizations', { as: admin, json: { kind: 'club' } });
    const inClub = () => db('audit_entries').where({ organization_id: json.id }).select('action');
    assert.equal(await inClub(), [{ action: 'organization.created' }]);
    assert.is((await call('DELETE', `/organizations/${json.id}`, { as: admin })).status, 200);
    assert.equal(await inClub(), []);
  }));

test('a log that cannot be written does not undo or refuse the change, and the operator is notified', () =>
  withHttp(async (world) => {
    const { db, log } = world;
    await db.raw('alter table audit_entries rename to audit_elsewhere');
    assert.match(await device(world, 'Kitchen'), /^[0-9a-f]{24}$/);
    const told = log.find(({ message }) => message === 'who did what is not logged');
    assert.is(told?.level, 'error');
    assert.is(told?.fields.action, 'device.created');
    await db.raw('alter table audit_elsewhere rename to audit_entries');
  }));

test.run();

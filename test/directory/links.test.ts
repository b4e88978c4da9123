/** Links: what members see whose role does not show them everything, and for how long. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { maxViewers } from '../../api/directory/link-rows.ts';
import { type Answer, type HttpWorld, type Person, withHttp } from '../http/world.ts';

const test = suite('links');

interface Things {
  readonly device: string;
  readonly other: string;
  /** A paper that no device of the two shows. */
  readonly paper: string;
  /** The paper that `device` shows. */
  readonly shown: string;
}

async function things({ call, admin }: HttpWorld, as = admin): Promise<Things> {
  const { organizationId: organization } = as;
  const made = async (path: string, json: object): Promise<string> =>
    (await call('POST', path, { as, json: { organization, ...json } })).json.id;
  const [device, other] = [await made('/devices', {}), await made('/devices', {})];
  const shown = await made('/papers', { deviceId: device, kind: 'image' });
  await made('/papers', { deviceId: other, kind: 'image' });
  const paper = await made('/papers', { deviceId: other, kind: 'text' });
  return { device, other, paper, shown };
}

const linkAs = ({ call }: HttpWorld, as: Person, userId: string, json: object): Promise<Answer> =>
  call('POST', `/users/${userId}/links`, { as, json });

async function seenBy({ call }: HttpWorld, as: Person): Promise<{ devices: string[]; papers: string[] }> {
  const ids = (rows: { id: string }[]): string[] => rows.map(({ id }) => id).sort();
  return {
    devices: ids((await call('GET', '/devices', { as })).json),
    papers: ids((await call('GET', '/papers', { as })).json.results),
  };
}

test('A-32: a frame and a paper are seen from the moment they are linked until the link ends, each as the role allows', () =>
  withHttp(async (world) => {
    const { call, admin, patient, onlyself } = world;
    const { device, other, paper, shown } = await things(world);
    for (const [person, papers, alone] of [
      [patient, [paper, shown].sort(), [paper]],
      [onlyself, [], []],
    ] as const) {
      assert.equal(await seenBy(world, person), { devices: [], papers: [] });
      const linked = await linkAs(world, admin, person.userId, { devices: [device, device], papers: [paper] });
      assert.equal([linked.status, linked.json], [200, { devices: [device], papers: [paper] }], linked.text);
      assert.equal(await seenBy(world, person), { devices: [device], papers });
      const overview = (await call('GET', '/devices/overview', { as: person })).json;
      assert.equal(
        overview.map(({ id }: { id: string }) => id),
        [device],
      );
      assert.is((await call('GET', `/devices/why/${device}`, { as: person })).status, 200);
      assert.is((await call('GET', `/devices/why/${other}`, { as: person })).status, 404);
      assert.is((await call('GET', `/papers/${paper}`, { as: person })).status, papers.length > 0 ? 200 : 404);
      assert.is((await call('POST', `/devices/${device}`, { as: person, json: { meta: {} } })).status, 403, 'to look');
      assert.equal((await call('GET', `/users/${person.userId}/links`, { as: person })).json, linked.json);
      const again = await linkAs(world, admin, person.userId, { devices: [device] });
      assert.equal(again.json, linked.json, 'twice is once');

      await linkAs(world, admin, person.userId, { devices: [device], sees: false });
      assert.equal(await seenBy(world, person), { devices: [], papers: alone });
      await linkAs(world, admin, person.userId, { papers: [paper], sees: false });
      assert.equal(await seenBy(world, person), { devices: [], papers: [] });
    }
  }));

test('A-32: several people see one frame; its patient is one of them, until the link is ended', () =>
  withHttp(async (world) => {
    const { call, admin, user, patient, onlyself } = world;
    const { device } = await things(world);
    await call('POST', `/devices/${device}`, { as: admin, json: { patient: patient.userId } });
    await linkAs(world, admin, onlyself.userId, { devices: [device] });
    const viewers = await call('GET', `/devices/${device}/viewers`, { as: user });
    assert.equal(
      new Set(
        viewers.json.map(({ userId, role, isPatient }: Record<string, unknown>) => `${userId} ${role} ${isPatient}`),
      ),
      new Set([`${patient.userId} patient true`, `${onlyself.userId} onlyself false`]),
    );
    assert.is((await call('GET', `/devices/${device}/viewers`, { as: patient })).status, 403);
    assert.equal((await call('GET', `/users/${patient.userId}/links`, { as: user })).json.devices, [device]);
    await linkAs(world, admin, patient.userId, { devices: [device], sees: false });
    assert.is((await call('GET', `/devices/${device}`, { as: admin })).json.patient, null);
    assert.equal((await seenBy(world, patient)).devices, []);
    assert.equal((await seenBy(world, onlyself)).devices, [device]);
  }));

test('A-8, A-32: nothing of another organization is linked, and only admins link', () =>
  withHttp(async (world) => {
    const { call, admin, user, patient, onlyself, stranger } = world;
    const [mine, theirs] = [await things(world), await things(world, stranger)];
    const nothing = '0'.repeat(24);
    for (const json of [
      { devices: [mine.device, theirs.device] },
      { papers: [theirs.paper] },
      { devices: [nothing] },
      { devices: [theirs.device], sees: false },
    ]) {
      const refused = await linkAs(world, admin, patient.userId, json);
      assert.equal([refused.status, refused.json.code], [404, 'not-found'], JSON.stringify(json));
    }
    assert.equal((await call('GET', `/users/${patient.userId}/links`, { as: admin })).json, {
      devices: [],
      papers: [],
    });
    const json = { devices: [mine.device] };
    for (const [as, userId, status] of [
      [admin, stranger.userId, 404],
      [admin, nothing, 404],
      [stranger, patient.userId, 404],
      [user, patient.userId, 403],
      [patient, patient.userId, 403],
      [onlyself, patient.userId, 404],
    ] as const) {
      assert.is((await linkAs(world, as, userId, json)).status, status);
    }
    assert.is((await linkAs(world, admin, patient.userId, { devices: ['x'] })).status, 400);
    const invited = { organization: admin.organizationId, email: 'eva@example.org', role: 'patient' };
    const refused = await call('POST', '/users', { as: admin, json: { ...invited, devices: [theirs.device] } });
    assert.is(refused.status, 404);
    const people = (await call('GET', `/users?organization=${admin.organizationId}`, { as: admin })).json;
    assert.not(
      people.some(({ email }: { email: string }) => email === 'eva@example.org'),
      'nobody was invited',
    );
  }));

test('A-32: an invitation has its links before anybody has come, and anyone who joins sees them at once', () =>
  withHttp(async (world) => {
    const { call, admin, stranger } = world;
    const { device, paper, shown } = await things(world);
    const invited = { organization: admin.organizationId, email: 'eva@example.org', role: 'patient' };
    const json = { ...invited, devices: [device], papers: [paper] };
    const { inviteCode } = (await call('POST', '/users', { as: admin, json })).json;
    const before = await seenBy(world, stranger);
    assert.is((await call('POST', '/users/join', { as: stranger, json: { inviteCode } })).status, 200);
    const after = await seenBy(world, stranger);
    assert.equal(after.devices, [...before.devices, device].sort());
    assert.equal(after.papers, [...before.papers, paper, shown].sort());
  }));

test('T-111: links end with the user, the device and the paper, and when one of them moves away', () =>
  withHttp(async (world) => {
    const { call, admin, patient, onlyself, db } = world;
    const second = (await call('POST', '/organizations', { as: admin, json: { kind: 'second' } })).json.id;
    const rows = async (): Promise<number[]> =>
      [await db('device_viewers'), await db('paper_viewers')].map(({ length }) => length);
    const made = await things(world);
    const link = (person: Person, json: object) => linkAs(world, admin, person.userId, json);
    await link(patient, { devices: [made.device, made.other], papers: [made.paper, made.shown] });
    await link(onlyself, { devices: [made.device] });
    assert.equal(await rows(), [3, 2]);

    await call('POST', `/devices/${made.device}`, { as: admin, json: { organization: second } });
    assert.equal(await rows(), [1, 2], 'the device moved');
    assert.equal((await seenBy(world, onlyself)).devices, []);
    await call('POST', `/devices/${made.device}`, { as: admin, json: { organization: admin.organizationId } });
    assert.equal((await seenBy(world, patient)).devices, [made.other], 'and comes back without its links');

    const elsewhere = (await call('POST', '/devices', { as: admin, json: { organization: second } })).json.id;
    const moved = { organization: second, deviceId: elsewhere, kind: 'text' };
    assert.is((await call('POST', `/papers/${made.paper}`, { as: admin, json: moved })).status, 200);
    assert.equal(await rows(), [1, 1], 'the paper moved');
    await call('DELETE', `/papers/${made.shown}`, { as: admin });
    assert.equal(await rows(), [1, 0], 'the paper was removed');

    await link(onlyself, { devices: [made.device] });
    await call('PATCH', `/users/${onlyself.userId}`, { as: admin, json: { organization: second } });
    assert.equal(await rows(), [1, 0], 'the user moved');
    await call('DELETE', `/devices/${made.other}`, { as: admin });
    assert.equal(await rows(), [0, 0], 'the device was removed');
    await link(patient, { devices: [made.device] });
    const removed = await call('DELETE', `/users/${patient.userId}`, { as: admin });
    assert.equal([removed.status, await rows()], [200, [0, 0]], 'the user was removed, and no link stood in the way');
  }));

test('T-111: of a link and a removal, or a move, that come at once no link is left over', () =>
  withHttp(async (world) => {
    const { call, admin, db, join } = world;
    const second = (await call('POST', '/organizations', { as: admin, json: { kind: 'second' } })).json.id;
    for (const [method, path] of [
      ['DELETE', (userId: string) => `/users/${userId}`],
      ['PATCH', (userId: string) => `/users/${userId}`],
      ['POST', (_userId: string, device: string) => `/devices/${device}`],
      ['DELETE', (_userId: string, device: string) => `/devices/${device}`],
    ] as const) {
      const { userId } = await join(admin.organizationId, 'patient', 'Paul');
      const { device } = await things(world);
      const json = method === 'DELETE' ? {} : { json: { organization: second } };
      const [linked, gone] = await Promise.all([
        linkAs(world, admin, userId, { devices: [device] }),
        call(method, path(userId, device), { as: admin, ...json }),
      ]);
      assert.is(gone.status, 200, gone.text);
      assert.ok([200, 404].includes(linked.status), linked.text);
      const left = await db('device_viewers').where({ user_id: userId }).orWhere({ device_id: device });
      assert.equal(left, [], `${method} ${path('USER', 'DEVICE')}`);
    }
  }));

test('T-110: a frame is linked to a hundred people at most', () =>
  withHttp(async (world) => {
    const { admin, patient, join, db, clock } = world;
    const { device } = await things(world);
    for (let count = 0; count < maxViewers; count++) {
      const { userId } = await join(admin.organizationId, 'patient', `Guest ${count}`);
      await db('device_viewers').insert({ user_id: userId, device_id: device, created_at: clock.now() });
    }
    const refused = await linkAs(world, admin, patient.userId, { devices: [device] });
    assert.equal([refused.status, refused.json.code], [409, 'conflict']);
    assert.match(refused.text, /No more than 100 people/);
    assert.equal((await seenBy(world, patient)).devices, []);
  }));

test.run();

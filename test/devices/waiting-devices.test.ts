/** A device that was made before its frame: the frame that is registered becomes its. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adoptFrame } from '../../api/devices/adopt-frame.ts';
import { type HttpWorld, type Person, withHttp } from '../http/world.ts';

const test = suite('devices that wait for their frame');

/** Makes a device without a frame. */
async function makes({ call, admin }: HttpWorld, more: object = {}, as: Person = admin): Promise<string> {
  const json = { organization: as.organizationId, ...more };
  const { status, json: device } = await call('POST', '/devices/', { as, json });
  assert.is(status, 200);
  return device.id;
}

/** Registers a frame, provisioned before; returns its device. */
async function registers(world: HttpWorld, serial: string, more: object = {}, prefix = '') {
  const { call, admin, frames } = world;
  await frames.provision(serial);
  const json = { enable: true, organization: admin.organizationId, ...more };
  const answer = await call('POST', `${prefix}/devices/registerdevice/${serial}`, { as: admin, json });
  assert.equal([answer.status, answer.json.activation_status], [200, 'success']);
  return answer.json.device;
}

test('the device keeps its id, name, paper and patient, and gets the serial, kind and settings of its frame', () =>
  withHttp(async (world) => {
    const { call, admin, patient, db, frames } = world;
    const id = await makes(world, { kind: 'epd7', patient: patient.userId });
    const paper = { deviceId: id, kind: 'image', organization: admin.organizationId };
    const { json: made } = await call('POST', '/papers', { as: admin, json: paper });
    const meta = { name: 'Hall', sleepTime: '900', showOverlay: false };
    await call('POST', `/devices/${id}`, { as: admin, json: { meta } });
    const before = await db('devices').where({ id }).first();

    const device = await registers(world, 'epd7-f00d');
    assert.equal([device.id, device.serialNumber, device.deviceId], [id, 'epd7-f00d', 'epd7-f00d']);
    assert.equal([device.name, device.kind, device.paper, device.patient], ['Hall', 'epd7', made.id, patient.userId]);
    assert.is(frames.active.get('epd7-f00d'), true);
    assert.is((await call('GET', '/devices', { as: admin })).json.length, 1);
    const after = await db('devices').where({ id }).first();
    assert.equal([after.assignment, after.created_at], [before.assignment, before.created_at], 'the same assignment');
    const frame = await db('frames').where({ serial: 'epd7-f00d' }).first();
    assert.equal([frame.sleep_seconds, frame.flags], [900, '{"overlay":false}'], 'what was set before is told to it');

    assert.is((await registers(world, 'epd7-f00d')).id, id, 'again');
    assert.is.not((await registers(world, 'epd7-beef')).id, id, 'another frame gets another device');
    assert.is((await call('GET', '/devices', { as: admin })).json.length, 2);
  }));

test('below /v1 as well, and when the operator adopts the frame', () =>
  withHttp(async (world) => {
    const first = await makes(world);
    assert.is((await registers(world, 'epd7-1', {}, '/v1')).id, first);
    const second = await makes(world);
    await world.frames.provision('epd13-1');
    const context = { db: world.db, clock: world.clock, random: world.random };
    const device = await adoptFrame(context, 'epd13-1', world.admin.organizationId);
    assert.equal([device.id, device.serial, device.kind], [second, 'epd13-1', 'openpaper13']);
  }));

test('of another panel, patient or paper, or of another organization, a device goes on waiting', () =>
  withHttp(async (world) => {
    const { call, admin, patient, onlyself, stranger } = world;
    const foreign = await makes(world, {}, stranger);
    const other = await makes(world, { kind: 'openpaper13' });
    const patients = await makes(world, { patient: patient.userId });
    const device = await registers(world, 'epd7-1', { patient: onlyself.userId });
    assert.not([foreign, other, patients].includes(device.id));
    assert.is(device.patient, onlyself.userId);
    assert.is((await registers(world, 'epd7-2', { patient: patient.userId })).id, patients, 'the one that agrees');
    assert.is(
      (await registers(world, 'epd13-1', { patient: null, paper: null })).id,
      other,
      'nothing named is no contradiction',
    );
    const theirs = (await call('GET', '/devices', { as: stranger })).json;
    assert.equal([theirs.length, theirs[0].deviceId], [1, null]);
    assert.is((await call('GET', '/devices', { as: admin })).json.length, 3);
  }));

test('of several that fit, the one that was made last', () =>
  withHttp(async (world) => {
    const first = await makes(world);
    world.passes(1_000);
    const last = await makes(world);
    assert.equal([(await registers(world, 'epd7-1')).id, (await registers(world, 'epd7-2')).id], [last, first]);
  }));

test('a frame that is let go, or whose device is removed, leaves no device behind that waits', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    const id = await makes(world);
    await registers(world, 'epd7-1');
    const json = { enable: false, organization: admin.organizationId };
    assert.is((await call('POST', '/devices/registerdevice/epd7-1', { as: admin, json })).status, 200);
    assert.is.not((await registers(world, 'epd7-1')).id, id);
  }));

test('papers of a removed device belong to none: their deviceId is null, on both surfaces', () =>
  withHttp(async (world) => {
    const { call, admin, db } = world;
    const organization = admin.organizationId;
    const [gone, stays] = [await makes(world), await makes(world)];
    const paperOf = async (deviceId: string) =>
      (await call('POST', '/papers', { as: admin, json: { deviceId, kind: 'image', organization } })).json.id;
    const [orphan, other] = [await paperOf(gone), await paperOf(stays)];
    assert.is((await call('DELETE', `/devices/${gone}`, { as: admin })).status, 200);
    for (const prefix of ['', '/v1']) {
      const of = async (id: string) => (await call('GET', `${prefix}/papers/${id}`, { as: admin })).json.deviceId;
      assert.equal([await of(orphan), await of(other)], [null, stays]);
      const { results } = (await call('GET', `${prefix}/papers?deviceId=${stays}`, { as: admin })).json;
      assert.equal(
        results.map(({ id }: { id: string }) => id),
        [other],
      );
    }
    // As it is read it can be sent back, and changed without finding a device for it.
    for (const [prefix, json] of [
      ['', { deviceId: null, kind: 'image', organization, meta: { name: 'a' } }],
      ['/v1', { deviceId: null, kind: 'image', organization, meta: { name: 'b' } }],
      ['/v1', { meta: { name: 'c' } }],
    ] as const) {
      const changed = await call('POST', `${prefix}/papers/${orphan}`, { as: admin, json });
      assert.equal([changed.status, changed.json.deviceId, changed.json.meta], [200, null, json.meta], changed.text);
    }
    for (const prefix of ['', '/v1']) {
      const json = { deviceId: null, kind: 'image', organization };
      const taken = await call('POST', `${prefix}/papers/${other}`, { as: admin, json });
      assert.is(taken.status, 400, 'a paper keeps a device');
    }
    const json = { deviceId: stays, kind: 'image', organization };
    assert.is((await call('POST', `/papers/${orphan}`, { as: admin, json })).json.deviceId, stays);

    await registers(world, 'epd7-1');
    const [bound] = await db('devices').where({ serial: 'epd7-1' }).select('id');
    const released = await paperOf(bound.id);
    await call('POST', '/devices/registerdevice/epd7-1', { as: admin, json: { enable: false, organization } });
    assert.is((await call('GET', `/papers/${released}`, { as: admin })).json.deviceId, null);
  }));

test.run();

/** Of which kind the device of a frame is: shown and drawn for the same. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { followFrame } from '../../api/devices/device-of-frame.ts';
import { transact } from '../../runtime/database/database.ts';
import { type HttpWorld, withHttp } from '../http/world.ts';

const test = suite('kinds of frames');

async function register(world: HttpWorld, serial: string, kind: string): Promise<string> {
  await world.frames.provision(serial, { kind });
  const json = { enable: true, organization: world.admin.organizationId };
  const { device } = (await world.call('POST', `/devices/registerdevice/${serial}`, { as: world.admin, json })).json;
  assert.is(device.kind, kind);
  return device.id;
}

const storedKind = async ({ db }: HttpWorld, id: string) => (await db('devices').where({ id }).first('kind')).kind;

test('a registered frame is of the kind it was provisioned with, whatever its serial begins with', () =>
  withHttp(async (world) => {
    const ids = [await register(world, 'board-1', 'bwr7'), await register(world, 'epd7-red', 'bwr7')];
    for (const id of ids) assert.is(await storedKind(world, id), 'bwr7');
  }));

test('A-14: a device follows its frame to another kind and is drawn for it; nobody gives it one that contradicts', () =>
  withHttp(async (world) => {
    const { admin, call, db } = world;
    const id = await register(world, 'board-1', 'bwr7');
    const json = { organization: admin.organizationId, deviceId: id, kind: 'image' };
    const paper = (await call('POST', '/papers', { as: admin, json })).json.id;
    const shown = { device_id: id, paper_id: paper, revision: 'r', attempts: 4, due_at: 1, updated_at: 1, edition: 0 };
    const edition = async () => (await db('shown_pictures').where({ device_id: id }).first('edition')).edition;
    await db('shown_pictures').insert(shown);
    const follow = (before: string, kind: string) =>
      transact(db, (trx) => followFrame(trx, { serial: 'board-1', before, kind }));
    await follow('epaper', 'bwr7');
    assert.equal([await storedKind(world, id), await edition()], ['bwr7', 0], 'it is of that kind already');
    await follow('bwr7', 'epd7');
    assert.equal([await storedKind(world, id), await edition()], ['epd7', -1]);
    await follow('none', 'bwr7');

    await db('shown_pictures').where({ device_id: id }).update({ edition: 0 });
    const says = (kind: string, prefix = '') =>
      call('POST', `${prefix}/devices/${id}`, { as: admin, json: { kind, meta: { name: 'Hall' } } });
    for (const kind of ['epd7', 'openpaper13', 'poster']) {
      const { status, json } = await says(kind);
      assert.equal([status, json.code], [409, 'other-panel'], kind);
      assert.match(json.message, 'bwr7');
      assert.is((await says(kind, '/v1')).status, 409);
    }
    assert.equal([await storedKind(world, id), await edition()], ['bwr7', 0], 'nothing of it is kept');
    assert.is((await says('bwr7')).status, 200);
    // What the frame says itself counts more than its kind.
    await db('frames').where({ serial: 'board-1' }).update({ panel: 'epd7' });
    assert.is((await says('epd7')).status, 200);
    assert.is(await edition(), -1, 'a person’s change is drawn too');
  }));

test('a device without a frame, and one whose frame is of a kind without a known panel, are of any kind', () =>
  withHttp(async (world) => {
    const { admin, call, frames } = world;
    const organization = admin.organizationId;
    const bare = (await call('POST', '/devices', { as: admin, json: { organization } })).json.id;
    assert.is((await call('POST', `/devices/${bare}`, { as: admin, json: { kind: 'bwr7' } })).status, 200);
    await frames.provision('epd-1');
    const json = { enable: true, organization };
    const { device } = (await call('POST', '/devices/registerdevice/epd-1', { as: admin, json })).json;
    assert.is(device.kind, 'epaper');
    assert.is((await call('POST', `/devices/${device.id}`, { as: admin, json: { kind: 'epd7' } })).status, 200);
  }));

test.run();

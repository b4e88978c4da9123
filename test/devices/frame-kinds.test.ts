/** Of which kind the device of a frame is: shown and drawn for the same. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { followFrame } from '../../api/devices/device-of-frame.ts';
import { kindsOfFrames } from '../../api/devices/tables.ts';
import { transact } from '../../gateway/runtime/database.ts';
import { type HttpWorld, withHttp } from '../http/world.ts';

const test = suite('kinds of frames');

async function register(world: HttpWorld, serial: string, kind: string): Promise<string> {
  await world.frames.provision(serial, { kind });
  const json = { enable: true, organization: world.admin.organizationId };
  const { device } = (await world.call('POST', `/devices/registerdevice/${serial}`, { as: world.admin, json })).json;
  assert.is(device.kind, kind);
  return device.id;
}

const storedKind = async ({ database }: HttpWorld, id: string) =>
  (await database('devices').where({ id }).first('kind')).kind;

test('a registered frame is of the kind it was provisioned with, whatever its serial begins with', () =>
  withHttp(async (world) => {
    const ids = [await register(world, 'board-1', 'bwr7'), await register(world, 'epd7-red', 'bwr7')];
    for (const id of ids) assert.is(await storedKind(world, id), 'bwr7');
  }));

test('a device that was registered without a kind gets its frame’s', () =>
  withHttp(async (world) => {
    const id = await register(world, 'board-1', 'bwr7');
    const json = { organization: world.admin.organizationId };
    const bare = (await world.call('POST', '/devices', { as: world.admin, json })).json.id;
    await world.database('devices').where({ id }).update({ kind: null });
    await kindsOfFrames.up(world.database);
    assert.equal([await storedKind(world, id), await storedKind(world, bare)], ['bwr7', null]);
  }));

test('a device follows its frame to another kind and is drawn for it, unless a person gave it one', () =>
  withHttp(async (world) => {
    const { admin, call, database } = world;
    const id = await register(world, 'board-1', 'bwr7');
    const json = { organization: admin.organizationId, deviceId: id, kind: 'image' };
    const paper = (await call('POST', '/papers', { as: admin, json })).json.id;
    const shown = { device_id: id, paper_id: paper, revision: 'r', attempts: 4, due_at: 1, updated_at: 1, edition: 0 };
    const edition = async () => (await database('shown_pictures').where({ device_id: id }).first('edition')).edition;
    await database('shown_pictures').insert(shown);
    const follow = (before: string, kind: string) =>
      transact(database, (trx) => followFrame(trx, { serial: 'board-1', before, kind }));
    await follow('epaper', 'epd7');
    assert.equal([await storedKind(world, id), await edition()], ['bwr7', 0], 'another kind was given to it');
    await follow('bwr7', 'epd7');
    assert.equal([await storedKind(world, id), await edition()], ['epd7', -1]);
    await follow('none', 'epd7');

    await database('shown_pictures').where({ device_id: id }).update({ edition: 0 });
    const says = (kind: string) => call('POST', `/devices/${id}`, { as: admin, json: { kind } });
    await says('epd7');
    assert.is(await edition(), 0, 'the same kind changes nothing');
    await says('bwr7');
    assert.is(await edition(), -1, 'a person’s change is drawn too');
  }));

test.run();

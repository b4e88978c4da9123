/** Frames that ask by themselves: who sees them, and who may make one a device. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adoptInWindow } from '../../api/devices/adopt-asking.ts';
import { readCall } from '../../firmware-protocol/trmnl/headers.ts';
import { requireAddress } from '../../gateway/adoption/adopt-frame.ts';
import { noteAsking } from '../../gateway/adoption/waiting-frames.ts';
import { transact } from '../../runtime/database.ts';
import { type HttpWorld, type Person, withHttp } from '../http/world.ts';

const test = suite('adoption');
const address = 'AA:BB:CC:00:11:22';
const serial = 'trmnl-aabbcc001122';

async function asks(world: HttpWorld, id = address, from = '127.0.0.1'): Promise<void> {
  const call = readCall({ id, model: 'og', 'fw-version': '1.8.14', width: '800', height: '480' });
  if (call === undefined) throw new Error('no call');
  await noteAsking(world.db, call, from, world.clock.now());
}

const waiting = async (world: HttpWorld, as: Person): Promise<string[]> => {
  const { json } = await world.call('GET', `/devices/waiting?organization=${as.organizationId}`, { as });
  return json.map((frame: { address: string }) => frame.address);
};

test('in a service of several organizations a frame is seen from its own address only, and adopted by whoever names it', () =>
  withHttp(async (world) => {
    const { admin, stranger, call } = world;
    await asks(world, address, '203.0.113.9');
    await asks(world, 'AA:BB:CC:00:11:33', '127.0.0.1');
    assert.equal(await waiting(world, admin), ['AA:BB:CC:00:11:33']);
    const json = { organization: admin.organizationId };
    const adopted = await call('POST', `/devices/adopt/${address}`, { as: admin, json });
    assert.equal([adopted.status, adopted.json.deviceId, adopted.json.kind], [201, serial, 'trmnl4']);
    assert.is(adopted.json.meta.orientation, 'landscape', 'it stands as its panel is made');
    const other = { organization: stranger.organizationId };
    const taken = await call('POST', `/devices/adopt/${serial}`, { as: stranger, json: other });
    assert.equal([taken.status, taken.json.code], [409, 'frame-taken']);
    const again = await call('POST', '/devices/adopt/aabbcc001122', { as: admin, json });
    assert.equal([again.status, again.json.id], [201, adopted.json.id], 'a frame that was reset is the same device');
  }));

test('a frame that never asked is adopted by its kind, and what is no address is refused with an example', () =>
  withHttp(async ({ admin, call }) => {
    const json = { organization: admin.organizationId };
    const unknown = await call('POST', `/devices/adopt/${address}`, { as: admin, json });
    assert.equal([unknown.status, unknown.json.hint?.includes('kind')], [400, true]);
    const kind = 'bwr-800x480';
    const adopted = await call('POST', `/devices/adopt/${address}`, { as: admin, json: { ...json, kind } });
    assert.equal([adopted.status, adopted.json.kind], [201, kind]);
    const wrong = await call('POST', '/devices/adopt/AA:BB:CC:00:11', { as: admin, json });
    assert.equal([wrong.status, wrong.json.hint?.includes('AA:BB:CC:DD:EE:FF')], [400, true]);
    const odd = await call('POST', `/devices/adopt/${address}`, { as: admin, json: { ...json, kind: 'mono-9x9' } });
    assert.is(odd.status, 400);
  }));

test('an open window takes what asks from where it was opened, one frame an owner, and nothing once it is closed', () =>
  withHttp(async (world) => {
    const { admin, stranger, call, db } = world;
    const deps = { clock: world.clock, random: world.random };
    const comes = (id: string, from: string) =>
      transact(db, (trx) => adoptInWindow(trx, deps, { serial: requireAddress(id), address: from }));
    const open = (as: Person, minutes: number) =>
      call('PUT', '/devices/adoption-window', { as, json: { organization: as.organizationId, minutes } });
    await asks(world);
    assert.is(await comes(address, '127.0.0.1'), false);
    assert.is((await open(admin, 15)).status, 200);
    assert.is(await comes(address, '203.0.113.9'), false);
    await open(stranger, 15);
    assert.is(await comes(address, '127.0.0.1'), false, 'two windows at one address: nobody can tell whose it is');
    assert.equal((await open(stranger, 0)).json, { until: null, baseAddress: 'http://frames.example/trmnl' });
    assert.is(await comes('AA:BB:CC:00:11:44', '127.0.0.1'), false, 'it waits until somebody names its panel');
    assert.is(await comes(address, '127.0.0.1'), true);
    const { json } = await call('GET', '/devices', { as: admin });
    assert.ok(json.some((device: { deviceId: string }) => device.deviceId === serial));
    // Firmware before 1.8.0 says no more than its version while it is set up: it is the first TRMNL.
    const old = readCall({ id: 'AA:BB:CC:00:11:55', 'fw-version': '1.6.9' });
    assert.ok(old);
    await noteAsking(db, old, '127.0.0.1', world.clock.now());
    assert.is(await comes('AA:BB:CC:00:11:55', '127.0.0.1'), true);
    world.passes(16 * 60_000);
    await asks(world, 'AA:BB:CC:00:11:33');
    assert.is(await comes('AA:BB:CC:00:11:33', '127.0.0.1'), false);
  }));

test.run();

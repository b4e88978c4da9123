/** Frames that ask by themselves: who sees them, and who may make one a device. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adoptInWindow } from '../../api/devices/adoption-window.ts';
import { readCall } from '../../firmware-protocol/trmnl/headers.ts';
import { requireAddress } from '../../gateway/adoption/adopt-frame.ts';
import { askerOf, noteAsking } from '../../gateway/adoption/waiting-frames.ts';
import { transact } from '../../runtime/database/database.ts';
import { type HttpWorld, type Person, withHttp } from '../http/world.ts';

const test = suite('adoption');
const address = 'AA:BB:CC:00:11:22';
const serial = 'trmnl-aabbcc001122';

async function asks(world: HttpWorld, id = address, from = '127.0.0.1'): Promise<void> {
  const call = readCall({ id, model: 'og', 'fw-version': '1.8.14', width: '800', height: '480' });
  if (call === undefined) throw new Error('no call');
  await noteAsking(world.db, call, askerOf(undefined, from), world.clock.now());
}

const waiting = async (world: HttpWorld, as: Person): Promise<string[]> => {
  const { json } = await world.call('GET', `/devices/waiting?organization=${as.organizationId}`, { as });
  return json.map((frame: { address: string }) => frame.address);
};

test('in a service of several organizations a frame is seen from its own address only, and adopted by anyone who names it', () =>
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

test('a frame that never asked is adopted by its kind, and what is not an address is refused with an example', () =>
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
    assert.equal((await open(stranger, 0)).json, {
      until: null,
      adopted: 0,
      most: 30,
      baseAddress: 'http://frames.example/trmnl',
    });
    assert.is(await comes('AA:BB:CC:00:11:44', '127.0.0.1'), false, 'it waits until somebody names its panel');
    assert.is(await comes(address, '127.0.0.1'), true);
    const { json } = await call('GET', '/devices', { as: admin });
    assert.ok(json.some((device: { deviceId: string }) => device.deviceId === serial));
    // Firmware before 1.8.0 sends only its version while it is set up: it is the first TRMNL.
    const old = readCall({ id: 'AA:BB:CC:00:11:55', 'fw-version': '1.6.9' });
    assert.ok(old);
    await noteAsking(db, old, askerOf(undefined, '127.0.0.1'), world.clock.now());
    assert.is(await comes('AA:BB:CC:00:11:55', '127.0.0.1'), true);
    world.passes(16 * 60_000);
    await asks(world, 'AA:BB:CC:00:11:33');
    assert.is(await comes('AA:BB:CC:00:11:33', '127.0.0.1'), false);
  }));

test('an open window adopts ten invented addresses a minute, thirty at most, and says how many it has', () =>
  withHttp(async (world) => {
    const { admin, call, db } = world;
    const deps = { clock: world.clock, random: world.random };
    const json = { organization: admin.organizationId, minutes: 60 };
    const open = () => call('PUT', '/devices/adoption-window', { as: admin, json });
    await open();
    let next = 0;
    /** The number of frames that are adopted of so many that ask at once. */
    const comes = async (frames: number): Promise<number> => {
      let taken = 0;
      for (let at = 0; at < frames; at++) {
        const id = `AA:BB:CC:01:${String(Math.trunc(next / 100)).padStart(2, '0')}:${String(next++ % 100).padStart(2, '0')}`;
        await asks(world, id);
        const one = { serial: requireAddress(id), address: '127.0.0.1' };
        if (await transact(db, (trx) => adoptInWindow(trx, deps, one))) taken++;
      }
      return taken;
    };
    assert.is(await comes(40), 10);
    world.passes(60_000);
    assert.is(await comes(40), 10);
    world.passes(60_000);
    assert.is(await comes(9), 9);
    world.passes(60_000);
    assert.is(await comes(40), 1);
    world.passes(60_000);
    assert.is(await comes(5), 0, 'that was all of them');
    const shown = await call('GET', `/devices/adoption-window?organization=${admin.organizationId}`, { as: admin });
    assert.equal([shown.json.adopted, shown.json.most, shown.json.until === null], [30, 30, false]);
    await open();
    assert.is(await comes(2), 2, 'whoever has more opens it again');
  }));

test('a device that names itself as another one is adopted by its code alone, in a window by none, and is listed with it', () =>
  withHttp(async (world) => {
    const { admin, stranger, call, db } = world;
    await asks(world, address, '127.0.0.1');
    const forged = readCall({ id: address, model: 'og', 'access-token': 'a-key-that-a-stranger-says' });
    if (forged === undefined) throw new Error('no call');
    await noteAsking(db, forged, askerOf(forged.token, '127.0.0.1'), world.clock.now());
    const listed = await call('GET', `/devices/waiting?organization=${admin.organizationId}`, { as: admin });
    const facts = listed.json.map((row: Record<string, unknown>) => [
      row.address,
      row.from,
      row.hasKey,
      row.others,
      row.device,
    ]);
    assert.equal(facts.sort(), [
      [address, '127.0.0.1', false, 1, null],
      [address, '127.0.0.1', true, 1, null],
    ]);
    await call('PUT', '/devices/adoption-window', {
      as: admin,
      json: { organization: admin.organizationId, minutes: 15 },
    });
    const deps = { clock: world.clock, random: world.random };
    assert.is(await transact(db, (trx) => adoptInWindow(trx, deps, { serial, address: '127.0.0.1' })), false);
    const json = { organization: admin.organizationId };
    const refused = await call('POST', `/devices/adopt/${address}`, { as: admin, json });
    assert.equal([refused.status, refused.json.code], [409, 'conflict']);
    assert.match(refused.json.message, /2 devices use the address AA:BB:CC:00:11:22/);
    assert.match(refused.json.hint, /asker/);
    const [row] = listed.json.filter(({ hasKey }: { hasKey: boolean }) => !hasKey);
    const wrong = await call('POST', `/devices/adopt/${address}`, { as: admin, json: { ...json, asker: '000000' } });
    assert.is(wrong.status, 404);
    const done = await call('POST', `/devices/adopt/${address}`, { as: admin, json: { ...json, asker: row.asker } });
    assert.is(done.status, 201);
    // A caller that claims later to be that device is seen by its organization alone.
    await asks(world, address, '127.0.0.1');
    const again = await call('GET', `/devices/waiting?organization=${admin.organizationId}`, { as: admin });
    assert.equal(
      again.json.map(({ device }: { device: string }) => device),
      [done.json.id],
    );
    assert.equal(await waiting(world, stranger), []);
  }));

test.run();

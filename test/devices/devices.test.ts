import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type HttpWorld, withHttp } from '../http/world.ts';

const test = suite('devices');

async function createDevice({ call, admin }: HttpWorld, more: object = {}): Promise<string> {
  const json = { organization: admin.organizationId, ...more };
  return (await call('POST', '/devices', { as: admin, json })).json.id;
}

async function createPaper({ call, admin }: HttpWorld, deviceId: string): Promise<string> {
  const json = { organization: admin.organizationId, deviceId, kind: 'image' };
  return (await call('POST', '/papers', { as: admin, json })).json.id;
}

test('a device without a frame: every field of the contract, objects never null (A-13, C-22)', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    const json = { organization: admin.organizationId, kind: 'epd7', patient: null };
    const created = await call('POST', '/devices/', { as: admin, json });
    assert.is(created.status, 200);
    assert.match(created.json.id, /^[0-9a-f]{24}$/);
    const { id, createdAt, updatedAt, loadedAt, ...rest } = created.json;
    for (const time of [createdAt, updatedAt, loadedAt]) assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(rest, {
      name: 'epd7',
      status: 'offline',
      deviceId: null,
      kind: 'epd7',
      organization: admin.organizationId,
      patient: null,
      paper: null,
      meta: {},
      deviceStatus: { pictureSynced: false, updatePending: 'update_ok' },
      iotDevice: {},
      shadow: {},
      simulated: false,
    });
    const read = await call('GET', `/devices/${id}`, { as: admin });
    const { deadlines, ...device } = read.json;
    assert.equal({ ...device, loadedAt }, created.json);
    assert.equal(deadlines, [], 'nothing is due there');
    const listed = await call('GET', '/devices', { as: admin });
    const onlyAlone = ['deviceStatus', 'iotDevice', 'shadow', 'loadedAt'];
    const row = Object.entries(created.json).filter(([field]) => !onlyAlone.includes(field));
    assert.equal(listed.json, [Object.fromEntries(row)]);
    assert.is(world.nudges(), 1);
  }));

test('A-15: registering binds a provisioned frame once, and enable:false releases it', () =>
  withHttp(async (world) => {
    const { call, admin, frames, patient } = world;
    await frames.provision('epd7-f00d', {
      status: 'online',
      connected: true,
      lastContactAt: 1_760_000_000_000,
      expectedWakeAt: 1_760_003_600_000,
      batteryMv: 5480,
      firmware: '1.2.3',
      firmwareLatest: '1.4.0',
      fileVersion: 7,
      pictureSynced: false,
      updatePending: true,
      sleepSeconds: 1800,
      panel: 'epd7',
    });
    const json = { enable: true, organization: admin.organizationId, patient: patient.userId };
    const registered = await call('POST', '/devices/registerdevice/EPD7-f00d/', { as: admin, json });
    assert.is(registered.status, 200);
    assert.equal([registered.json.activation_status, registered.json.activated], ['success', true]);
    assert.is(frames.active.get('epd7-f00d'), true);
    const { device } = registered.json;
    assert.is(device.deviceId, 'epd7-f00d');
    assert.is(device.serialNumber, 'epd7-f00d');
    assert.is(device.name, 'epd7-f00d');
    assert.is(device.kind, 'epd7');
    assert.is(device.patient, patient.userId);
    assert.is(device.status, 'online');
    assert.equal(device.deviceStatus, {
      batLevel: '5480',
      nextDeviceSync: 1_760_003_600_000,
      lastReachableAgo: 1_760_000_000_000,
      pictureSynced: false,
      updatePending: 'update_pending',
      sleepTime: 3600,
      sleepTimePredict: 1800,
      fileVersion: 7,
      fwVersion: '1.2.3',
    });
    assert.equal(device.iotDevice, { serialNumber: 'epd7-f00d', fwVersion: '1.2.3', fwVersionLatest: '1.4.0' });

    const again = await call('POST', '/devices/registerdevice/epd7-f00d', { as: admin, json });
    assert.equal([again.json.device.id, again.json.activated], [device.id, false]);
    assert.is((await call('GET', '/devices', { as: admin })).json.length, 1);

    // Its user reset it (W-36): registering it makes it a working frame again, as the same device.
    frames.active.set('epd7-f00d', false);
    const anew = await call('POST', '/devices/registerdevice/epd7-f00d', { as: admin, json });
    assert.equal([anew.status, anew.json.activation_status, anew.json.activated], [200, 'success', true]);
    assert.is(anew.json.device.id, device.id);
    assert.is(frames.active.get('epd7-f00d'), true);
    frames.active.set('epd7-f00d', false);
    assert.is((await call('POST', '/v1/devices/registerdevice/epd7-f00d', { as: admin, json })).status, 200);
    assert.is(frames.active.get('epd7-f00d'), true);

    const release = { enable: false, organization: admin.organizationId };
    const released = await call('POST', '/devices/registerdevice/epd7-f00d', { as: admin, json: release });
    assert.is(released.json.activation_status, 'reset');
    assert.is(frames.active.get('epd7-f00d'), false);
    assert.equal((await call('GET', '/devices', { as: admin })).json, []);
    assert.is((await call('POST', '/devices/registerdevice/epd7-f00d', { as: admin, json: release })).status, 404);
  }));

test('T-16, T-19: a frame of somebody else and no frame at all answer alike, and it stays with its owner', () =>
  withHttp(async (world) => {
    const { call, admin, stranger, frames } = world;
    await frames.provision('epd7-f00d');
    const register = (serial: string, as = stranger, enable = true) =>
      call('POST', `/devices/registerdevice/${serial}`, { as, json: { enable, organization: as.organizationId } });
    assert.is((await register('epd7-f00d', admin)).status, 200);
    for (const enable of [true, false]) {
      const foreign = await register('epd7-f00d', stranger, enable);
      assert.is(foreign.status, 404);
      assert.is(foreign.json.code, 'unknown-frame');
      assert.is((await register('epd7-beef', stranger, enable)).text, foreign.text);
    }
    assert.is((await call('GET', '/devices', { as: admin })).json[0].deviceId, 'epd7-f00d');
    assert.is(frames.active.get('epd7-f00d'), true);
    for (const serial of ['..%2F..%2Fetc', 'a%00b', 'x'.repeat(65), '%zz']) {
      assert.is((await register(serial)).status, 400, serial);
    }
  }));

test('T-19: two organizations that register one frame at once: one gets it', () =>
  withHttp(async ({ call, admin, stranger, frames }) => {
    await frames.provision('epd7-f00d');
    const answers = await Promise.all(
      [admin, stranger].map((as) =>
        call('POST', '/devices/registerdevice/epd7-f00d', {
          as,
          json: { enable: true, organization: as.organizationId },
        }),
      ),
    );
    assert.equal(answers.map(({ status }) => status).sort(), [200, 404]);
  }));

test('an update replaces the given fields and keeps the others; the serial moves by registration only', () =>
  withHttp(async (world) => {
    const { call, admin, user, frames } = world;
    await frames.provision('epd13-1');
    const organization = admin.organizationId;
    const registered = await call('POST', '/devices/registerdevice/epd13-1', {
      as: admin,
      json: { enable: true, organization },
    });
    const { id } = registered.json.device;
    assert.is(registered.json.device.kind, 'openpaper13');
    const change = (json: object, as = admin) => call('POST', `/devices/${id}`, { as, json });
    const first = await change({ meta: { name: 'Hall', sleepTime: '900', a: null }, intake: { morning: null } });
    assert.is(first.json.name, 'Hall');
    assert.equal(first.json.intake, { morning: null });
    assert.is(first.json.deviceStatus.sleepTime, 900);
    assert.equal(frames.configured.get('epd13-1'), { sleepTime: '900', updateSchedule: null, flags: {} });
    assert.equal(frames.announced, ['epd13-1'], 'told at once, if it is awake');
    const second = await change({
      meta: { b: 1 },
      alarmEnable: 1,
      takeOffsetTime: -5,
      iotDevice: { x: 1 },
      payment: {},
    });
    assert.equal(second.json.meta, { b: 1 });
    assert.equal(second.json.intake, { morning: null });
    assert.is(second.json.alarmEnable, 1);
    assert.is(second.json.takeOffsetTime, -5);
    assert.is(second.json.iotDevice.x, 1);
    assert.is((await change({ deviceId: 'EPD13-1' })).status, 200);
    await frames.provision('epd13-2');
    const stolen = await change({ deviceId: 'epd13-2' });
    assert.is(stolen.status, 409);
    assert.match(stolen.json.hint, 'registerdevice');
    assert.is((await change({ alarmEnable: 0.5 })).status, 400);
    assert.is((await change({ meta: 'text' })).status, 400);
    const place = { building: ' Main house ', floor: 2, room: 'Room 7' };
    assert.is(
      (await change({ meta: { place } })).json.hint,
      'meta.place.floor: Invalid input: expected string, received number',
    );
    assert.match((await change({ meta: { place: { room: 'x'.repeat(81) } } })).json.hint, 'meta.place.room');
    const hung = await change({ meta: { place: { ...place, floor: null } } });
    assert.equal(hung.json.meta.place, { building: 'Main house', floor: null, room: 'Room 7' });
    // T-17: these two are for admins.
    assert.is((await change({ iotDevice: {} }, user)).status, 403);
    assert.is((await change({ payment: {} }, user)).status, 403);
    assert.is((await change({ intake: {} }, user)).status, 200);
  }));

test('D-3: the assignment rises with every change of paper or organization, and with nothing else', () =>
  withHttp(async (world) => {
    const { call, admin, db } = world;
    const id = await createDevice(world);
    const assignment = async (): Promise<number> => (await db('devices').where({ id }).first()).assignment;
    const change = async (json: object): Promise<void> => {
      assert.is((await call('POST', `/devices/${id}`, { as: admin, json })).status, 200);
    };
    const start = await assignment();
    const first = await createPaper(world, id);
    assert.is(await assignment(), start + 1, 'its first paper is shown at once');
    const second = await createPaper(world, id);
    assert.is(await assignment(), start + 1, 'a second paper is not');
    await change({ paper: first, organization: admin.organizationId, meta: { a: 1 } });
    assert.is(await assignment(), start + 1, 'what it is already is no change');
    await change({ paper: second });
    await change({ paper: null });
    await change({ paper: null });
    await change({ paper: second });
    assert.is(await assignment(), start + 4);
    const other = await call('POST', '/organizations', { as: admin, json: { kind: 'second' } });
    await change({ organization: other.json.id });
    assert.is(await assignment(), start + 5);
    const moved = await call('GET', `/devices/${id}`, { as: admin });
    assert.is(moved.json.organization, other.json.id);
    assert.is(moved.json.paper, null, 'the paper stays with its organization');
  }));

test('T-15: a device names only patients and papers of its own organization', () =>
  withHttp(async (world) => {
    const { call, admin, stranger, random } = world;
    const id = await createDevice(world);
    const theirs = (await call('POST', '/devices', { as: stranger, json: { organization: stranger.organizationId } }))
      .json;
    const theirPaper = await call('POST', '/papers', {
      as: stranger,
      json: { organization: stranger.organizationId, deviceId: theirs.id, kind: 'image' },
    });
    for (const [foreign, unknown] of [
      [{ paper: theirPaper.json.id }, { paper: random.id() }],
      [{ patient: stranger.userId }, { patient: random.id() }],
    ]) {
      const create = { organization: admin.organizationId };
      for (const [path, json] of [
        [`/devices/${id}`, {}],
        ['/devices', create],
      ] as const) {
        const answer = await call('POST', path, { as: admin, json: { ...json, ...foreign } });
        assert.is(answer.status, 404);
        assert.is((await call('POST', path, { as: admin, json: { ...json, ...unknown } })).text, answer.text);
      }
    }
    const move = await call('POST', `/devices/${id}`, { as: admin, json: { organization: stranger.organizationId } });
    assert.is(move.status, 404);
    assert.is((await call('GET', `/devices/${id}`, { as: admin })).json.organization, admin.organizationId);
  }));

test('C-17, C-18: lists are filtered, searched, sorted and paged', () =>
  withHttp(async (world) => {
    const { call, admin, patient, frames } = world;
    const organization = admin.organizationId;
    const ids: Record<string, string> = {};
    for (const name of ['Hall', 'kitchen', '100%_ward\\']) {
      // Of another panel: none of them waits for the frame below.
      ids[name] = await createDevice(world, { kind: 'epd7', ...(name === 'kitchen' && { patient: patient.userId }) });
      await call('POST', `/devices/${ids[name]}`, { as: admin, json: { meta: { name } } });
      world.passes(5);
    }
    await frames.provision('epd13-c0ffee');
    await call('POST', '/devices/registerdevice/epd13-c0ffee', { as: admin, json: { enable: true, organization } });
    const names = async (query: Record<string, string>): Promise<string[]> => {
      const answer = await call('GET', `/devices?${new URLSearchParams(query)}`, { as: admin });
      assert.is(answer.status, 200, answer.text);
      return answer.json.map(({ name }: { name: string }) => name);
    };
    assert.equal(await names({}), ['Hall', 'kitchen', '100%_ward\\', 'epd13-c0ffee']);
    assert.equal(await names({ organization }), ['Hall', 'kitchen', '100%_ward\\', 'epd13-c0ffee']);
    assert.equal(await names({ sortBy: 'createdAt:desc', limit: '2' }), ['epd13-c0ffee', '100%_ward\\']);
    assert.equal(await names({ sortBy: 'name:desc', limit: '2' }), ['kitchen', 'Hall']);
    assert.equal(await names({ limit: '3', page: '2' }), ['epd13-c0ffee']);
    assert.equal(await names({ limit: '1', offset: '1', page: '4' }), ['kitchen']);
    assert.equal(await names({ search: 'KITCH' }), ['kitchen']);
    assert.equal(await names({ search: 'c0ff' }), ['epd13-c0ffee']);
    assert.equal(await names({ search: 'openpaper' }), ['epd13-c0ffee']);
    assert.equal(await names({ search: ids.Hall ?? '' }), ['Hall']);
    assert.equal(await names({ search: patient.userId }), ['kitchen']);
    assert.equal(await names({ patient: patient.userId }), ['kitchen']);
    assert.equal(await names({ name: 'all' }), ['Hall']);
    for (const search of ['%', '_', '\\', '100%_', '%_ward\\']) {
      assert.equal(await names({ search }), ['100%_ward\\'], search);
    }
    assert.equal(await names({ search: '' }), await names({}));
  }));

test('T-20: hostile search and sort texts find nothing, and tell nothing of the SQL', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    await createDevice(world, { kind: 'epd7' });
    const hostile = [
      "' or 1=1 --",
      "'; drop table devices; --",
      '" or ""="',
      "\\' or 1=1 --",
      '%%%',
      '\\\\',
      '?',
      ':paper_id',
      '$1',
    ];
    for (const text of hostile) {
      for (const field of ['search', 'name'] as const) {
        const answer = await call('GET', `/devices?${new URLSearchParams({ [field]: text })}`, { as: admin });
        assert.is(answer.status, 200, text);
        assert.equal(answer.json, [], text);
      }
      for (const sortBy of [text, `name:${text}`, `createdAt:asc,${text}`]) {
        const answer = await call('GET', `/devices?${new URLSearchParams({ sortBy })}`, { as: admin });
        assert.is(answer.status, 400, sortBy);
        assert.not.match(answer.text, /sqlite|syntax|select /i);
      }
    }
    for (const query of ['limit=1&limit=2', 'search[a]=b&limit=x', 'organization=%27', 'patient=1', 'sortBy=meta']) {
      assert.is((await call('GET', `/devices?${query}`, { as: admin })).status, 400, query);
    }
    assert.is((await call('GET', '/devices', { as: admin })).json.length, 1);
  }));

test('removing a device releases its frame, which can be registered again', () =>
  withHttp(async (world) => {
    const { call, admin, stranger, frames } = world;
    await frames.provision('epd7-1');
    const register = (as: typeof admin) =>
      call('POST', '/devices/registerdevice/epd7-1', { as, json: { enable: true, organization: as.organizationId } });
    const { id } = (await register(admin)).json.device;
    const removed = await call('DELETE', `/devices/${id}`, { as: admin });
    assert.is(removed.status, 200);
    assert.is(removed.json.id, id);
    assert.is(frames.active.get('epd7-1'), false);
    assert.is((await call('GET', `/devices/${id}`, { as: admin })).status, 404);
    assert.is((await call('DELETE', `/devices/${id}`, { as: admin })).status, 404);
    assert.is((await register(stranger)).status, 200);
  }));

test.run();

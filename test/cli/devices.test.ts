import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withCli } from './papergate.ts';

const test = suite('papergate devices');

const serial = 'epd7-0000000000aa';
const unknownId = '0'.repeat(24);

test('register binds a frame, names it, and tells its frame how long to sleep (C-60)', async () => {
  await withCli(async ({ admin, frames, json, call }) => {
    await frames.provision(serial);
    const registered = await json(
      ...['devices', 'register', serial.toUpperCase(), '--organization', admin.organizationId],
      ...['--name', 'Hall', '--orientation', 'portrait', '--sleep', '900'],
    );
    assert.is(registered.activation_status, 'success');
    assert.is(registered.device.serialNumber, serial);
    assert.equal(registered.device.meta, { name: 'Hall', orientation: 'portrait', sleepTime: '900' });
    assert.equal(frames.configured.get(serial), { sleepTime: '900', updateSchedule: null, flags: {} });
    const { json: shown } = await call('GET', `/devices/${registered.device.id}`, { as: admin });
    const { loadedAt: _shown, deadlines, ...stored } = shown;
    assert.equal(deadlines, []);
    const { loadedAt: _printed, ...printed } = registered.device;
    assert.equal(printed, stored);
  });
});

test('registering again changes what is said, paper included, and keeps the rest of the meta (C-46)', async () => {
  await withCli(async ({ admin, frames, json, call }) => {
    await frames.provision(serial);
    const organization = ['--organization', admin.organizationId];
    const { device } = await json('devices', 'register', serial, ...organization, '--name', 'Hall', '--sleep', '900');
    const meta = { ...device.meta, floor: 2 };
    assert.is((await call('POST', `/devices/${device.id}`, { as: admin, json: { meta } })).status, 200);
    const body = { organization: admin.organizationId, deviceId: device.id, kind: 'image' };
    await call('POST', '/papers/', { as: admin, json: body });
    const second = await call('POST', '/papers/', { as: admin, json: body });
    const again = await json(
      'devices',
      'register',
      serial,
      ...organization,
      '--name',
      'Door',
      '--paper',
      second.json.id,
    );
    assert.is(again.device.id, device.id);
    assert.is(again.device.paper, second.json.id);
    assert.equal(again.device.meta, { name: 'Door', sleepTime: '900', floor: 2 });
    const untouched = await json('devices', 'register', serial, ...organization);
    assert.equal(untouched.device.meta, again.device.meta);
    assert.is(untouched.device.paper, second.json.id);
  });
});

test('list prints an aligned table for people, and the API answer as JSON, of one organization when asked', async () => {
  await withCli(async ({ admin, stranger, frames, run, json, call }) => {
    await frames.provision(serial, { status: 'online' });
    const { device } = await json('devices', 'register', serial, '--organization', admin.organizationId);
    const name = `Hall\u001b[2J\n${'x'.repeat(60)}`;
    await call('POST', `/devices/${device.id}`, { as: admin, json: { meta: { name } } });
    const bare = await call('POST', '/devices/', { as: admin, json: { organization: admin.organizationId } });
    assert.equal(await json('devices', 'list'), (await call('GET', '/devices/', { as: admin })).json);
    assert.is((await json('devices', 'list', '--organization', admin.organizationId)).length, 2);

    const printed = await run('devices', 'list');
    assert.is(printed.code, 0);
    const [heading = '', ...rows] = printed.stdout.trimEnd().split('\n');
    assert.equal(heading.split(/ +/), ['ID', 'NAME', 'SERIAL', 'KIND', 'STATUS', 'PAPER']);
    assert.is(rows.length, 2, 'a name with a line break is one row still');
    const shown = rows.find((row) => row.startsWith(device.id)) ?? '';
    assert.is(shown.indexOf(serial), heading.indexOf('SERIAL'));
    assert.is(shown.indexOf('online'), heading.indexOf('STATUS'));
    assert.is(shown.slice(heading.indexOf('NAME'), heading.indexOf('SERIAL')).trim(), `Hall [2J ${'x'.repeat(30)}…`);
    const other = rows.find((row) => row.startsWith(bare.json.id)) ?? '';
    assert.is(other.indexOf('offline'), heading.indexOf('STATUS'));

    const foreign = await run('devices', 'list', '--organization', stranger.organizationId);
    assert.equal([foreign.code, foreign.stdout], [1, '']);
    assert.match(foreign.stderr, /^404 Not found\n/);
  });
});

test('show finds a device by its id and by its serial in any case, and says what is known of the frame', async () => {
  await withCli(async ({ admin, frames, run, json }) => {
    const facts = {
      status: 'online',
      batteryMv: 5900,
      firmware: '1.2.3',
      pictureSynced: true,
      sleepSeconds: 900,
    } as const;
    const lastContactAt = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
    await frames.provision(serial, { ...facts, lastContactAt });
    // An older one whose serial holds this one, and whose name is this serial, is not meant.
    await frames.provision(`${serial}-2`);
    const organization = ['--organization', admin.organizationId];
    await json('devices', 'register', `${serial}-2`, ...organization, '--name', serial);
    const { device } = await json('devices', 'register', serial, ...organization);
    for (const wanted of [device.id, serial, serial.toUpperCase()]) {
      const shown = await json('devices', 'show', wanted);
      assert.is(shown.id, device.id);
      assert.is(shown.deviceStatus.batLevel, '5900');
    }
    const printed = await run('devices', 'show', serial);
    assert.is(printed.code, 0);
    for (const line of [
      `id            ${device.id}`,
      `name          ${serial}`,
      'status        online',
      'lastContact   2026-01-02T03:04:05Z',
      'nextContact   -',
      'picture       synced',
      'sleep         900 s',
      'battery       5900 mV',
      'firmware      1.2.3',
      'panel         OpenPaper 7, Spectra 6, 7.3 inch',
      'size          800x480 as stored',
      'inks          black, white, blue, green, red, yellow (measured colours)',
      'refresh       35 s (unverified)',
      'unverified    refresh time',
    ]) {
      assert.ok(printed.stdout.split('\n').includes(line), `${line} in\n${printed.stdout}`);
    }
    await frames.provision(serial, { ...facts, updatePending: true });
    assert.match((await run('devices', 'show', serial)).stdout, /^picture +pending$/m);
  });
});

test('PANEL-02: show says what is known of the panel, and what nobody has seen yet', async () => {
  await withCli(async ({ admin, frames, call, json, run }) => {
    await frames.provision('epd13-0000000000d1');
    await json('devices', 'register', 'epd13-0000000000d1', '--organization', admin.organizationId);
    const { panel } = await json('devices', 'show', 'epd13-0000000000d1');
    const { inks, refreshSeconds, refreshSource, unverified } = panel;
    assert.equal([panel.width, panel.height, inks.length], [1200, 1600, 6]);
    assert.equal([refreshSeconds, refreshSource, unverified], [45, 'unverified', ['turn', 'refreshSeconds']]);
    const body = { organization: admin.organizationId, kind: 'toaster' };
    const { id } = (await call('POST', '/devices', { as: admin, json: body })).json;
    assert.is((await json('devices', 'show', id)).panel, null);
    assert.match((await run('devices', 'show', id)).stdout, /^panel {9}unknown$/m);
  });
});

test('a serial that looks like an id is found as well', async () => {
  await withCli(async ({ admin, frames, json }) => {
    const idLike = 'abcdef0123456789abcdef01';
    await frames.provision(idLike, { kind: 'epd7' });
    const { device } = await json('devices', 'register', idLike, '--organization', admin.organizationId);
    assert.is((await json('devices', 'show', idLike)).id, device.id);
  });
});

test('T-16: a device that is nowhere and one of somebody else are refused alike, with a hint', async () => {
  await withCli(async ({ stranger, frames, run, call }) => {
    await frames.provision(serial);
    const body = { enable: true, organization: stranger.organizationId };
    const taken = await call('POST', `/devices/registerdevice/${serial}`, { as: stranger, json: body });
    for (const wanted of [unknownId, taken.json.device.id, serial, 'nothing']) {
      const ended = await run('devices', 'show', wanted);
      assert.equal([ended.code, ended.stdout], [1, '']);
      assert.is(ended.stderr, `No device ${wanted}\n  ./papergate devices list\n`);
    }
  });
});

test('a frame that is not provisioned, or is somebody else’s, is refused in the words of the service', async () => {
  await withCli(async ({ admin, stranger, frames, run, call }) => {
    await frames.provision(serial);
    const body = { enable: true, organization: stranger.organizationId };
    await call('POST', `/devices/registerdevice/${serial}`, { as: stranger, json: body });
    for (const wanted of [serial, 'epd7-0000000000bb']) {
      const ended = await run('devices', 'register', wanted, '--organization', admin.organizationId);
      assert.is(ended.code, 1);
      assert.is(
        ended.stderr,
        '404 No such frame is provisioned here\n  ./papergate frames provision SERIAL --out DIR\n',
      );
    }
  });
});

test('T-37: a serial that would lead to another route is refused, and no device comes of it', async () => {
  await withCli(async ({ admin, run, json }) => {
    for (const serialOrPath of ['..', '', 'a/b', '%2e%2e', 'x'.repeat(65)]) {
      for (const args of [
        ['register', serialOrPath, '--organization', admin.organizationId],
        ['show', serialOrPath],
      ]) {
        const ended = await run('devices', ...args);
        assert.equal([ended.code, ended.stdout], [1, ''], serialOrPath);
        assert.match(ended.stderr, /is neither an id nor a serial\n {2}letters, digits/);
      }
    }
    assert.equal(await json('devices', 'list'), []);
  });
});

test('wrong arguments of register end with 2 before anything is registered', async () => {
  await withCli(async ({ admin, frames, run }) => {
    await frames.provision(serial);
    const organization = ['--organization', admin.organizationId];
    for (const args of [
      ['register', serial],
      ['register', ...organization],
      ['register', serial, ...organization, '--orientation', 'sideways'],
      ...['0', '-5', '1.5', 'often', ''].map((sleep) => ['register', serial, ...organization, `--sleep=${sleep}`]),
    ]) {
      const ended = await run('devices', ...args);
      assert.equal([ended.code, ended.stdout], [2, ''], args.join(' '));
      assert.ok(ended.stderr.length > 0);
    }
    assert.is(frames.active.get(serial), false);
  });
});

test.run();

/** Frames that poll one address: who makes them, and who gets their key. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { cellsOf } from '../../gateway/frames/battery.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { withHttp } from '../http/world.ts';

const test = suite('plain frames');
const serial = 'plain-kitchen';

test('an admin makes one and gets the address and the key once; made again it is the same device with another key', () =>
  withHttp(async ({ admin, call, db }) => {
    const json = { organization: admin.organizationId, kind: 'mono-800x480' };
    const made = await call('POST', '/devices/plain/Kitchen', { as: admin, json });
    assert.is(made.status, 201);
    const { device, key, header, address } = made.json;
    assert.equal([made.json.serial, device.deviceId, device.kind], [serial, serial, 'mono-800x480']);
    assert.equal([address, header], [`http://frames.example/plain/${serial}`, `Authorization: Bearer ${key}`]);
    assert.ok(key.length >= 32 && key.length <= 64, 'firmware with a field for a name has room for it');
    const matches = (password: string) => frameRegistry(db).matchingPassword(serial, password);
    assert.ok(await matches(key));
    const again = await call('POST', `/devices/plain/${serial}`, { as: admin, json: { ...json, kind: 'bwr-800x480' } });
    assert.equal([again.status, again.json.device.id, again.json.device.kind], [201, device.id, 'bwr-800x480']);
    assert.is(await matches(key), undefined, 'the key before opens nothing any more');
    assert.ok(await matches(again.json.key));
    assert.equal(await db('frame_certificates').where({ serial }), [], 'no certificate that nobody holds');
    const told = JSON.stringify([await db('frame_events'), await db('audit_entries')]);
    assert.not.match(told, new RegExp(`${key}|${again.json.key}`));
    assert.is(cellsOf(serial).fullMv, 4150, 'one lithium cell');
    const { dialect } = await db('frames').where({ serial }).first('dialect');
    assert.is(dialect, 'plain', 'it takes no commands from the beginning, whoever offers some');
  }));

test('a name of another organization is taken, one that the operator provisioned is a conflict, odd names are refused', () =>
  withHttp(async ({ admin, stranger, call, db, clock }) => {
    const kind = 'mono-800x480';
    const json = { organization: admin.organizationId, kind };
    assert.is((await call('POST', '/devices/plain/kitchen', { as: admin, json })).status, 201);
    const other = { organization: stranger.organizationId, kind };
    const taken = await call('POST', '/devices/plain/KITCHEN', { as: stranger, json: other });
    assert.equal([taken.status, taken.json.code], [409, 'frame-taken']);
    await frameRegistry(db).provision('plain-hall', kind, clock.now());
    await frameRegistry(db).setPassword('plain-hall', 'of the operator', clock.now());
    assert.is((await call('POST', '/devices/plain/hall', { as: admin, json })).json.code, 'conflict');
    assert.is((await call('POST', '/devices/plain/a.b', { as: admin, json })).status, 400);
    assert.is((await call('POST', '/devices/plain/x', { as: admin, json: { ...json, kind: 'mono-9x9' } })).status, 400);
    assert.is(
      (await call('POST', '/devices/plain/x', { as: admin, json: { organization: admin.organizationId } })).status,
      400,
    );
  }));

test.run();

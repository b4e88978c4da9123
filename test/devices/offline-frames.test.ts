/** Frames with the vendor's offline firmware: who makes them, and what is entered into them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { withHttp } from '../http/world.ts';

const test = suite('frames with the offline firmware');
const serial = 'offline-kitchen';

test('an admin makes one and is shown what is entered into it once; made again it has another password and settings address', () =>
  withHttp(async ({ admin, stranger, call, db }) => {
    const json = { organization: admin.organizationId, kind: 'offline13' };
    const made = await call('POST', '/devices/offline/Kitchen', { as: admin, json });
    assert.is(made.status, 201);
    const { device, address, user, password, settingsAddress } = made.json;
    assert.equal(
      [device.deviceId, device.kind, user, address],
      [serial, 'offline13', serial, `http://frames.example/offline/${serial}`],
    );
    assert.match(settingsAddress, /^http:\/\/frames\.example\/offline\/settings\/[\w-]{32}$/);
    for (const entered of [address, user, password, settingsAddress]) assert.ok(entered.length <= 128, entered);
    assert.ok(await frameRegistry(db).matchingPassword(serial, password));
    const again = await call('POST', `/devices/offline/${serial}`, { as: admin, json: { ...json, kind: 'offline7' } });
    assert.equal([again.status, again.json.device.id, again.json.device.kind], [201, device.id, 'offline7']);
    assert.is.not(again.json.settingsAddress, settingsAddress);
    assert.is(await frameRegistry(db).matchingPassword(serial, password), undefined);
    const [secret] = settingsAddress.split('/').slice(-1);
    const kept = JSON.stringify([await db('frame_events'), await db('audit_entries'), await db('offline_frames')]);
    assert.not.match(kept, new RegExp(`${password}|${secret}`));
    const other = { organization: stranger.organizationId, kind: 'offline7' };
    const taken = await call('POST', '/devices/offline/kitchen', { as: stranger, json: other });
    assert.equal([taken.status, taken.json.code], [409, 'frame-taken']);
    assert.is((await call('POST', '/devices/offline/x', { as: admin, json: { ...json, kind: 'epd7' } })).status, 400);
  }));

test.run();

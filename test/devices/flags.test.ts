/** How a device's `meta` names the flags that its frame is sent (W-27). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { flagsOfMeta } from '../../api/devices/settings-of-meta.ts';
import { withHttp } from '../http/world.ts';

const test = suite('flags of devices');

for (const [why, meta, flags] of [
  ['nothing said is nothing told', {}, {}],
  ['the form of the clients', { showOverlay: false }, { overlay: false }],
  [
    'the names of the frame',
    { overlay: true, clearscreen: false, lut: 'color-quick' },
    { overlay: true, clearscreen: false, lut: 'color-quick' },
  ],
  ['the names of the shadow', { clearScreen: true }, { clearscreen: true }],
  ['what the form says counts before the frame’s own name', { showOverlay: true, overlay: false }, { overlay: true }],
  ['truth as text', { showOverlay: 'false', clearScreen: 'true' }, { overlay: false, clearscreen: true }],
  ['anything else', { showOverlay: 1, clearScreen: null, lut: 7 }, {}],
  ['a lut that is not a word', { lut: 'l'.repeat(33) }, {}],
  ['a lut with more than letters', { lut: '","act":"reset' }, {}],
  ['never that it stay awake', { sleepdisabled: true, sleepDisabled: true }, {}],
] as const) {
  test(why, () => assert.equal(flagsOfMeta(meta), flags));
}

test('a change of meta is sent to the frame', () =>
  withHttp(async ({ call, admin, frames }) => {
    await frames.provision('epd7-1');
    const json = { enable: true, organization: admin.organizationId };
    const { device } = (await call('POST', '/devices/registerdevice/epd7-1', { as: admin, json })).json;
    const meta = { showOverlay: false, lut: 'bw' };
    await call('POST', `/devices/${device.id}`, { as: admin, json: { meta } });
    const flags = { overlay: false, lut: 'bw' };
    assert.equal(frames.configured.get('epd7-1'), { sleepTime: undefined, updateSchedule: null, flags });
  }));

test.run();

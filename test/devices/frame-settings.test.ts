/** Settings that no frame can be sent are refused wherever they are written, with the field and what it may be. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type HttpWorld, withHttp } from '../http/world.ts';

const test = suite('values of settings');

const wrong = [
  ...[0, 1441, -1, 1.5, 'x', true].map((value) => ['maxWakesPerDay', value, 'a whole number from 1 to 1440'] as const),
  ...['5', 'abc', 86_401, 0].map((value) => ['sleepTime', value, 'a whole number from 60 to 86400'] as const),
  ['orientation', 'diagonal', 'one of landscape, portrait'],
] as const;

const taken = [
  { sleepTime: '60', maxWakesPerDay: 1, orientation: 'portrait' },
  { sleepTime: 86_400, maxWakesPerDay: '1440', orientation: 'landscape' },
  { sleepTime: '', maxWakesPerDay: '', orientation: null },
];

async function deviceOf({ call, admin, frames }: HttpWorld): Promise<string> {
  await frames.provision('epd7-1');
  const json = { enable: true, organization: admin.organizationId };
  return (await call('POST', '/devices/registerdevice/epd7-1', { as: admin, json })).json.device.id;
}

test('by a device, a job, a group and the forecast', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    const id = await deviceOf(world);
    const organization = `/organizations/${admin.organizationId}`;
    const ways = [
      ['meta.', `/devices/${id}`, (meta: object) => ({ meta })],
      ['meta.', `${organization}/jobs/`, (meta: object) => ({ meta, all: true })],
      ['settings.', `${organization}/groups/`, (settings: object) => ({ name: 'All', tag: 'a', settings })],
      ['', `/devices/${id}/battery-forecast`, (fields: object) => fields],
    ] as const;
    for (const [within, path, bodyOf] of ways) {
      for (const [field, value, allowed] of wrong) {
        if (within === '' && (field === 'orientation' || value === true)) continue;
        const { status, json } = await call('POST', path, { as: admin, json: bodyOf({ [field]: value }) });
        assert.equal([status, json.hint], [400, `${within}${field}: expected ${allowed}`], `${path} ${value}`);
      }
    }
    for (const meta of taken) {
      const { status, json } = await call('POST', `/devices/${id}`, { as: admin, json: { meta } });
      assert.equal([status, json.meta], [200, meta]);
    }
  }));

test('a value that is stored already may stay, and below /v1 the nearest sleep is taken', () =>
  withHttp(async (world) => {
    const { call, admin, db } = world;
    const id = await deviceOf(world);
    const meta = { sleepTime: '30', orientation: 'up' };
    await db('devices')
      .where({ id })
      .update({ meta: JSON.stringify(meta) });
    const change = async (sent: object, prefix = '') =>
      call('POST', `${prefix}/devices/${id}`, { as: admin, json: { meta: sent } });
    assert.is((await change({ ...meta, name: 'Hall' })).status, 200);
    assert.is((await change({ ...meta, sleepTime: '31' })).status, 400);
    for (const [sent, kept] of [
      ['5', '60'],
      ['100000', '86400'],
      ['1800', '1800'],
      [1800, 1800],
    ]) {
      assert.is((await change({ sleepTime: sent }, '/v1')).json.meta.sleepTime, kept);
    }
    assert.is((await change({ sleepTime: 'abc' }, '/v1')).status, 400);
  }));

test.run();

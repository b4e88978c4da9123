import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { picture, withHttp } from '../http/world.ts';

const test = suite('paper meta');

test('A-27: what cannot be kept is refused by the name of its field, by whatever road it comes', () =>
  withHttp(async ({ call, admin, database }) => {
    const { organizationId: organization } = admin;
    const { id: deviceId } = (await call('POST', '/devices', { as: admin, json: { organization } })).json;
    const fields = { deviceId, organization, kind: 'image' };
    const create = (meta: unknown) => call('POST', '/papers', { as: admin, json: { ...fields, meta } });
    const good = { schedule: '0 6 * * *', timezone: 'Europe/Berlin' };
    const { id } = (await create(good)).json;
    const upload = (path: string, settings: unknown) => {
      const body = new FormData();
      body.append('picture', new Blob([new Uint8Array(picture('a'))]), 'a.png');
      body.append('settings', JSON.stringify(settings));
      return call('POST', `${path}/${id}`, { as: admin, body });
    };
    const row = () => database('papers').where({ id }).first();
    const before = await row();
    for (const [meta, hint] of [
      [{ schedule: 'bad' }, /^meta\.schedule: /],
      [{ schedule: 7 }, /^meta\.schedule: /],
      [{ timezone: 'X/Y' }, /^meta\.timezone: /],
      [{ timezone: 7 }, /^meta\.timezone: /],
      [{ ...good, timezone: 'X/Y' }, /^meta\.timezone: /],
    ] as const) {
      const refused = [
        await create(meta),
        await call('POST', `/papers/${id}`, { as: admin, json: { ...fields, meta } }),
        await call('PATCH', `/v1/papers/${id}`, { as: admin, json: { meta } }),
        await upload('/papers/uploadSingleImage', meta),
        await upload('/v1/papers/uploadSingleImage', { meta }),
      ];
      for (const { status, json } of refused) {
        assert.is(status, 400);
        assert.match(json.hint ?? json.raw.hint ?? json.raw, hint);
      }
    }
    assert.equal(await row(), before, 'nothing was changed');
    for (const meta of [{ timezone: '' }, { timezone: null, schedule: '' }, { timezone: 'Asia/Kolkata' }]) {
      assert.is((await upload('/papers/uploadSingleImage', meta)).status, 200, JSON.stringify(meta));
    }
  }));

test.run();

/** T-21, T-34: what the `meta` of a row becomes is limited like a body that brings it, by whatever road it comes. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { framedPaper, ok, photo } from '../papers/images-world.ts';
import { withHttp } from './world.ts';

const test = suite('limit of meta');

/** 200 KB as they are sent, and four times as many when they are written out. */
const swelling = `{"n":[${Array.from({ length: 40_000 }, () => '1e20').join(',')}]}`;
const asJson = { 'content-type': 'application/json' };

test('T-21: settings of uploads end where a body would, and the refused one changes nothing', () =>
  withHttp(async (world) => {
    const paper = await framedPaper(world);
    const png = await photo(80, 48);
    const upload = (settings: unknown) =>
      paper.upload([
        ['picture', png],
        ['settings', JSON.stringify(settings)],
      ]);
    for (const name of ['a', 'b', 'c']) ok(await upload({ [name]: 'x'.repeat(80_000) }));
    const files = await readdir(join(world.dataFolder, 'pictures'));
    const before = await paper.row();
    const newPicture = await photo(90, 48, '#ff0000');
    for (const settings of [
      { d: 'x'.repeat(80_000) },
      { meta: { a: 'x'.repeat(250_000) } },
      { a: 'ä'.repeat(90_000) },
    ]) {
      const answer = await paper.upload([
        ['picture', newPicture],
        ['settings', JSON.stringify(settings)],
      ]);
      const { code, message, hint } = answer.json;
      assert.equal(
        [answer.status, code, message, hint],
        [413, 'body-too-large', 'meta would be larger than 256 KiB', 'meta: at most 256 KiB'],
      );
    }
    assert.equal(await paper.row(), before);
    assert.equal(await readdir(join(world.dataFolder, 'pictures')), files);
    // Smaller again is taken, and so is a picture alone.
    ok(await upload({ a: 'y', d: 'x'.repeat(80_000) }));
    ok(await paper.upload([['picture', png]]));
  }));

test('T-21: no JSON body brings a meta that is larger once it is written', () =>
  withHttp(async (world) => {
    const { call, admin, user, db } = world;
    const { id, deviceId, upload } = await framedPaper(world);
    const { organizationId: organization } = admin;
    ok(await upload([['picture', await photo(80, 48)]]));
    const picture = new FormData();
    picture.append('picture', new Blob([new Uint8Array(await photo(80, 48))]), 'image.png');
    picture.append('uuid', 'sea');
    ok(await call('POST', `/devices/uploadSingleImage/${deviceId}`, { as: user, body: picture }));
    const tables = ['papers', 'devices', 'device_images', 'users', 'organizations', 'accounts'];
    const stored = () =>
      Promise.all(tables.map((table) => db(table).orderBy(table === 'device_images' ? 'uuid' : 'id')));
    const before = await stored();
    const paper = { organization, deviceId, kind: 'image' };
    const roads: readonly (readonly [string, string, object])[] = [
      ['POST', '/papers', paper],
      ['POST', `/papers/${id}`, paper],
      ['PATCH', `/v1/papers/${id}`, {}],
      ['POST', `/devices/${deviceId}`, {}],
      ['PATCH', `/v1/devices/${deviceId}`, {}],
      ['POST', `/devices/updateSingleImageMeta/${deviceId}`, { uuid: 'sea' }],
      ['POST', '/users', { organization, email: 'nia@example.org' }],
      ['PATCH', '/accounts/current', {}],
      ['POST', `/users/${user.userId}`, {}],
      ['PATCH', `/users/${user.userId}`, {}],
      ['POST', '/organizations', { kind: 'clinic' }],
      ['POST', `/organizations/${organization}`, { organization }],
      ['PATCH', `/organizations/${organization}`, { organization }],
    ];
    for (const [method, path, rest] of roads) {
      const body = JSON.stringify({ ...rest, meta: 0 }).replace('"meta":0', `"meta":${swelling}`);
      const answer = await call(method, path, { as: admin, headers: asJson, body });
      assert.is(answer.status, path.startsWith('/v1') ? 400 : 413, `${method} ${path}: ${answer.text}`);
      assert.is(answer.json.message, 'meta would be larger than 256 KiB', `${method} ${path}`);
    }
    assert.equal(await stored(), before);
  }));

test('T-34: a body that is too large is refused with the limit, and a file with its name', () =>
  withHttp(async (world) => {
    const { call, user } = world;
    const { id, upload } = await framedPaper(world);
    const body = JSON.stringify({ meta: 'x'.repeat(256 * 1024) });
    const tooLarge = await call('POST', `/papers/${id}`, { as: user, headers: asJson, body });
    assert.equal([tooLarge.status, tooLarge.json.hint], [413, 'at most 256 KiB']);
    const file = await upload([['picture', Buffer.alloc(30 * 1024 * 1024 + 1)]]);
    assert.equal([file.status, file.json.hint], [413, 'picture: a file has at most 30 MiB']);
  }));

test('T-21, T-61: a list of many large rows is refused with the limit that fits, and read page by page', () =>
  withHttp(async (world) => {
    const { call, admin, db, random } = world;
    const { id, deviceId } = await framedPaper(world);
    const meta = JSON.stringify({ text: 'x'.repeat(255_000) });
    for (const [table, row] of [
      ['papers', await db('papers').where({ id }).first()],
      ['devices', await db('devices').where({ id: deviceId }).first()],
    ]) {
      const unique = () => ({ id: random.id(), ...(table === 'devices' && { serial: null, paper_id: null }) });
      for (let made = 0; made < 69; made++) await db(table).insert({ ...row, meta, ...unique() });
    }
    const { id: _, ...member } = await db('users').where({ id: admin.userId }).first();
    for (let made = 0; made < 66; made++) {
      const user = { id: random.id(), account_id: `account-${made}` };
      const times = { created_at: 0, updated_at: 0 };
      await db('accounts').insert({ id: user.account_id, subject: user.account_id, email: '', ...times });
      await db('users').insert({ ...member, ...user, meta });
    }
    const users = `users?organization=${admin.organizationId}`;
    for (const list of ['/papers', '/v1/papers', '/v1/devices', `/${users}`, `/v1/${users}`]) {
      const tooLong = await call('GET', list, { as: admin });
      assert.is(tooLong.status, 400, list);
      const told = /^These \d\d rows hold \d+ MiB, too much for one answer: ask for limit=16, page by page$/;
      assert.match(tooLong.json.message, told, list);
      if (list === '/papers') assert.is(tooLong.json.hint, 'limit: at most 16, and page=2 and so on for the rest');
    }
    for (const list of ['/papers', '/v1/papers']) {
      const pages = await Promise.all(
        [1, 2, 5].map((page) => call('GET', `${list}?limit=16&page=${page}`, { as: admin })),
      );
      assert.equal(
        pages.map(({ status, json }) => [status, json.results.length, json.totalResults]),
        [
          [200, 16, 70],
          [200, 16, 70],
          [200, 6, 70],
        ],
        list,
      );
    }
    // Sent in portions, and never held as a whole.
    const devices = await call('GET', '/devices', { as: admin });
    assert.equal([devices.status, devices.json.length], [200, 70]);
    assert.is(devices.json[69].meta.text.length, 255_000);
    assert.is((await call('GET', '/devices?limit=50', { as: admin })).json.length, 50);
  }));

test.run();

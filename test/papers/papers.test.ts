import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { devicesShowing } from '../../api/papers/shown-by.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type Answer, type HttpWorld, picture, withHttp } from '../http/world.ts';

const test = suite('papers');

async function createDevice({ call, admin }: HttpWorld): Promise<string> {
  return (await call('POST', '/devices', { as: admin, json: { organization: admin.organizationId } })).json.id;
}

function createPaper({ call, admin }: HttpWorld, deviceId: string, more: object = {}): Promise<Answer> {
  const json = { organization: admin.organizationId, deviceId, kind: 'image', ...more };
  return call('POST', '/papers', { as: admin, json });
}

type Part = readonly [field: string, value: string | Buffer, fileName?: string];

function upload(world: HttpWorld, paperId: string, parts: readonly Part[]): Promise<Answer> {
  const body = new FormData();
  for (const [field, value, fileName = 'image.jpg'] of parts) {
    if (typeof value === 'string') body.append(field, value);
    else body.append(field, new Blob([new Uint8Array(value)], { type: 'image/png' }), fileName);
  }
  return world.call('POST', `/papers/uploadSingleImage/${paperId}`, { as: world.user, body });
}

test('A-22, A-24: a paper carries its author and title, and the first of a device is shown', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    const device = await createDevice(world);
    const created = await createPaper(world, device, { devicePaperId: 'slot-1', meta: { name: 'Menu', url: null } });
    assert.is(created.status, 200);
    const { deviceShows, ...paper } = created.json;
    const { id, createdAt, updatedAt, ...rest } = paper;
    assert.is(deviceShows, id);
    assert.is(createdAt, updatedAt);
    assert.equal(rest, {
      title: 'Menu',
      author: 'Ada',
      kind: 'image',
      organization: admin.organizationId,
      deviceId: device,
      draft: false,
      devicePaperId: 'slot-1',
      meta: { name: 'Menu', url: null },
    });
    assert.equal((await call('GET', `/papers/${id}/`, { as: admin })).json, paper);
    const second = await createPaper(world, device);
    assert.is(second.json.title, 'image');
    assert.is((await call('GET', `/devices/${device}`, { as: admin })).json.paper, id);
  }));

test('C-09: meta may be anything, and nothing at all', () =>
  withHttp(async (world) => {
    const device = await createDevice(world);
    for (const [meta, stored] of [
      ['', {}],
      [null, {}],
      [undefined, {}],
      [
        [1, null],
        [1, null],
      ],
      ['text', 'text'],
      [7, 7],
    ]) {
      const created = await createPaper(world, device, { meta });
      assert.is(created.status, 200);
      assert.equal(created.json.meta, stored);
      assert.is(created.json.title, 'image');
    }
    const found = await world.call('GET', '/papers?name=image&sortBy=title', { as: world.admin });
    assert.is(found.json.totalResults, 6);
  }));

test('the device must belong to the organization; one elsewhere and none at all answer alike', () =>
  withHttp(async (world) => {
    const { call, admin, stranger, random } = world;
    const device = await createDevice(world);
    const { id } = (await createPaper(world, device)).json;
    const json = { organization: stranger.organizationId };
    const theirs = (await call('POST', '/devices', { as: stranger, json })).json.id;
    for (const path of ['/papers', `/papers/${id}`]) {
      const send = (more: object) =>
        call('POST', path, {
          as: admin,
          json: { organization: admin.organizationId, deviceId: device, kind: 'image', ...more },
        });
      const foreign = await send({ deviceId: theirs });
      assert.is(foreign.status, 404);
      assert.is((await send({ deviceId: random.id() })).text, foreign.text);
      const elsewhere = await send({ organization: stranger.organizationId });
      assert.is(elsewhere.status, 404);
      assert.is((await send({ organization: random.id() })).text, elsewhere.text);
      for (const missing of ['organization', 'deviceId', 'kind']) {
        assert.is((await send({ [missing]: undefined })).status, 400, missing);
      }
    }
  }));

test('an update replaces meta as a whole, keeps it when absent, and shows nothing by itself', () =>
  withHttp(async (world) => {
    const { call, admin, user } = world;
    const [first, other] = [await createDevice(world), await createDevice(world)];
    const { id } = (await createPaper(world, first, { meta: { a: 1, b: 2 } })).json;
    const change = (json: object, as = admin) =>
      call('POST', `/papers/${id}`, {
        as,
        json: { organization: admin.organizationId, deviceId: first, kind: 'image', ...json },
      });
    assert.equal((await change({ meta: { a: 3 } })).json.meta, { a: 3 });
    const kept = await change({ kind: 'website', deviceId: other });
    assert.equal(kept.json.meta, { a: 3 });
    assert.is(kept.json.kind, 'website');
    assert.is(kept.json.deviceId, other);
    assert.is((await call('GET', `/devices/${other}`, { as: admin })).json.paper, null);
    assert.is((await change({}, user)).status, 200);

    const second = (await call('POST', '/organizations', { as: admin, json: { kind: 'second' } })).json.id;
    const there = (await call('POST', '/devices', { as: admin, json: { organization: second } })).json.id;
    assert.is((await change({ organization: second, deviceId: there }, user)).status, 403);
    assert.is((await change({ organization: second, deviceId: there })).json.organization, second);
  }));

test('C-45: the frames that show a paper are those told to, in its own organization', () =>
  withHttp(async (world) => {
    const { call, admin, db } = world;
    const [one, two, three] = [await createDevice(world), await createDevice(world), await createDevice(world)];
    const { id } = (await createPaper(world, one)).json;
    world.passes(5);
    await call('POST', `/devices/${two}`, { as: admin, json: { paper: id } });
    const showing = async (): Promise<string[]> => (await devicesShowing(db, id)).map((device) => device.id);
    assert.equal((await showing()).sort(), [one, two].sort());
    // A row that points across organizations, however it came about, does not count.
    await db('devices').where({ id: three }).update({ paper_id: id, organization_id: world.stranger.organizationId });
    assert.equal((await showing()).sort(), [one, two].sort());
    await call('POST', `/devices/${one}`, { as: admin, json: { paper: null } });
    assert.equal(await showing(), [two]);
  }));

test('A-1: the list is an envelope; filters, search, order and paging', () =>
  withHttp(async (world) => {
    const { call, admin, random, stranger } = world;
    const [hall, ward] = [await createDevice(world), await createDevice(world)];
    for (const [device, title] of [
      [hall, 'Alpha'],
      [hall, 'beta'],
      [ward, '50% off_\\'],
    ] as const) {
      await createPaper(world, device, { meta: { title }, kind: title === 'beta' ? 'website' : 'image' });
      world.passes(5);
    }
    const list = async (query: Record<string, string>) => {
      const answer = await call('GET', `/papers?${new URLSearchParams(query)}`, { as: admin });
      assert.is(answer.status, 200, answer.text);
      const { results, ...envelope } = answer.json;
      return { titles: results.map(({ title }: { title: string }) => title), envelope };
    };
    const all = await list({});
    assert.equal(all.titles, ['Alpha', 'beta', '50% off_\\']);
    assert.equal(all.envelope, { totalResults: 3, totalPages: 1, page: 1, limit: 10_000 });
    const second = await list({ limit: '2', page: '2', sortBy: 'createdAt:desc' });
    assert.equal(second.titles, ['Alpha']);
    assert.equal(second.envelope, { totalResults: 3, totalPages: 2, page: 2, limit: 2 });
    assert.equal((await list({ limit: '1', offset: '2' })).envelope, {
      totalResults: 3,
      totalPages: 3,
      page: 3,
      limit: 1,
    });
    assert.equal((await list({ deviceId: hall })).titles, ['Alpha', 'beta']);
    assert.equal((await list({ deviceId: hall, organization: admin.organizationId })).titles, ['Alpha', 'beta']);
    assert.equal((await list({ organization: admin.organizationId, search: 'WEBSITE' })).titles, ['beta']);
    assert.equal((await list({ search: ward })).titles, ['50% off_\\']);
    for (const search of ['%', '_', '\\', '50%']) assert.equal((await list({ search })).titles, ['50% off_\\'], search);
    const nothing = await list({ search: "' or 1=1 --" });
    assert.equal(nothing, { titles: [], envelope: { totalResults: 0, totalPages: 0, page: 1, limit: 10_000 } });
    for (const query of ['sortBy=meta', 'sortBy=title;--', 'limit=0', 'page=x', 'deviceId=1']) {
      assert.is((await call('GET', `/papers?${query}`, { as: admin })).status, 400, query);
    }
    assert.equal((await call('GET', '/papers', { as: stranger })).json.results, []);
    const foreign = await call('GET', `/papers?deviceId=${hall}`, { as: stranger });
    assert.is(foreign.status, 404);
    assert.is((await call('GET', `/papers?deviceId=${random.id()}`, { as: stranger })).text, foreign.text);
  }));

test('A-28: an upload stores the normalized picture under its digest, with a new revision and time each time', () =>
  withHttp(async (world) => {
    const { id } = (await createPaper(world, await createDevice(world), { meta: { a: 1, b: { c: 1 } } })).json;
    const row = () => world.db('papers').where({ id }).first();
    const nudgesBefore = world.nudges();
    const first = await upload(world, id, [
      ['picture', picture('cat'), '../../etc/passwd'],
      ['settings', '{"meta":{"b":2,"d":null}}'],
      ['job_id', '17'],
      ['forceUpload', 'true'],
    ]);
    assert.is(first.status, 200, first.text);
    assert.equal(first.json.meta, { a: 1, b: 2, d: null });
    assert.is(first.json.id, id);
    const stored = await row();
    const bytes = Buffer.from('NORMALIZED cat');
    assert.is(stored.picture_key, createHash('sha256').update(bytes).digest('hex'));
    assert.equal(await world.pictures.get(stored.picture_key), bytes);
    assert.is(world.nudges(), nudgesBefore + 1);

    const second = await upload(world, id, [['picture', picture('cat')]]);
    assert.ok(second.json.imageUpdatedAt > first.json.imageUpdatedAt);
    assert.equal(second.json.meta, first.json.meta);
    assert.is.not((await row()).picture_revision, stored.picture_revision);
    assert.is((await row()).picture_key, stored.picture_key);
  }));

test('C-05: of two pictures the second is the original', () =>
  withHttp(async (world) => {
    const { id } = (await createPaper(world, await createDevice(world))).json;
    const answer = await upload(world, id, [
      ['picture', picture('dithered')],
      ['picture', picture('original')],
    ]);
    assert.is(answer.status, 200);
    const { picture_key } = await world.db('papers').where({ id }).first();
    assert.is(String(await world.pictures.get(picture_key)), 'NORMALIZED original');
  }));

test('C-07, C-49: papers that draw themselves take settings and no picture; others need one', () =>
  withHttp(async (world) => {
    const device = await createDevice(world);
    const website = (await createPaper(world, device, { kind: 'website' })).json.id;
    const settings: Part = ['settings', '{"url":"https://example.org/"}'];
    const answer = await upload(world, website, [settings, ['picture', picture('ignored')]]);
    assert.equal(answer.json.meta, { url: 'https://example.org/' });
    assert.equal(
      [answer.json.key, (await world.db('papers').where({ id: website }).first()).picture_key],
      [null, null],
    );
    const again = await upload(world, website, [settings]);
    assert.ok(again.json.imageUpdatedAt > answer.json.imageUpdatedAt, 'it changes with every upload');
    for (const kind of ['image', 'printer']) {
      const { id } = (await createPaper(world, device, { kind })).json;
      const none = await upload(world, id, [settings]);
      assert.is(none.status, 400);
      assert.is(none.json.message, 'No image file uploaded');
    }
  }));

test('uploads that cannot be taken say why, and the stored picture stays', () =>
  withHttp(async (world) => {
    const { id } = (await createPaper(world, await createDevice(world))).json;
    await upload(world, id, [['picture', picture('kept')]]);
    const row = () => world.db('papers').where({ id }).first();
    const before = await row();
    const good: Part = ['picture', picture('new')];
    const refused: [string, readonly Part[], number, RegExp][] = [
      ['no image', [['picture', Buffer.from('<svg/>')]], 400, /Supported images/],
      ['a foreign file field', [good, ['avatar', picture('x')]], 400, /Unexpected file field avatar/],
      ['three pictures', [good, good, good], 400, /More than two pictures/],
      ['four files', [good, good, good, good], 400, /more than 3 files/],
      ['broken settings', [good, ['settings', '{"a":']], 400, /Invalid JSON in settings/],
      ['settings of no object', [good, ['settings', '[1]']], 400, /Invalid JSON in settings/],
      [
        'a prototype in settings',
        [good, ['settings', '{"meta":{"__proto__":{"x":1}}}']],
        400,
        /Invalid JSON in settings/,
      ],
      ['settings too deep', [good, ['settings', '['.repeat(70) + ']'.repeat(70)]], 400, /Invalid JSON in settings/],
      ['a nested field name', [good, ['a[b]', 'x']], 400, /brackets in the name/],
      [
        'a thousand parts',
        [good, ...Array.from({ length: 1000 }, (): Part => ['job_id', 'x'])],
        400,
        /more than 50 text fields/,
      ],
    ];
    for (const [name, parts, status, message] of refused) {
      const answer = await upload(world, id, parts);
      assert.is(answer.status, status, `${name}: ${answer.text}`);
      assert.match(answer.json.message, message, name);
    }
    assert.equal(await row(), before);
    assert.is(Object.hasOwn(Object.prototype, 'x'), false);
  }));

test('T-35: forms that are broken or mislabelled get 400, 413 or 415, and the next one works', () =>
  withHttp(async (world) => {
    const { call, user } = world;
    const { id } = (await createPaper(world, await createDevice(world))).json;
    const path = `/papers/uploadSingleImage/${id}`;
    const type = 'multipart/form-data; boundary=b';
    const head =
      '--b\r\nContent-Type: image/png\r\nContent-Disposition: form-data; name="picture"; filename="x"\r\n\r\n';
    const broken: [string, string | Buffer, string, number][] = [
      ['cut off in a file', `${head}PICTURE x`, type, 400],
      ['cut off in a head', '--b\r\nContent-Disposition: form-da', type, 400],
      ['no boundary', `${head}PICTURE x\r\n--b--\r\n`, 'multipart/form-data', 400],
      ['another boundary', `${head}PICTURE x\r\n--b--\r\n`, 'multipart/form-data; boundary=c', 400],
      ['JSON', '{"picture":"x"}', 'application/json', 415],
      ['raw bytes', picture('x'), 'image/png', 415],
      [
        'a file beyond the limit',
        Buffer.concat([Buffer.from(head), Buffer.alloc(31 * 1024 * 1024), Buffer.from('\r\n--b--\r\n')]),
        type,
        413,
      ],
      ['a form beyond the limit', Buffer.alloc(64 * 1024 * 1024 + 1), type, 413],
    ];
    for (const [name, body, contentType, status] of broken) {
      const answer = await call('POST', path, { as: user, body, headers: { 'content-type': contentType } });
      assert.is(answer.status, status, `${name}: ${answer.text}`);
    }
    // C-04: the part's type may come before its disposition.
    const good = `${head}PICTURE x\r\n--b--\r\n`;
    assert.is((await call('POST', path, { as: user, body: good, headers: { 'content-type': type } })).status, 200);
  }));

test('T-35: a form that drips is ended after a minute', async () => {
  const timers: { readonly delayMs: number; readonly fire: () => void }[] = [];
  const after: Clock['after'] = (delayMs, run) => {
    timers.push({ delayMs, fire: run });
    return { cancel() {} };
  };
  await withHttp(
    async (world) => {
      const { id } = (await createPaper(world, await createDevice(world))).json;
      timers.length = 0;
      const socket = connect(world.port, '127.0.0.1');
      const ended = once(socket, 'close');
      socket.on('error', () => {});
      socket.write(
        `POST /papers/uploadSingleImage/${id} HTTP/1.1\r\nHost: x\r\nx-api-key: ${world.user.key}\r\n` +
          'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000\r\n\r\n--b\r\n',
      );
      while (timers.length === 0) await setImmediate();
      assert.is(timers[0]?.delayMs, 60_000);
      timers[0]?.fire();
      await ended;
      assert.is((await world.call('GET', `/papers/${id}`, { as: world.user })).status, 200);
    },
    { after },
  );
});

test.run();

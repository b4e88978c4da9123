/** C-63: names have at most 80 characters as a person counts them, and longer ones of earlier days stay usable. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { framedPaper, ok, photo } from '../papers/images-world.ts';
import { type HttpWorld, withHttp } from './world.ts';

const test = suite('length of names');

const family = '👩‍👩‍👧‍👦';
/** Texts of one character for a person, even where it is eleven for a machine. */
const letters = ['x', 'ß', family, 'é'];
const tooLong = 'a name has at most 80 characters';

/** A kind of record: how it is named, how it is asked for, and how something else of it is changed. */
interface Named {
  readonly field: string;
  rename(name: string): ReturnType<HttpWorld['call']>;
  changeElse(): ReturnType<HttpWorld['call']>;
  name(): Promise<string>;
  store(name: string): Promise<unknown>;
}

async function namedRecords({ call, admin, user, db, ...world }: HttpWorld): Promise<Named[]> {
  const { id, deviceId } = await framedPaper({ call, admin, user, db, ...world });
  const organization = admin.organizationId;
  const paper = { deviceId, organization, kind: 'image' };
  const post = (path: string, body: object, method = 'POST') => call(method, path, { as: admin, json: body });
  const read = async (path: string) => (await call('GET', path, { as: admin })).json;
  return [
    {
      field: 'meta.name',
      rename: (name) => post(`/devices/${deviceId}`, { meta: { name } }),
      changeElse: async () =>
        post(`/devices/${deviceId}`, { meta: { ...(await read(`/devices/${deviceId}`)).meta, a: 1 } }),
      name: async () => (await read(`/devices/${deviceId}`)).meta.name,
      store: (name) =>
        db('devices')
          .where({ id: deviceId })
          .update({ meta: JSON.stringify({ name }) }),
    },
    {
      field: 'meta.title',
      rename: (title) => post(`/papers/${id}`, { ...paper, meta: { title } }),
      changeElse: async () =>
        post(`/papers/${id}`, { ...paper, meta: { ...(await read(`/papers/${id}`)).meta, a: 1 } }),
      name: async () => (await read(`/papers/${id}`)).meta.title,
      store: (title) =>
        db('papers')
          .where({ id })
          .update({ meta: JSON.stringify({ title }) }),
    },
    {
      field: 'name',
      rename: (name) => post(`/users/${user.userId}`, { name }, 'PATCH'),
      changeElse: async () => {
        const [{ name }] = await read(`/users/${user.userId}`);
        return post(`/users/${user.userId}`, { name, category: 'nurse' }, 'PATCH');
      },
      name: async () => (await read(`/users/${user.userId}`))[0].name,
      store: (name) => db('users').where({ id: user.userId }).update({ name }),
    },
    {
      field: 'name',
      rename: (name) => post(`/organizations/${organization}`, { organization, name }),
      changeElse: async () => {
        const { name } = await read(`/organizations/${organization}`);
        return post(`/organizations/${organization}`, { organization, name, kind: 'other' });
      },
      name: async () => (await read(`/organizations/${organization}`)).name,
      store: (name) => db('organizations').where({ id: organization }).update({ name }),
    },
  ];
}

test('80 characters are a name and 81 are refused with a sentence, whatever a character is made of', () =>
  withHttp(async (world) => {
    for (const { field, rename, name } of await namedRecords(world)) {
      for (const letter of letters) {
        ok(await rename(letter.repeat(80)));
        const { status, json } = await rename(letter.repeat(81));
        assert.equal([status, json.hint], [400, `${field}: ${tooLong}`], letter);
        assert.is(await name(), letter.repeat(80));
      }
      assert.is((await rename('x'.repeat(10_000))).status, 400);
    }
  }));

test('a longer name that is stored is read, and stays when something else is changed', () =>
  withHttp(async (world) => {
    const long = 'W'.repeat(150);
    for (const { store, name, changeElse, rename } of await namedRecords(world)) {
      await store(long);
      assert.is(await name(), long);
      ok(await changeElse());
      assert.is(await name(), long);
      assert.is((await rename(`${long}W`)).status, 400);
    }
  }));

test('a longer name of somebody or something new is refused', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    const { deviceId } = await framedPaper(world);
    const organization = admin.organizationId;
    const name = family.repeat(81);
    for (const [path, body] of [
      ['/papers/', { deviceId, organization, kind: 'text', meta: { title: name } }],
      ['/papers/', { deviceId, organization, kind: 'text', name }],
      ['/users/', { organization, email: 'ida@example.org', name }],
      ['/organizations/', { kind: 'home', name }],
    ] as const) {
      const { status, json } = await call('POST', path, { as: admin, json: body });
      assert.is(status, 400, path);
      assert.match(json.hint, tooLong);
    }
  }));

test('below /v1 a longer name is cut, and one that is sent back stays', () =>
  withHttp(async (world) => {
    const { call, admin, user, db } = world;
    const { id, deviceId } = await framedPaper(world);
    const cut = `${'W'.repeat(79)}…`;
    const long = 'W'.repeat(81);
    const post = (path: string, body: object) => call('POST', `/v1${path}`, { as: admin, json: body });
    const read = async (path: string) => (await call('GET', `/v1${path}`, { as: admin })).json;
    ok(await post(`/devices/${deviceId}`, { meta: { name: long } }));
    assert.is((await read(`/devices/${deviceId}`)).meta.name, cut);
    ok(await post(`/papers/${id}`, { meta: { title: long } }));
    assert.is((await read(`/papers/${id}`)).meta.title, cut);
    ok(await post(`/users/${user.userId}`, { name: long }));
    assert.is((await read(`/users/${user.userId}`)).name, cut);
    ok(await post(`/organizations/${admin.organizationId}`, { name: long }));
    assert.is((await read(`/organizations/${admin.organizationId}`)).name, cut);
    await db('papers')
      .where({ id })
      .update({ meta: JSON.stringify({ title: long }) });
    ok(await post(`/papers/${id}`, { meta: { title: long, a: 1 } }));
    assert.is((await read(`/papers/${id}`)).meta.title, long);
  }));

test('a picture is not refused for the title that comes with it: that is cut', () =>
  withHttp(async (world) => {
    const { id, upload } = await framedPaper(world);
    const settings = JSON.stringify({ title: family.repeat(100) });
    ok(
      await upload([
        ['picture', await photo(80, 48)],
        ['settings', settings],
      ]),
    );
    const { title } = (await world.call('GET', `/papers/${id}`, { as: world.admin })).json.meta;
    assert.is(title, `${family.repeat(79)}…`);
  }));

test.run();

import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { references } from '../../api/files/collect-files.ts';
import { heldBack } from '../database.ts';
import { type Furnished, furnish } from '../http/matrix.ts';
import { type Answer, type HttpWorld, picture, withHttp } from '../http/world.ts';
import { usableManifest } from '../integration/integration-world.ts';

const test = suite('removing a paper');
const pushes = '/v1/integration-papers';

/** A world with one of each: the device shows the paper, to which the connection pushes. */
const withPaper = (run: (world: HttpWorld, home: Furnished) => Promise<void>): Promise<void> =>
  withHttp(async (world) => run(world, await furnish(world, world.admin)), { callsPerMinute: 1_000 });

const shows = ({ call, admin }: HttpWorld, { ids }: Furnished, paper: string | null): Promise<Answer> =>
  call('POST', `/devices/${ids.device}`, { as: admin, json: { paper } });

const remove = ({ call, user }: HttpWorld, paper: string, surface = ''): Promise<Answer> =>
  call('DELETE', `${surface}/papers/${paper}`, { as: user });

const push = ({ call }: HttpWorld, { ids, bearer }: Furnished, messageId: string): Promise<Answer> =>
  call('POST', `${pushes}/connections/${ids.connection}/content`, {
    headers: { authorization: bearer },
    json: { messageId, text: 'Hello' },
  });

test('a paper that a device shows stays, and the devices are named; one that none shows goes and is answered', () =>
  withPaper(async (world, home) => {
    const { call, admin } = world;
    const { device, paper } = home.ids;
    const shown = (await call('GET', `/papers/${paper}`, { as: admin })).json;
    for (const surface of ['', '/v1']) {
      const refused = await remove(world, paper, surface);
      assert.is(refused.status, 409);
      if (surface === '') assert.equal(refused.json.dependents, { devices: [device] });
      else assert.is(refused.json.raw, `remove or move devices ${device}, then try again`, 'C-31: a text');
    }
    assert.equal((await call('GET', `/papers/${paper}`, { as: admin })).json, shown, 'nothing half-done');
    assert.is((await push(world, home, 'before')).status, 202);
    await shows(world, home, null);
    const before = (await call('GET', `/papers/${paper}`, { as: admin })).json;
    const removed = await remove(world, paper);
    assert.is(removed.status, 200);
    assert.equal(removed.json, before);
    for (const path of [`/papers/${paper}`, `${pushes}/papers/${paper}/content`]) {
      assert.ok([403, 404].includes((await call('GET', path, { as: admin })).status), path);
    }
    assert.equal((await call('GET', '/papers', { as: admin })).json.results, []);
    assert.is((await remove(world, paper)).status, 404);
    assert.is((await shows(world, home, paper)).status, 404);
    // Below /v1 as well, where clients expect the record; slides that showed it are drawn again.
    const json = { organization: home.ids.organization, deviceId: device, kind: 'image' };
    const [, second] = [
      await call('POST', '/papers', { as: admin, json }),
      await call('POST', '/papers', { as: admin, json }),
    ];
    const meta = { selectedPapers: [second.json.id] };
    const slides = (await call('POST', '/papers', { as: admin, json: { ...json, kind: 'slides', meta } })).json.id;
    const edition = async () => (await world.db('papers').where({ id: slides }).first('edition')).edition;
    const drawn = await edition();
    assert.is((await remove(world, second.json.id, '/v1')).json.id, second.json.id);
    assert.is(await edition(), drawn + 1);
  }));

test('INV-53, INV-56: with its paper a connection ends: no token, no grant, no work; the current content is gone', () =>
  withPaper(async (world, home) => {
    const { call, admin, user, db } = world;
    const { paper, connection } = home.ids;
    assert.is((await push(world, home, 'one')).status, 202);
    assert.ok(await db('paper_contents').where({ paper_id: paper }).first());
    const { meta } = (await call('GET', `/papers/${paper}`, { as: admin })).json;
    const options = { configUrl: meta.pluginConfigUrl, settingsPage: usableManifest.settingsPage };
    // Somebody else's, too.
    const granted = await call('POST', `${pushes}/papers/${paper}/grants`, { as: user, json: options });
    assert.is(granted.status, 201);
    await shows(world, home, null);
    assert.is((await remove(world, paper)).status, 200);
    assert.is((await push(world, home, 'two')).status, 401);
    const status = await call('GET', `${pushes}/connections/${connection}/status?requestId=${connection}`, {
      headers: { authorization: home.bearer },
    });
    assert.is(status.status, 401);
    const spent = await call('POST', `${pushes}/exchange`, { json: { grant: granted.json.grant } });
    assert.equal([spent.status, spent.json.code], [401, 'grant-spent']);
    assert.is(await db('paper_contents').where({ paper_id: paper }).first(), undefined);
    const requests = await db('content_requests').select('state', 'due_at');
    assert.equal(
      requests.map((row) => ({ ...row })),
      [{ state: 'revoked', due_at: null }],
    );
    assert.equal(await db('callback_events').whereNotNull('due_at'), [], 'no callback');
    assert.equal(await db('deliveries').whereNotNull('due_at'), []);
  }));

test('INV-04: no row of a removed paper refers to its uploaded pictures', () =>
  withPaper(async (world, { ids }) => {
    const { call, admin, db } = world;
    const json = { organization: ids.organization, deviceId: ids.device, kind: 'image' };
    const { id } = (await call('POST', '/papers', { as: admin, json })).json;
    const body = new FormData();
    body.append('picture', new Blob([new Uint8Array(picture('roses'))]), 'a.png');
    assert.is((await call('POST', `/papers/uploadSingleImage/${id}`, { as: admin, body })).status, 200);
    const { picture_key: key } = await db('papers').where({ id }).first('picture_key');
    const referring = async () => {
      const found = await Promise.all(references.map(([table, column]) => db(table).where(column, key)));
      return found.flat().length;
    };
    assert.is(await referring(), 1);
    assert.is((await remove(world, id)).status, 200);
    assert.is(await referring(), 0);
  }));

const meetings: Readonly<Record<string, (world: HttpWorld, home: Furnished) => Promise<Answer>>> = {
  'a device that is to show it': (world, home) => shows(world, home, home.ids.paper),
  'a new device for it': ({ call, admin }, { ids }) =>
    call('POST', '/devices', { as: admin, json: { organization: ids.organization, paper: ids.paper } }),
  'a frame registered for it': ({ call, admin }, { ids }) => {
    const json = { enable: true, organization: ids.organization, paper: ids.paper };
    return call('POST', `/devices/registerdevice/${ids.serial}`, { as: admin, json });
  },
  'content pushed to it': (world, home) => push(world, home, 'meeting'),
};

for (const [other, act] of Object.entries(meetings)) {
  test(`a removal and ${other} at the same moment: one comes first, and nothing names what is gone`, async () => {
    for (const removesFirst of [true, false]) {
      await withPaper(async (world, home) => {
        const { db } = world;
        const { paper } = home.ids;
        await shows(world, home, null);
        const acts = [() => remove(world, paper), () => act(world, home)];
        const { ended } = await heldBack(db, 'papers', { id: paper }, 2, () =>
          Promise.all((removesFirst ? acts : acts.reverse()).map((one) => one())),
        );
        const answers = (await ended).map(({ status }) => status);
        const [removed, acted] = removesFirst ? answers : answers.reverse();
        const isGone = (await db('papers').where({ id: paper }).first()) === undefined;
        assert.is(removed, isGone ? 200 : 409, other);
        assert.ok(isGone || (acted ?? 0) < 300, `${other}: ${removed} ${acted}`);
        const dangling = await db('devices').whereNotNull('paper_id').whereNotIn('paper_id', db('papers').select('id'));
        assert.equal(dangling, [], other);
        assert.equal(await db('paper_contents').whereNotIn('paper_id', db('papers').select('id')), []);
        const working = db('content_requests').where({ paper_id: paper }).whereNot({ state: 'revoked' });
        if (isGone) assert.equal(await working, []);
      });
    }
  });
}

test.run();
